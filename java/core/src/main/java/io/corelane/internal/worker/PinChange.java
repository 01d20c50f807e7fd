// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.PinEvent;
import io.corelane.affinity.CpuSet;

/**
 * What the watcher has found at a worker's pin.
 *
 * @param change what came of it
 * @param reason what was found
 */
record PinChange(PinEvent.Change change, String reason) {
    /** A mask that is not what it should be, and the CPU that it should be, or -1. */
    record Found(CpuSet mask, int cpu) {
        private PinChange as(PinEvent.Change change) {
            return new PinChange(
                    change,
                    cpu < 0
                            ? "unpinned, with the mask " + mask
                            : mask.equals(CpuSet.of(cpu))
                                    ? "pinned to CPU " + cpu + ", away from the plan"
                                    : "the mask was " + mask + " instead of CPU " + cpu);
        }

        PinChange repinned() {
            return as(PinEvent.Change.REPINNED);
        }

        PinChange moved() {
            return as(PinEvent.Change.MOVED);
        }

        PinChange lost() {
            return as(PinEvent.Change.LOST);
        }

        PinChange restored() {
            return as(PinEvent.Change.RESTORED);
        }
    }
}
