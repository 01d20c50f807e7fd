// SPDX-License-Identifier: Apache-2.0
package io.corelane;

/**
 * What has become of forks that were not simply run by the thread that had forked them. Those that were are not counted.
 *
 * @param shared forks that were offered to other threads, because one was idle or waited
 * @param taken forks that ran on another thread than the one that had forked them, or inside another's wait
 */
public record ForkCounts(long shared, long taken) {
    /**
     * Adds counts.
     *
     * @param other the other counts
     * @return the sum of both
     */
    public ForkCounts plus(ForkCounts other) {
        return new ForkCounts(shared + other.shared, taken + other.taken);
    }
}
