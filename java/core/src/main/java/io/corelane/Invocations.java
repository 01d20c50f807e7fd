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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** {@code invokeAll} and {@code invokeAny}. */
final class Invocations {
    private Invocations() {}

    static <T extends @Nullable Object> List<Future<T>> all(
            PinnedScheduler scheduler, Collection<? extends Callable<T>> jobs) throws InterruptedException {
        List<JobHandle<T>> handles = new ArrayList<>(jobs.size());
        boolean allEnded = false;
        try {
            for (Callable<T> job : jobs) {
                handles.add(scheduler.submit(job));
            }
            for (JobHandle<T> handle : handles) {
                awaitEnd(handle);
            }
            allEnded = true;
            return new ArrayList<>(handles);
        } finally {
            if (!allEnded) {
                cancelAll(handles);
            }
        }
    }

    private static void awaitEnd(JobHandle<?> handle) throws InterruptedException {
        try {
            Object ignored = handle.get();
        } catch (ExecutionException | CancellationException e) {
            // it has ended; the caller finds out how from the handle
        }
    }

    static <T extends @Nullable Object> List<Future<T>> all(
            PinnedScheduler scheduler, Collection<? extends Callable<T>> jobs, long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + Math.min(nanos, Long.MAX_VALUE / 2);
        List<JobHandle<T>> handles = new ArrayList<>(jobs.size());
        boolean allEnded = false;
        try {
            for (Callable<T> job : jobs) {
                handles.add(scheduler.submit(job));
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

    /** The wait may take a thread off its worker, so a job may call this on the only worker. */
    static <T extends @Nullable Object> T any(
            PinnedScheduler scheduler, Collection<? extends Callable<T>> jobs, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (jobs.isEmpty()) {
            throw new IllegalArgumentException("no jobs (expected at least one)");
        }
        jobs.forEach(job -> Objects.requireNonNull(job, "a job"));
        CompletableFuture<Outcome<T>> decisive = new CompletableFuture<>(); // the first success, or the last failure
        AtomicInteger notFailed = new AtomicInteger(jobs.size());
        List<JobHandle<T>> handles = new ArrayList<>(jobs.size());
        try {
            for (Callable<T> job : jobs) {
                JobHandle<T> handle = scheduler.submit(job);
                handles.add(handle);
                handle.onComplete(outcome -> {
                    if (outcome instanceof Outcome.Done || notFailed.decrementAndGet() == 0) {
                        decisive.complete(outcome);
                    }
                });
                if (decisive.isDone()) {
                    break;
                }
            }
            return resultOrFailure(
                    scheduler.blocking(() -> decisive.get(Math.min(nanos, Long.MAX_VALUE / 2), TimeUnit.NANOSECONDS)));
        } catch (InterruptedException | ExecutionException | TimeoutException | RuntimeException e) {
            throw e;
        } catch (Exception impossible) {
            throw new AssertionError(impossible);
        } finally {
            cancelAll(handles);
        }
    }

    private static <T extends @Nullable Object> T resultOrFailure(Outcome<T> outcome) throws ExecutionException {
        if (outcome instanceof Outcome.Done<T> done) {
            return done.value();
        }
        throw new ExecutionException(
                outcome instanceof Outcome.Failed<T> failed
                        ? failed.cause()
                        : new CancellationException("cancelled by somebody else"));
    }
}
