// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Counts jobs that have run, one padded counter per thread, so that counting costs the same for every subject and no
 * line is shared. Threads are told apart by the low bits of their ids, which follow each other: as long as there are far
 * fewer than {@value #THREADS} workers, two of them never meet. If they did, {@link #awaitTotal} would fail. Where each job
 * has a thread of its own they do meet, so those count by atomic additions.
 */
public final class RunCounters {
    private static final int THREADS = 512;
    private static final int STRIDE = 32; // longs: 256 bytes
    private static final long MIN_POLL_NANOS = 20_000;
    private static final long MAX_POLL_NANOS = 1_000_000;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] counts = new long[THREADS * STRIDE + STRIDE];
    private final boolean atomic;

    /** Makes counters for a pool with a fixed number of threads. */
    public RunCounters() {
        this(false);
    }

    /**
     * Makes counters.
     *
     * @param atomic whether threads may come and go with each job
     */
    public RunCounters(boolean atomic) {
        this.atomic = atomic;
    }

    /** Counts one job of the calling thread. */
    public void increment() {
        int at = ((int) Thread.currentThread().getId() & (THREADS - 1)) * STRIDE + STRIDE;
        if (atomic) {
            COUNT.getAndAdd(counts, at, 1L);
        } else {
            COUNT.setRelease(counts, at, (long) COUNT.getOpaque(counts, at) + 1);
        }
    }

    /**
     * Returns how many jobs have run.
     *
     * @return the sum over all threads
     */
    public long total() {
        long total = 0;
        for (int at = STRIDE; at < counts.length; at += STRIDE) {
            total += (long) COUNT.getAcquire(counts, at);
        }
        return total;
    }

    /**
     * Waits until {@code expected} jobs have run. It parks for half the time that the rest should take at the rate so
     * far, because polling more often takes CPU time from the workers: each 20 microseconds it was 8 % of two CPUs.
     *
     * @param expected the total to wait for
     * @throws IllegalStateException if more jobs have run than were expected, or none for 30 seconds
     */
    public void awaitTotal(long expected) {
        long start = System.nanoTime();
        long first = total();
        long total = first;
        long lastProgress = start;
        while (total < expected) {
            long nanosPerJob = (System.nanoTime() - start) / Math.max(1, total - first);
            long halfTheRest = nanosPerJob * (expected - total) / 2;
            LockSupport.parkNanos(this, Math.max(MIN_POLL_NANOS, Math.min(MAX_POLL_NANOS, halfTheRest)));
            long before = total;
            total = total();
            if (total != before) {
                lastProgress = System.nanoTime();
            } else if (System.nanoTime() - lastProgress > PATIENCE_NANOS) {
                break;
            }
        }
        if (total != expected) {
            throw new IllegalStateException("jobs run: " + total + " (expected " + expected + ")");
        }
    }
}
