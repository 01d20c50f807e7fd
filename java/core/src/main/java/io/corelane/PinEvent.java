// SPDX-License-Identifier: Apache-2.0
package io.corelane;

/**
 * A change of a worker's pin that did not come from the scheduler: somebody has rewritten the cpuset, switched a CPU off or on,
 * or set the thread's mask from outside.
 *
 * @param scheduler the scheduler's name
 * @param worker the worker, from 0
 * @param change what has become of the pin
 * @param planned the CPU that the plan gave the worker
 * @param cpu the CPU it is pinned to now, or -1
 * @param reason what was found, for people
 */
public record PinEvent(String scheduler, int worker, Change change, int planned, int cpu, String reason) {
    /** What has become of a pin. */
    public enum Change {
        /** The mask was found changed, and the worker was pinned to the same CPU again. */
        REPINNED,
        /** Its CPU cannot be used any more; the worker was moved to another one that nobody has. */
        MOVED,
        /** Its CPU cannot be used any more and no other one is free; the worker runs unpinned on the allowed CPUs. */
        LOST,
        /** Its planned CPU can be used again, and the worker is back on it. */
        RESTORED
    }
}
