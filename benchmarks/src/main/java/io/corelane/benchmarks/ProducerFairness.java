// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
 * Is every producer served alike? Each submits for three seconds, with at most a thousand of its jobs under way, and
 * counts how many have run. The slowest producer's share of the fastest one's count goes to {@link SideResults}. All have
 * run at least a few dozen time slices by then, so that it is not the kernel's order that is measured.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 2)
@Fork(3)
public class ProducerFairness {
    private static final int MOST_UNDER_WAY = 1000;
    private static final long DURATION_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** Which executor; see {@link Subjects}. */
    @Param({"corelane", "corelane-unpinned", "fjp-fifo", "fjp-lifo", "tpe-lbq", "tpe-ltq"})
    public String subject = "corelane";

    /** How many threads submit at the same time. */
    @Param("64")
    public int producers;

    /** How many worker threads. */
    @Param("8")
    public int workers;

    private @Nullable ExecutorService executor;

    /** Starts the pool. */
    @Setup(Level.Trial)
    public void start() {
        executor = Subjects.create(subject, workers);
    }

    /** Stops it. */
    @TearDown(Level.Trial)
    public void stop() {
        if (executor != null) {
            executor.shutdownNow();
        }
    }

    /**
     * Three seconds of submissions.
     *
     * @throws InterruptedException if interrupted
     */
    @Benchmark
    public void submitForAWhile() throws InterruptedException {
        ExecutorService pool = executor;
        if (pool == null) {
            throw new IllegalStateException("not started");
        }
        List<Producer> all = new ArrayList<>();
        long end = System.nanoTime() + DURATION_NANOS;
        for (int i = 0; i < producers; i++) {
            Producer producer = new Producer(pool, end);
            all.add(producer);
            producer.start();
        }
        List<Long> counts = new ArrayList<>();
        for (Producer producer : all) {
            producer.join();
            counts.add(producer.ran.get());
        }
        SideResults.put("fairness", (double) Collections.min(counts) / Collections.max(counts), "slowest/fastest");
    }

    /** Submits and waits its turn. */
    private static final class Producer extends Thread {
        final AtomicLong ran = new AtomicLong();
        private final ExecutorService pool;
        private final long endNanos;

        Producer(ExecutorService pool, long endNanos) {
            this.pool = pool;
            this.endNanos = endNanos;
        }

        @Override
        @SuppressWarnings("ThreadPriorityCheck") // to let the workers run
        public void run() {
            long submitted = 0;
            while (System.nanoTime() < endNanos) {
                if (submitted - ran.get() < MOST_UNDER_WAY) {
                    pool.execute(ran::incrementAndGet);
                    submitted++;
                } else {
                    Thread.yield();
                }
            }
        }
    }
}
