// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How many jobs per second go from outside threads through a pool? Each job is a fresh Runnable; an operation ends when
 * the last of a million jobs has run.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 10,
        jvmArgsAppend = {"-Xms2g", "-Xmx2g", "-XX:+AlwaysPreTouch"})
public class ExternalJobs {
    static final int JOBS = 1_000_000;

    /** Which executor; see {@link Subjects}. */
    @Param({"corelane", "corelane-unpinned", "fjp-fifo", "fjp-lifo", "tpe-lbq", "tpe-ltq"})
    public String subject = "corelane";

    /** How many worker threads. */
    @Param("2")
    public int workers;

    /** How many threads submit at the same time. */
    @Param("1")
    public int producers;

    /** How long a job takes: 0 for empty jobs. */
    @Param("0")
    public long jobNanos;

    private final RunCounters counters = new RunCounters();
    private long expected;
    private @Nullable Running running;

    /** What a trial holds. */
    private record Running(ExecutorService executor, Producers producers, Work work) {}

    /** Starts the pool and the producers. */
    @Setup(Level.Trial)
    public void start() {
        running = new Running(
                Subjects.create(subject, workers), new Producers(producers), Work.calibrated(jobNanos, counters));
    }

    /** Stops them. */
    @TearDown(Level.Trial)
    public void stop() {
        running().producers.close();
        running().executor.shutdownNow();
    }

    /**
     * A million jobs.
     *
     * @throws InterruptedException if interrupted
     */
    @Benchmark
    @OperationsPerInvocation(JOBS)
    public void execute() throws InterruptedException {
        Running now = running();
        expected += (long) JOBS / producers * producers;
        now.producers.submit(JOBS, jobs -> {
            for (int i = 0; i < jobs; i++) {
                now.executor.execute(now.work.newJob());
            }
        });
        counters.awaitTotal(expected);
    }

    private Running running() {
        Running now = running;
        if (now == null) {
            throw new IllegalStateException("not started");
        }
        return now;
    }
}
