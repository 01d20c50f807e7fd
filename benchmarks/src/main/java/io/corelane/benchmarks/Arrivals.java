// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.util.SplittableRandom;

/** When the jobs of an open loop arrive: nanoseconds after its start, in order, fixed before it starts. */
public final class Arrivals {
    private static final long SEED = 20_261_130;

    private final long[] nanos;

    private Arrivals(long[] nanos) {
        this.nanos = nanos;
    }

    /**
     * Independent arrivals: the gaps are exponentially distributed, the same for every subject.
     *
     * @param jobs how many
     * @param meanGapNanos the mean gap
     * @return the arrivals
     */
    public static Arrivals poisson(int jobs, double meanGapNanos) {
        SplittableRandom random = new SplittableRandom(SEED);
        long[] nanos = new long[jobs];
        double at = 0;
        for (int i = 0; i < jobs; i++) {
            at -= meanGapNanos * Math.log(1 - random.nextDouble());
            nanos[i] = (long) at;
        }
        return new Arrivals(nanos);
    }

    /**
     * Bursts: {@code size} jobs at one moment, then nothing for so long that the mean gap comes out.
     *
     * @param jobs how many in all
     * @param size how many at a time
     * @param meanGapNanos the mean gap
     * @return the arrivals
     */
    public static Arrivals bursts(int jobs, int size, double meanGapNanos) {
        long[] nanos = new long[jobs];
        for (int i = 0; i < jobs; i++) {
            int burst = i / size;
            nanos[i] = (long) (burst * size * meanGapNanos);
        }
        return new Arrivals(nanos);
    }

    int size() {
        return nanos.length;
    }

    long nanos(int job) {
        return nanos[job];
    }
}
