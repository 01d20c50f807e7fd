// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
 * What does it cost to spread a piece of work over many jobs and to wait for all of them: through their results, and
 * through a count of those that are left?
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(10)
public class FanOut {
    /** Which executor; see {@link Subjects}. */
    @Param({"corelane", "corelane-unpinned", "fjp-fifo", "fjp-lifo", "tpe-lbq", "tpe-ltq"})
    public String subject = "corelane";

    /** How many worker threads. */
    @Param("2")
    public int workers;

    /** Into how many jobs a piece is spread. */
    @Param({"10", "1000"})
    public int width;

    private @Nullable ExecutorService executor;

    /** Starts the pool. */
    @Setup(Level.Trial)
    public void start() {
        executor = Subjects.create(subject, workers);
    }

    /** Stops it. */
    @TearDown(Level.Trial)
    public void stop() {
        running().shutdownNow();
    }

    private ExecutorService running() {
        return Objects.requireNonNull(executor, "not started");
    }

    /**
     * All jobs are given to the executor at once; then their results are summed.
     *
     * @return the sum
     * @throws Exception if a job fails
     */
    @Benchmark
    public long results() throws Exception {
        return results(running(), width);
    }

    /**
     * A job spreads the others from within the pool; the last one to end tells the outside thread.
     *
     * @throws InterruptedException if interrupted
     */
    @Benchmark
    public void counted() throws InterruptedException {
        counted(running(), width);
    }

    /**
     * One piece of {@link #results()}.
     *
     * @param executor where
     * @param width how many jobs
     * @return the sum of the results
     * @throws Exception if a job fails
     */
    public static long results(ExecutorService executor, int width) throws Exception {
        List<Callable<Integer>> jobs = new ArrayList<>(width);
        for (int i = 0; i < width; i++) {
            Integer result = i & 127;
            jobs.add(() -> result);
        }
        long sum = 0;
        for (Future<Integer> result : executor.invokeAll(jobs)) {
            sum += result.get();
        }
        return sum;
    }

    /**
     * One piece of {@link #counted()}.
     *
     * @param executor where
     * @param width how many jobs beside the first
     * @throws InterruptedException if interrupted
     */
    public static void counted(ExecutorService executor, int width) throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        AtomicInteger left = new AtomicInteger(width);
        executor.execute(() -> {
            for (int i = 0; i < width; i++) {
                executor.execute(() -> {
                    if (left.decrementAndGet() == 0) {
                        ended.countDown();
                    }
                });
            }
        });
        ended.await();
    }
}
