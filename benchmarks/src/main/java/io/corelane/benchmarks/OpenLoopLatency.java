// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.affinity.CpuSet;
import io.corelane.affinity.ThreadAffinity;
import java.util.Objects;
import java.util.concurrent.Executor;
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
 * How late do jobs start when they arrive by themselves, whatever the pool does: at 10, 50 and 90 % load, a few at long
 * intervals, and in bursts? Arrivals are fixed beforehand and lateness counts from them (see {@link OpenLoop}). The
 * submitter spins on the first allowed CPU; the only worker is pinned to the last. {@code direct} runs the jobs in the
 * submitter: what loop, clock and machine do without a scheduler. Percentiles go to {@link SideResults}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3)
@Measurement(iterations = 5)
@Fork(10)
public class OpenLoopLatency {
    private static final double BURST_LOAD = 0.5;
    private static final double NANOS_PER_SECOND = 1e9;

    /** Which executor; see {@link Subjects#pinned}, or {@code direct}. */
    @Param({"direct", "corelane-park", "corelane", "corelane-spin", "fjp-fifo", "tpe-lbq", "tpe-ltq"})
    public String subject = "corelane";

    /** The arrivals: load in percent, {@code idle} for 100 a second, {@code bursts} of 100 at half load. */
    @Param({"10", "50", "90", "idle", "bursts"})
    public String load = "50";

    /** How long a job takes. */
    @Param("20000")
    public long jobNanos;

    /** For how long jobs arrive. */
    @Param("2000")
    public int loopMillis;

    private @Nullable ExecutorService executor;
    private @Nullable Arrivals arrivals;
    private int rounds;

    /** Starts and pins. */
    @Setup(Level.Trial)
    public void start() {
        CpuSet allowed = ThreadAffinity.get();
        executor = subject.equals("direct") ? null : Subjects.pinned(subject, allowed.last());
        ThreadAffinity.set(CpuSet.of(allowed.first()));
        rounds = Work.calibrated(jobNanos, new RunCounters()).rounds();
        arrivals = arrivals(load, jobNanos, loopMillis * 1_000_000L);
    }

    /** Stops. */
    @TearDown(Level.Trial)
    public void stop() {
        if (executor != null) {
            executor.shutdownNow();
        }
    }

    /**
     * Fixes the arrivals of a load.
     *
     * @param load as the parameter
     * @param jobNanos how long a job takes
     * @param loopNanos for how long
     * @return the arrivals
     */
    public static Arrivals arrivals(String load, long jobNanos, long loopNanos) {
        double gap =
                switch (load) {
                    case "idle" -> NANOS_PER_SECOND / 100;
                    case "bursts" -> jobNanos / BURST_LOAD;
                    default -> jobNanos / (Integer.parseInt(load) / 100.0);
                };
        int jobs = (int) Math.max(1, loopNanos / gap);
        return load.equals("bursts") ? Arrivals.bursts(jobs, 100, gap) : Arrivals.poisson(jobs, gap);
    }

    /** One loop. */
    @Benchmark
    public void loop() {
        Executor target = executor == null ? Runnable::run : executor;
        Histogram late = OpenLoop.run(target, Objects.requireNonNull(arrivals, "not started"), rounds);
        SideResults.putPercentiles(late);
    }
}
