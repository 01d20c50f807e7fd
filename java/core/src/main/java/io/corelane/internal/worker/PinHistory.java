// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.PinEvent;
import io.corelane.PinStats;

/**
 * What became of a worker's pin, and how often it was found changed.
 *
 * <p><b>Thread safety:</b> written by the watcher, read by anyone.
 */
final class PinHistory {
    private volatile PinStats stats = new PinStats(0, 0, 0, 0);
    private volatile boolean lost;

    /** Notes whether the worker has to run unpinned for now. */
    void lost(boolean isLost) {
        lost = isLost;
    }

    boolean isLost() {
        return lost;
    }

    void count(PinEvent.Change change) {
        PinStats old = stats;
        stats = switch (change) {
            case REPINNED -> new PinStats(old.repinned() + 1, old.moved(), old.lost(), old.restored());
            case MOVED -> new PinStats(old.repinned(), old.moved() + 1, old.lost(), old.restored());
            case LOST -> new PinStats(old.repinned(), old.moved(), old.lost() + 1, old.restored());
            case RESTORED -> new PinStats(old.repinned(), old.moved(), old.lost(), old.restored() + 1);
        };
    }

    PinStats stats() {
        return stats;
    }
}
