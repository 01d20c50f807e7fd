// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

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
 * What is the bound for {@link ExternalJobs}? The same jobs, made and run in a loop by as many threads as the pools have
 * workers, with no queue, no hand-over and no producer.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 10,
        jvmArgsAppend = {"-Xms2g", "-Xmx2g", "-XX:+AlwaysPreTouch"})
public class DirectJobs {
    /** How many threads run jobs. */
    @Param("2")
    public int workers;

    /** How long a job takes. */
    @Param("1000")
    public long jobNanos;

    private final RunCounters counters = new RunCounters();
    private @Nullable Producers threads;
    private @Nullable Work work;

    /** Starts the threads. */
    @Setup(Level.Trial)
    public void start() {
        threads = new Producers(workers);
        work = Work.calibrated(jobNanos, counters);
    }

    /** Stops them. */
    @TearDown(Level.Trial)
    public void stop() {
        if (threads != null) {
            threads.close();
        }
    }

    /**
     * A million jobs.
     *
     * @throws InterruptedException if interrupted
     */
    @Benchmark
    @OperationsPerInvocation(ExternalJobs.JOBS)
    public void run() throws InterruptedException {
        Work jobsOfThisLength = work;
        if (threads == null || jobsOfThisLength == null) {
            throw new IllegalStateException("not started");
        }
        run(threads, jobsOfThisLength, ExternalJobs.JOBS);
    }

    /**
     * Runs jobs in plain loops.
     *
     * @param threads run a share each
     * @param work makes the jobs
     * @param jobs how many; a multiple of the number of threads
     * @throws InterruptedException if interrupted while waiting
     */
    public static void run(Producers threads, Work work, int jobs) throws InterruptedException {
        threads.submit(jobs, share -> {
            for (int i = 0; i < share; i++) {
                work.newJob().run();
            }
        });
    }
}
