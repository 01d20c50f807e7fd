// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import java.util.concurrent.locks.LockSupport;

/**
 * A claimed job that another thread runs, on a stack of its own, for a thread whose stack is too full to run it inside the job
 * that waits for it. The waiting thread treats it as if it ran on its own stack: it goes on once the body has ended, not when the
 * handle is done, which a cancellation may be long before.
 *
 * <p><b>Thread safety:</b> one thread waits, the other one runs; the object reaches the latter together with the worker.
 */
final class FreshStack {
    final SubmittedJob<?> job;
    /** How many of the lane's jobs wait for the job, further down on the stack that it leaves behind. */
    final int laneDepth;

    private final WorkerThread waiter;
    private volatile boolean over;

    FreshStack(SubmittedJob<?> job, WorkerThread waiter) {
        this.job = job;
        this.laneDepth = waiter.laneDepth;
        this.waiter = waiter;
    }

    /** Whether a job waits on the stack that is continued, which stands still; for the thread that runs the job. */
    boolean isBelow(SubmittedJob<?> other) {
        return waiter.current == other || waiter.joining.isBelow(other);
    }

    /** Called by the thread that ran the job, whatever came of it. */
    void end() {
        over = true; // volatile, before the unpark: pairs the read in awaitEnd
        LockSupport.unpark(waiter);
    }

    /** Waits until the job's body has ended; an interrupt is kept. */
    void awaitEnd() {
        boolean interrupted = false;
        while (!over) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
