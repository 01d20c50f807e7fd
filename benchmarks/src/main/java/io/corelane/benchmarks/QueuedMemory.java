// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
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
 * How much memory do a million waiting jobs take beyond the jobs themselves? All workers are held while one and the same
 * job is submitted a million times; the figure is the heap in use after a collection, before and after. Bounded queues are
 * left out. It goes to {@link SideResults}; JMH's own figure is the time of the whole.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 3)
@Fork(
        value = 3,
        jvmArgsAppend = {"-Xms2g", "-Xmx2g"})
public class QueuedMemory {
    private static final int JOBS = 1_000_000;

    /** Which executor; see {@link Subjects}. */
    @Param({"corelane", "fjp-fifo", "fjp-lifo", "tpe-lbq", "tpe-ltq", "mutex", "channel", "sharded", "netty-group"})
    public String subject = "corelane";

    /** How many worker threads. */
    @Param("2")
    public int workers;

    private @Nullable ExecutorService executor;

    /** Starts a pool for each round: some keep the memory of a burst for the next. */
    @Setup(Level.Iteration)
    public void start() {
        executor = Subjects.create(subject, workers);
    }

    /** Stops it. */
    @TearDown(Level.Iteration)
    public void stop() {
        running().shutdownNow();
    }

    private ExecutorService running() {
        return Objects.requireNonNull(executor, "not started");
    }

    /**
     * One million.
     *
     * @throws InterruptedException if interrupted
     */
    @Benchmark
    public void million() throws InterruptedException {
        SideResults.put("bytesPerJob", bytesPerJob(running(), workers), "B/job");
    }

    /**
     * Holds all workers, submits one and the same job a million times, looks at the heap, and lets all of them run.
     *
     * @param executor whose queue
     * @param workers how many workers it has
     * @return by how many bytes the heap in use has grown for each of them
     * @throws InterruptedException if interrupted
     */
    public static double bytesPerJob(Executor executor, int workers) throws InterruptedException {
        CountDownLatch held = new CountDownLatch(workers);
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch ran = new CountDownLatch(JOBS);
        Runnable holder = () -> {
            held.countDown();
            awaitQuietly(gate);
        };
        for (int i = 0; i < workers; i++) {
            executor.execute(holder);
        }
        held.await();
        long before = usedAfterCollection();
        Runnable job = ran::countDown;
        for (int i = 0; i < JOBS; i++) {
            executor.execute(job);
        }
        double bytes = (double) (usedAfterCollection() - before) / JOBS;
        gate.countDown();
        ran.await();
        return bytes;
    }

    private static void awaitQuietly(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static long usedAfterCollection() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
