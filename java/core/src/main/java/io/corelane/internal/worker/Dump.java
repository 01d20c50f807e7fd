// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.PinStats;
import io.corelane.internal.injector.Mailbox;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Describes a pool for people: what each thread does, for how long, and what waits where. */
final class Dump {
    private static final int FRAMES = 12;

    private Dump() {}

    static String of(WorkerPool pool) {
        StringBuilder text = new StringBuilder();
        text.append("scheduler ")
                .append(pool.config.name())
                .append(": ")
                .append(pool.stateName())
                .append(", injector ")
                .append(pool.injector.size())
                .append(", timers ")
                .append(pool.timers.jobs())
                .append(", threads away from their workers ")
                .append(pool.spares.away())
                .append(", searching ")
                .append(pool.eventCount.searching())
                .append('\n');
        for (Worker worker : pool.workers) {
            describe(pool, worker, text);
        }
        for (WorkerThread thread : pool.spares.awayThreads()) {
            text.append("  away: ").append(thread.getName()).append('\n');
            stack(thread, text);
        }
        return text.toString();
    }

    private static void describe(WorkerPool pool, Worker worker, StringBuilder text) {
        WorkerThread thread = pool.threads.of(worker.index);
        Mailbox mailbox = worker.mailbox;
        text.append("  worker ")
                .append(worker.index)
                .append(": CPU asked ")
                .append(worker.cpuAsked < 0 ? "none" : worker.cpuAsked)
                .append(", got ")
                .append(worker.cpu < 0 ? "none" : worker.cpu)
                .append(pins(worker.pins.stats()))
                .append(", ")
                .append(activity(pool, worker, thread))
                .append(", deque ")
                .append(worker.deque.size())
                .append(", lane ")
                .append(mailbox == null ? 0 : mailbox.size())
                .append(", thread ")
                .append(thread.getName())
                .append(thread.isAlive() ? "" : " (ended)")
                .append('\n');
        if (worker.busySince() != 0) {
            stack(thread, text);
        }
    }

    /** Says what became of the pin, if somebody has changed it. */
    private static String pins(PinStats pins) {
        boolean untouched = pins.repinned() + pins.moved() + pins.lost() + pins.restored() == 0;
        return untouched
                ? ""
                : " (pinned again " + pins.repinned() + ", moved " + pins.moved() + ", lost " + pins.lost()
                        + ", restored " + pins.restored() + ")";
    }

    private static String activity(WorkerPool pool, Worker worker, WorkerThread thread) {
        if (!thread.isAlive()) {
            return "no thread";
        }
        if (pool.eventCount.isParked(worker.index)) {
            return "parked";
        }
        long since = worker.busySince();
        if (since == 0) {
            return "looking for work";
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
        return "busy for " + millis + " ms, " + (worker.runAcquire() + worker.failedAcquire()) + " jobs ended so far";
    }

    private static void stack(Thread thread, StringBuilder text) {
        List<StackTraceElement> frames = List.of(thread.getStackTrace());
        for (StackTraceElement frame : frames.subList(0, Math.min(FRAMES, frames.size()))) {
            text.append("      at ").append(frame).append('\n');
        }
    }
}
