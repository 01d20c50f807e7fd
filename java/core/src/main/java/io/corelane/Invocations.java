// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** {@code invokeAll} and {@code invokeAny}. */
final class Invocations {
    private static final long HELP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private Invocations() {}

    private static long deadline(long nanos) {
        return System.nanoTime() + Math.max(0, Math.min(nanos, Long.MAX_VALUE / 2));
    }

    static <T extends @Nullable Object> List<Future<T>> all(
            PinnedScheduler scheduler, Collection<? extends Callable<T>> jobs, long nanos) throws InterruptedException {
        jobs.forEach(job -> Objects.requireNonNull(job, "a job"));
        long deadline = deadline(nanos);
        List<JobHandle<T>> handles = new ArrayList<>(jobs.size());
        boolean allEnded = false;
        try {
            for (Callable<T> job : jobs) {
                JobHandle<T> handle = submit(scheduler, job, deadline);
                handles.add(handle != null ? handle : scheduler.neverSubmitted(job));
            }
            for (JobHandle<T> handle : handles) {
                awaitEnd(handle, deadline - System.nanoTime());
            }
            allEnded = true;
            return new ArrayList<>(handles);
        } catch (TimeoutException e) {
            return new ArrayList<>(handles); // all ended, once the rest is cancelled below
        } finally {
            if (!allEnded) {
                cancelAll(handles);
            }
        }
    }

    /** Submits a job; null if the time is over, and there is no room for it. */
    private static <T extends @Nullable Object> @Nullable JobHandle<T> submit(
            PinnedScheduler scheduler, Callable<T> job, long deadline) throws InterruptedException {
        try {
            return scheduler.submitIfRoomIn(job, deadline - System.nanoTime());
        } catch (RejectedExecutionException rejected) {
            if (Thread.interrupted()) {
                throw (InterruptedException) new InterruptedException().initCause(rejected);
            }
            if (deadline - System.nanoTime() <= 0 && !scheduler.isShutdown()) {
                return null;
            }
            throw rejected;
        }
    }

    private static void awaitEnd(JobHandle<?> handle, long nanos) throws InterruptedException, TimeoutException {
        try {
            Object ignored = handle.get(nanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException | CancellationException e) {
            // it has ended; the caller finds out how from the handle
        }
    }

    private static void cancelAll(List<? extends Future<?>> handles) {
        for (Future<?> handle : handles) {
            boolean ignored = handle.cancel(true);
        }
    }

    /** The wait takes the calling thread off its worker if it can, so a job may call this on the only worker. */
    static <T extends @Nullable Object> T any(
            PinnedScheduler scheduler, Collection<? extends Callable<T>> jobs, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (jobs.isEmpty()) {
            throw new IllegalArgumentException("no jobs (expected at least one)");
        }
        jobs.forEach(job -> Objects.requireNonNull(job, "a job"));
        long deadline = deadline(nanos);
        CompletableFuture<Outcome<T>> first = new CompletableFuture<>();
        AtomicInteger hopes = new AtomicInteger(jobs.size());
        List<JobHandle<T>> handles = new ArrayList<>(jobs.size());
        try {
            for (Callable<T> job : jobs) {
                JobHandle<T> handle = submit(scheduler, job, deadline);
                if (handle == null) {
                    break; // the time is over, see below
                }
                handles.add(handle);
                handle.onComplete(outcome -> {
                    if (outcome instanceof Outcome.Done || hopes.decrementAndGet() == 0) {
                        first.complete(outcome);
                    }
                });
                if (first.isDone()) {
                    break;
                }
            }
            return resultOf(scheduler.blocking(() -> {
                try {
                    if (scheduler.isServing()) {
                        help(handles, first, deadline);
                    }
                    return first.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                } finally {
                    cancelAll(handles); // now: one of them may run on the worker that the caller wants back
                }
            }));
        } catch (InterruptedException | ExecutionException | TimeoutException | RuntimeException e) {
            throw e;
        } catch (Exception impossible) {
            throw new AssertionError(impossible);
        } finally {
            cancelAll(handles);
        }
    }

    /**
     * No other thread could be had to serve the caller's worker: waits for each job for a moment, in turn, and so runs
     * those that nobody has started.
     */
    private static void help(List<? extends JobHandle<?>> handles, Future<?> first, long deadline)
            throws InterruptedException {
        int next = 0;
        while (!first.isDone() && deadline - System.nanoTime() > 0) {
            try {
                awaitEnd(handles.get(next), HELP_NANOS);
            } catch (TimeoutException e) {
                // it runs elsewhere
            }
            next = (next + 1) % handles.size();
        }
    }

    private static <T extends @Nullable Object> T resultOf(Outcome<T> outcome) throws ExecutionException {
        if (outcome instanceof Outcome.Done<T> done) {
            return done.value();
        }
        throw new ExecutionException(
                outcome instanceof Outcome.Failed<T> failed
                        ? failed.cause()
                        : new CancellationException("cancelled by somebody else"));
    }
}
