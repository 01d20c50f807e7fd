// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;

/**
 * One cache and the online CPUs that share it.
 *
 * <p><b>Thread safety:</b> immutable.
 *
 * @param level 1 for the cache next to the core, then upwards
 * @param type what the cache holds
 * @param sizeBytes size in bytes, or -1 if the machine does not tell
 * @param cpus the online CPUs that share it, at least one
 */
public record CpuCache(int level, Type type, long sizeBytes, CpuSet cpus) {

    /** What a cache holds. */
    public enum Type {
        /** Data and instructions. */
        UNIFIED,
        /** Data only. Some virtual machines say so of every cache. */
        DATA,
        /** The machine does not tell; counted as one that holds data. */
        UNKNOWN,
        /** Instructions only; never counted as a last-level cache. */
        INSTRUCTION
    }
}
