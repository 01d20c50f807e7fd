// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.Map;

/**
 * One NUMA node: the online CPUs next to one part of the memory.
 *
 * <p><b>Thread safety:</b> immutable.
 *
 * @param id kernel number of the node, from 0; numbers may have gaps
 * @param cpus its online CPUs; empty for a node that has only memory
 * @param distances distance to each node by its kernel number, itself included; empty if the machine does not tell
 */
public record NumaNode(int id, CpuSet cpus, Map<Integer, Integer> distances) {
    /**
     * Makes a node; the map is copied.
     *
     * @param id kernel number of the node
     * @param cpus its online CPUs
     * @param distances distance to each node
     */
    public NumaNode {
        distances = Map.copyOf(distances);
    }

    /**
     * Returns how far the memory of another node is: 10 is local, 20 is told to take twice as long.
     *
     * @param node kernel number of a node
     * @return the distance, at least 10, or -1 if the machine does not tell; need not be the same in both directions
     */
    public int distanceTo(int node) {
        return distances.getOrDefault(node, -1);
    }
}
