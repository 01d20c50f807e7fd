// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.PinnedScheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
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
 * How many jobs per second go from outside threads through a pool: one by one, in batches, and with a handle each? Each
 * job is a fresh object unless {@link #fresh} says otherwise; an operation ends when the last of a million jobs has run.
 * {@link DirectJobs} has the bound.
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
    private static final int BATCH = 1000;

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

    /** Whether each job is a new object, instead of one and the same; a submitted one always is. */
    @Param("true")
    public boolean fresh;

    private RunCounters counters = new RunCounters();
    private final Future<?>[] handles = new Future<?>[JOBS];
    private long expected;
    private @Nullable Running running;

    /** What a trial holds. */
    private record Running(ExecutorService executor, Producers producers, Work work) {}

    /** Starts the pool and the producers. */
    @Setup(Level.Trial)
    public void start() {
        counters = new RunCounters(Subjects.hasThreadPerJob(subject));
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
     * A million jobs, one by one.
     *
     * @throws InterruptedException if interrupted
     */
    @Benchmark
    @OperationsPerInvocation(JOBS)
    public void execute() throws InterruptedException {
        Running now = running();
        expected += (long) JOBS / producers * producers;
        Runnable shared = now.work.newJob();
        now.producers.submit(JOBS, jobs -> {
            for (int i = 0; i < jobs; i++) {
                now.executor.execute(fresh ? now.work.newJob() : shared);
            }
        });
        counters.awaitTotal(expected);
    }

    /**
     * A million jobs in batches of a thousand; for executors that have no batches the same jobs one by one.
     *
     * @throws InterruptedException if interrupted
     */
    @Benchmark
    @OperationsPerInvocation(JOBS)
    public void executeAll() throws InterruptedException {
        Running now = running();
        expected += (long) JOBS / producers * producers;
        Runnable shared = now.work.newJob();
        now.producers.submit(
                JOBS, jobs -> submitInBatches(now.executor, jobs, () -> fresh ? now.work.newJob() : shared));
        counters.awaitTotal(expected);
    }

    /**
     * Submits jobs in batches of a thousand, or one by one to an executor that has no batches.
     *
     * @param executor to whom
     * @param jobs how many
     * @param maker makes each of them
     */
    public static void submitInBatches(ExecutorService executor, int jobs, Supplier<Runnable> maker) {
        List<Runnable> batch = new ArrayList<>(BATCH);
        for (int i = 0; i < jobs; i++) {
            batch.add(maker.get());
            if (batch.size() == BATCH || i == jobs - 1) {
                if (executor instanceof PinnedScheduler scheduler) {
                    scheduler.executeAll(batch);
                } else {
                    batch.forEach(executor::execute);
                }
                batch.clear();
            }
        }
    }

    /**
     * A million jobs with a result, from one producer: all are submitted, then each result is fetched.
     *
     * @return the sum of the results
     * @throws Exception if a job fails
     */
    @Benchmark
    @OperationsPerInvocation(JOBS)
    public long submit() throws Exception {
        ExecutorService executor = running().executor;
        for (int i = 0; i < JOBS; i++) {
            Integer result = i & 127; // from the cache of small ones, so that it costs no memory of its own
            handles[i] = executor.submit(() -> result);
        }
        long sum = 0;
        for (int i = 0; i < JOBS; i++) {
            sum += (Integer) handles[i].get();
        }
        return sum;
    }

    private Running running() {
        Running now = running;
        if (now == null) {
            throw new IllegalStateException("not started");
        }
        return now;
    }
}
