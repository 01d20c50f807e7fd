// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What do pins do to the tail when another process competes for the CPUs? A neighbour spins on the first half of the
 * allowed CPUs, at least one; jobs arrive by themselves at 10 % load, as in {@link OpenLoopLatency}, and the submitter may
 * run anywhere. The kernel can move an unpinned worker away from the neighbour and a pinned one not, so this may well be
 * lost. Percentiles go to {@link SideResults}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3)
@Measurement(iterations = 5)
@Fork(10)
public class NoisyNeighbour {
    /** Which executor; see {@link Subjects}. */
    @Param({"corelane", "corelane-unpinned", "fjp-fifo", "tpe-lbq"})
    public String subject = "corelane";

    /** How many worker threads. */
    @Param("2")
    public int workers;

    /** Whether there is a neighbour. */
    @Param({"true", "false"})
    public boolean neighbour;

    private static final long JOB_NANOS = 20_000;
    private static final long LOOP_NANOS = 2_000_000_000;

    private @Nullable ExecutorService executor;
    private @Nullable Neighbour process;
    private int rounds;

    /**
     * Starts pool and neighbour.
     *
     * @throws IOException if the neighbour cannot be started
     */
    @Setup(Level.Trial)
    public void start() throws IOException {
        rounds = Work.calibrated(JOB_NANOS, new RunCounters()).rounds();
        executor = Subjects.create(subject, workers);
        process = neighbour ? Neighbour.start() : null;
    }

    /** Stops them. */
    @TearDown(Level.Trial)
    public void stop() {
        if (process != null) {
            process.close();
        }
        if (executor != null) {
            executor.shutdownNow();
        }
    }

    /** One loop. */
    @Benchmark
    public void loop() {
        Arrivals arrivals = OpenLoopLatency.arrivals("10", JOB_NANOS, LOOP_NANOS);
        Histogram late = OpenLoop.run(Objects.requireNonNull(executor, "not started"), arrivals, rounds);
        SideResults.putPercentiles(late);
    }
}
