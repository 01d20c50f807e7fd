// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.FailureHandler;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Whom a pool tells what goes wrong: the failure handler of its jobs' failures, the log of its own.
 *
 * <p><b>Thread safety:</b> any thread may call anything.
 */
final class PoolLog {
    /*
     * Where nothing may be thrown, not even because memory has run out, the text is put together inside the try: see logOf.
     */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String name;
    private final @Nullable FailureHandler failureHandler;
    private final AtomicLong lastOfThreads = new AtomicLong(System.nanoTime() - PAUSE_NANOS);
    private volatile String unpinned = "";

    PoolLog(PoolConfig config) {
        this.name = config.name();
        this.failureHandler = config.failureHandler();
    }

    void tellFailureHandler(Runnable job, Throwable failure) {
        try {
            if (failureHandler != null) {
                failureHandler.onFailure(job, failure);
            } else {
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
            }
        } catch (Throwable handlerFailure) {
            logOf(Level.ERROR, "the failure handler of scheduler ", name, " threw", handlerFailure);
        }
    }

    /** Says why a worker runs unpinned: in the statistics, and for the first of them in one line of the log. */
    void noteUnpinned(String reason) {
        synchronized (this) {
            if (!unpinned.isEmpty()) {
                return;
            }
            unpinned = reason;
        }
        log(Level.WARNING, "scheduler " + name + " runs unpinned: " + reason, null);
    }

    /** Returns why a worker runs unpinned; empty if none does. */
    String unpinned() {
        return unpinned;
    }

    void timersFailed(Throwable cause) {
        logOf(Level.ERROR, "the timers of scheduler ", name, " failed, and go on", cause);
    }

    void warnOfCpu(Throwable cause) {
        logOf(Level.WARNING, "a blocked thread of scheduler ", name, " stays on the CPU of its worker", cause);
    }

    void warnOfEnd(Throwable cause) {
        logOf(Level.WARNING, "a thread of scheduler ", name, " could not end, trying again", cause);
    }

    /** Tells once a second at most: a waiter at its wits' end asks again and again. */
    void warnOfSpare(Worker worker, Throwable cannotStart) {
        long now = System.nanoTime();
        long last = lastOfThreads.get();
        if (now - last >= PAUSE_NANOS && lastOfThreads.compareAndSet(last, now)) {
            logOf(Level.WARNING, "no spare thread to be had for ", worker, "", cannotStart);
        }
    }

    void warnOfReplacement(Worker worker, Throwable cannotStart) {
        logOf(Level.WARNING, "", worker, ": no new thread to be had, trying again", cannotStart);
    }

    void tell(Level level, String message) {
        log(level, message, null);
    }

    void warn(String message, @Nullable Throwable cause) {
        log(Level.WARNING, message, cause);
    }

    /** A handler of the log may throw; the scheduler goes on, and there is nobody left to tell. */
    private static void log(Level level, String message, @Nullable Throwable cause) {
        try {
            System.getLogger("io.corelane").log(level, message, cause);
        } catch (RuntimeException itsOwnFault) {
            // as said
        }
    }

    private static void logOf(Level level, String before, Object who, String after, Throwable cause) {
        try {
            log(level, before + who + after, cause);
        } catch (Throwable ignored) {
            // the scheduler goes on, and there is nobody left to tell
        }
    }
}
