// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import java.util.concurrent.TimeUnit;

/**
 * A spin that takes about as long as asked on this machine, and what it was measured to take. Dependent steps cannot run
 * faster than they do undisturbed, so the fastest of several batches is the one that other work disturbed least.
 *
 * @param work the spin
 * @param measuredNanos what one spin takes when nothing disturbs it, 0 if there is none
 */
record Calibration(SpinWork work, double measuredNanos) {
    private static final int PROBE_STEPS = 1000;
    private static final int BATCHES = 30;
    private static final long BATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long WARMUP_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    @SuppressWarnings("unused") // keeps the spins from being optimised away
    private static volatile long sink;

    /** Calibrates on the calling thread; takes some 0.4 s, longer for long spins. */
    static Calibration of(long workNanos) {
        if (workNanos == 0) {
            return new Calibration(new SpinWork(0), 0);
        }
        SpinWork probe = new SpinWork(PROBE_STEPS);
        warmUp(probe);
        double stepNanos = measure(probe, BATCH_NANOS / PROBE_STEPS) / PROBE_STEPS;
        long steps = Math.round(workNanos / stepNanos);
        SpinWork work = new SpinWork((int) Math.max(1, Math.min(Integer.MAX_VALUE, steps)));
        return new Calibration(work, measure(work, Math.max(1, BATCH_NANOS / workNanos)));
    }

    private static void warmUp(SpinWork work) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < WARMUP_NANOS) {
            sink = batch(work, 100);
        }
    }

    /** Returns nanoseconds for each spin. */
    private static double measure(SpinWork work, long spins) {
        long[] nanos = new long[BATCHES];
        for (int i = 0; i < BATCHES; i++) {
            long start = System.nanoTime();
            sink = batch(work, spins);
            nanos[i] = System.nanoTime() - start;
        }
        return Spread.of(nanos).min() / spins;
    }

    private static long batch(SpinWork work, long spins) {
        long result = 0;
        for (long i = 0; i < spins; i++) {
            result += work.spin(i);
        }
        return result;
    }
}
