// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.affinity.CpuSet;
import io.corelane.affinity.ThreadAffinity;
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
 * How long from the call of {@code execute} until the job starts, with the submitter on the first allowed CPU and the
 * only worker on the last? One job at a time; the next is submitted {@link #gapMicros} after the last one has started, so
 * a worker that parks at once is parked again. The percentiles go to {@link SideResults}; JMH's own figure is the time of
 * the whole round with its gaps.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 8)
@Measurement(iterations = 5)
@Fork(10)
public class DispatchLatency {
    private static final int SAMPLES = 20_000;

    /** Which executor; see {@link Subjects#pinned}. */
    @Param({
        "raw-park",
        "corelane-park",
        "corelane",
        "fjp-fifo",
        "tpe-lbq",
        "tpe-ltq",
        "raw-spin",
        "corelane-spin",
        "corelane-50us"
    })
    public String subject = "corelane";

    /** Pause between two jobs. */
    @Param("20")
    public int gapMicros;

    private @Nullable ExecutorService executor;
    private final Sample sample = new Sample();

    /** The job; one object, so that nothing is allocated between the two readings of the clock. */
    private static final class Sample implements Runnable {
        volatile long startNanos;

        @Override
        public void run() {
            startNanos = System.nanoTime();
        }
    }

    /** Starts and pins. */
    @Setup(Level.Trial)
    public void start() {
        CpuSet allowed = ThreadAffinity.get();
        executor = Subjects.pinned(subject, allowed.last());
        ThreadAffinity.set(CpuSet.of(allowed.first()));
    }

    /** Stops. */
    @TearDown(Level.Trial)
    public void stop() {
        if (executor != null) {
            executor.shutdownNow();
        }
    }

    /** Twenty thousand hand-overs. */
    @Benchmark
    public void handOver() {
        ExecutorService pool = executor;
        if (pool == null) {
            throw new IllegalStateException("not started");
        }
        Histogram dispatch = new Histogram(3);
        Histogram call = new Histogram(3);
        long next = System.nanoTime();
        for (int i = 0; i < SAMPLES; i++) {
            while (System.nanoTime() < next) {
                Thread.onSpinWait();
            }
            sample.startNanos = 0;
            long before = System.nanoTime();
            pool.execute(sample);
            long after = System.nanoTime();
            long started = sample.startNanos;
            while (started == 0) {
                Thread.onSpinWait();
                started = sample.startNanos;
            }
            dispatch.recordValue(Math.max(0, started - before));
            call.recordValue(after - before);
            next = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(gapMicros);
        }
        for (double percentile : new double[] {50, 90, 99, 99.9}) {
            SideResults.put("p" + percentile, (double) dispatch.getValueAtPercentile(percentile), "ns");
        }
        SideResults.put("call.p50", (double) call.getValueAtPercentile(50), "ns");
    }
}
