// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
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
 * Is every producer served alike? Each submits for three seconds, with at most {@value #WINDOW} of its jobs under way, and
 * counts how many have run. The slowest producer's share of the fastest one's count goes to {@link SideResults}.
 *
 * <p>It is the pool that must decide here and not the kernel: 64 threads that never sleep on 2 CPUs differ by a factor of
 * three to six without any pool. So a job takes a microsecond, which makes the workers the bottleneck, and a producer whose
 * window is full sleeps until half of it has run.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 2)
@Fork(3)
public class ProducerFairness {
    private static final int WINDOW = 64;
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

    /** How long a job takes. */
    @Param("1000")
    public long jobNanos;

    private @Nullable ExecutorService executor;
    private final RunCounters counters = new RunCounters();
    private @Nullable Work work;

    /** Starts the pool. */
    @Setup(Level.Trial)
    public void start() {
        executor = Subjects.create(subject, workers);
        work = Work.calibrated(jobNanos, counters);
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
        ExecutorService pool = Objects.requireNonNull(executor, "not started");
        Work jobs = Objects.requireNonNull(work, "not started");
        CountDownLatch go = new CountDownLatch(1);
        List<Producer> all = new ArrayList<>();
        for (int i = 0; i < producers; i++) {
            Producer producer = new Producer(pool, jobs.newJob(), go);
            all.add(producer);
            producer.start();
        }
        go.countDown();
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
        private final Runnable body;
        private final CountDownLatch go;
        private final Semaphore window = new Semaphore(WINDOW);

        Producer(ExecutorService pool, Runnable body, CountDownLatch go) {
            this.pool = pool;
            this.body = body;
            this.go = go;
        }

        @Override
        public void run() {
            try {
                go.await();
                long end = System.nanoTime() + DURATION_NANOS;
                while (System.nanoTime() < end) {
                    window.acquire(WINDOW / 2);
                    for (int i = 0; i < WINDOW / 2; i++) {
                        pool.execute(this::job);
                    }
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts a producer", e);
            }
        }

        private void job() {
            body.run();
            if (ran.incrementAndGet() % (WINDOW / 2) == 0) {
                window.release(WINDOW / 2);
            }
        }
    }
}
