// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.topology;

import io.corelane.affinity.CpuSet;
import io.corelane.topology.CpuLimits;
import io.corelane.topology.CpuTopology;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a report shows.
 *
 * @param root where the files were read
 * @param topology what they tell
 * @param limits what this process may use; null for another machine's files, to which they do not apply
 */
record Machine(Path root, CpuTopology topology, @Nullable CpuLimits limits) {
    /** Reads the files below a root, and the limits of this process if they are this machine's. */
    static Machine read(Path root) {
        CpuTopology topology = CpuTopology.read(root);
        boolean here = root.toAbsolutePath().normalize().equals(Path.of("/"));
        return new Machine(root, topology, here ? CpuLimits.read() : null);
    }

    /** The CPUs that are plugged in but switched off. */
    CpuSet offline() {
        return topology.present().minus(topology.online());
    }

    /** A size as people write it: {@code 32 KiB}, {@code 1280 KiB}, {@code 2 MiB}. */
    static String size(long bytes) {
        if (bytes < 0) {
            return "unknown size";
        }
        return bytes % (1 << 20) == 0 ? (bytes >> 20) + " MiB" : ((bytes + 1023) >> 10) + " KiB";
    }
}
