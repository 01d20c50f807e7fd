// SPDX-License-Identifier: Apache-2.0
package io.corelane;

/**
 * How often a worker has stolen from others, by the nearest thing that the two share. Where workers are not pinned, all
 * are far.
 *
 * @param core from a worker on the same core (an SMT sibling, or one that shares the CPU)
 * @param cache from a worker under the same last-level cache
 * @param node from a worker on the same NUMA node
 * @param far from any other worker
 */
public record StealCounts(long core, long cache, long node, long far) {
    /**
     * Returns the sum.
     *
     * @return steals at any distance
     */
    public long total() {
        return core + cache + node + far;
    }
}
