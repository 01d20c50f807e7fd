// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The job with a handle that the calling thread runs, whichever thread that is. Threads of a pool keep it in a field; others
 * run one if they call a handle's {@code run}, or if callers run what they submit.
 *
 * <p><b>Thread safety:</b> each thread sees its own.
 */
final class CurrentJob {
    /** Each thread reads and writes its own entry, which goes when it has left its outermost job. */
    private static final ConcurrentMap<Thread, Frame> OUTSIDE = new ConcurrentHashMap<>();

    private CurrentJob() {}

    /** What a thread that belongs to no pool runs, innermost first; no job stands for one without a handle. */
    record Frame(@Nullable SubmittedJob<?> job, @Nullable Frame below) {}

    /** Returns the innermost job; null if what runs here has no handle. */
    static @Nullable SubmittedJob<?> get() {
        if (Thread.currentThread() instanceof WorkerThread own) {
            return own.current;
        }
        Frame frame = OUTSIDE.get(Thread.currentThread());
        return frame == null ? null : frame.job;
    }

    /** Called by a thread that belongs to no pool: it begins to run something inside; returns what {@link #leave} takes. */
    static @Nullable Frame enter(@Nullable SubmittedJob<?> job) {
        Frame outer = OUTSIDE.get(Thread.currentThread());
        OUTSIDE.put(Thread.currentThread(), new Frame(job, outer));
        return outer;
    }

    /** Undoes {@link #enter}. */
    static void leave(@Nullable Frame outer) {
        if (outer == null) {
            OUTSIDE.remove(Thread.currentThread());
        } else {
            OUTSIDE.put(Thread.currentThread(), outer);
        }
    }

    /** Called by a thread that belongs to no pool: returns whether it runs a job, maybe below another one. */
    static boolean isOnThisStack(SubmittedJob<?> job) {
        for (Frame frame = OUTSIDE.get(Thread.currentThread()); frame != null; frame = frame.below) {
            if (frame.job == job) {
                return true;
            }
        }
        return false;
    }
}
