// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Counts jobs that have run, one padded counter per thread, so that counting costs the same for every subject and no
 * line is shared. Threads are told apart by the low bits of their ids, which follow each other: two live worker threads
 * never meet. {@link #awaitTotal} would not end if they did.
 */
public final class RunCounters {
    private static final int THREADS = 256;
    private static final int STRIDE = 32; // longs: 256 bytes
    private static final long POLL_NANOS = 20_000;
    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] counts = new long[THREADS * STRIDE + STRIDE];

    /** Counts one job of the calling thread. */
    public void increment() {
        int at = ((int) Thread.currentThread().getId() & (THREADS - 1)) * STRIDE + STRIDE;
        COUNT.setRelease(counts, at, (long) COUNT.getOpaque(counts, at) + 1);
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
     * Waits until {@code expected} jobs have run, in short parks, which leave the CPUs to the workers.
     *
     * @param expected the total to wait for
     * @throws IllegalStateException if more jobs have run than were expected
     */
    public void awaitTotal(long expected) {
        long total = total();
        while (total < expected) {
            LockSupport.parkNanos(this, POLL_NANOS);
            total = total();
        }
        if (total != expected) {
            throw new IllegalStateException("jobs run: " + total + " (expected " + expected + ")");
        }
    }
}
