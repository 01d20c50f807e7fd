// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.Arrays;
import java.util.List;

/** Turns a list of disjoint groups into a table from CPU to position in the list. */
final class GroupIndex {
    private GroupIndex() {}

    /** Returns the position by CPU number, -1 for a CPU in no group; long enough for the highest of {@code cpus}. */
    static int[] of(List<CpuSet> groups, CpuSet cpus) {
        int[] index = new int[cpus.last() + 1];
        Arrays.fill(index, -1);
        for (int i = 0; i < groups.size(); i++) {
            int position = i;
            groups.get(i).stream().forEach(cpu -> index[cpu] = position);
        }
        return index;
    }
}
