// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

/**
 * Makes jobs of a given length: dependent xorshift rounds, which no compiler can shorten, calibrated on the running
 * machine.
 */
public final class Work {
    private static final int CALIBRATION_ROUNDS = 2_000_000;

    private final RunCounters counters;
    private final int rounds;

    private Work(RunCounters counters, int rounds) {
        this.counters = counters;
        this.rounds = rounds;
    }

    /**
     * Finds out how many rounds take {@code nanos}.
     *
     * @param nanos length of a job, 0 for an empty one; at most about a second
     * @param counters counts the jobs
     * @return a maker of such jobs
     * @throws IllegalArgumentException if that is too long for an int of rounds
     */
    public static Work calibrated(long nanos, RunCounters counters) {
        if (nanos == 0) {
            return new Work(counters, 0);
        }
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 20; i++) {
            long start = System.nanoTime();
            spin(CALIBRATION_ROUNDS);
            best = Math.min(best, System.nanoTime() - start);
        }
        long rounds = Math.max(1, nanos * CALIBRATION_ROUNDS / best);
        if (rounds > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("jobNanos=" + nanos + " (expected at most "
                    + Integer.MAX_VALUE * best / CALIBRATION_ROUNDS + " on this machine)");
        }
        return new Work(counters, (int) rounds);
    }

    /**
     * Makes a job that works and counts itself.
     *
     * @return a new object
     */
    public Runnable newJob() {
        return new Job(this);
    }

    /**
     * Returns how many rounds a job of the given length has.
     *
     * @return 0 for an empty one
     */
    public int rounds() {
        return rounds;
    }

    /** Runs dependent rounds and returns what they come to, so that they are not optimised away. */
    static long spin(int rounds) {
        long x = rounds | 1L;
        for (int i = 0; i < rounds; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private record Job(Work work) implements Runnable {
        @Override
        public void run() {
            if (work.rounds != 0 && spin(work.rounds) == 0) {
                throw new IllegalStateException("xorshift never reaches 0");
            }
            work.counters.increment();
        }
    }
}
