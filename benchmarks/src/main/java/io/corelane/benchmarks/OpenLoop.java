// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Submits jobs at moments that were fixed beforehand, whatever the executor does, and notes for each how long after the
 * moment it was meant for it started. A submitter that is held up submits late and does not leave anything out, so the
 * wait of those behind it counts as well: nothing is omitted in coordination with the executor.
 */
public final class OpenLoop {
    /*
     * How it works. Each job has a place in an array, so jobs share no histogram and no counter; the submitter, who knows
     * when all have run from their places being set, records them afterwards.
     * Ordering        W1 -> R1  a job sets its place with release; the submitter reads it with acquire
     */
    private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(long[].class);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long LEAD_NANOS = 1_000_000;
    private static final long POLL_NANOS = 20_000;
    private static final int DIGITS = 3;

    private OpenLoop() {}

    /**
     * Runs one loop on the calling thread, which spins between arrivals.
     *
     * @param executor runs the jobs; {@code Runnable::run} shows what loop, clock and machine do without a scheduler
     * @param arrivals when
     * @param rounds how much each job works, see {@link Work#rounds}
     * @return nanoseconds from the moment each job was meant for until it started
     * @throws IllegalStateException if a job has not run within 30 seconds after the last submission
     */
    public static Histogram run(Executor executor, Arrivals arrivals, int rounds) {
        int jobs = arrivals.size();
        long[] late = new long[jobs]; // 0 until the job has run, then its lateness plus 1
        Runnable[] prepared = new Runnable[jobs];
        long start = System.nanoTime() + LEAD_NANOS + jobs * 20L; // making the jobs takes part of it
        for (int i = 0; i < jobs; i++) {
            prepared[i] = new Job(late, i, start + arrivals.nanos(i), rounds);
        }
        for (int i = 0; i < jobs; i++) {
            long due = start + arrivals.nanos(i);
            while (System.nanoTime() - due < 0) {
                Thread.onSpinWait();
            }
            executor.execute(prepared[i]);
        }
        return record(late);
    }

    /** What is done at an arrival. */
    @FunctionalInterface
    public interface Arrival {
        /**
         * Called at the moment of an arrival, or as soon after it as the one before allowed.
         *
         * @param number which arrival, from 0
         * @param due the moment it was meant for, in the time of {@link System#nanoTime}
         */
        void at(int number, long due);
    }

    /**
     * Does something at each arrival, on the calling thread, which spins in between. What it does has to note the lateness.
     *
     * @param arrivals when
     * @param arrival what
     */
    public static void run(Arrivals arrivals, Arrival arrival) {
        long start = System.nanoTime() + LEAD_NANOS;
        for (int i = 0; i < arrivals.size(); i++) {
            long due = start + arrivals.nanos(i);
            while (System.nanoTime() - due < 0) {
                Thread.onSpinWait();
            }
            arrival.at(i, due);
        }
    }

    private static Histogram record(long[] late) {
        Histogram histogram = new Histogram(DIGITS);
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        for (int i = 0; i < late.length; i++) {
            long value = (long) PLACE.getAcquire(late, i); // [R1]
            while (value == 0) {
                if (System.nanoTime() - deadline > 0) {
                    throw new IllegalStateException("job " + i + " of " + late.length + " has not run within 30 s");
                }
                LockSupport.parkNanos(POLL_NANOS);
                value = (long) PLACE.getAcquire(late, i);
            }
            histogram.recordValue(value - 1);
        }
        return histogram;
    }

    /** Notes its own start, then works. */
    private static final class Job implements Runnable {
        private final long[] late;
        private final int place;
        private final long due;
        private final int rounds;

        Job(long[] late, int place, long due, int rounds) {
            this.late = late;
            this.place = place;
            this.due = due;
            this.rounds = rounds;
        }

        @Override
        public void run() {
            long value = Math.max(0, System.nanoTime() - due) + 1;
            if (rounds != 0 && Work.spin(rounds) == 0) {
                throw new IllegalStateException("xorshift never reaches 0");
            }
            PLACE.setRelease(late, place, value); // [W1] after the work: a job that is noted has ended
        }
    }
}
