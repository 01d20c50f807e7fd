// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
 * How often do workers go to sleep for each job: at 100 jobs a second, in bursts of a thousand each 10 ms, and when there
 * is nothing to do? Counted as the voluntary context switches of all threads of the process but the submitter, as the
 * kernel tells them; the JVM's own threads are in it, and {@code quiet} shows how much they make. The counts go to
 * {@link SideResults}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2)
@Measurement(iterations = 3)
@Fork(3)
public class WakeUps {
    private static final int ROUNDS = 200;
    private static final long PERIOD_NANOS = 10_000_000;

    /** Which executor; see {@link Subjects}. */
    @Param({"corelane", "corelane-park", "fjp-fifo", "fjp-lifo", "tpe-lbq", "tpe-ltq"})
    public String subject = "corelane";

    /** How many jobs are submitted each 10 ms. */
    @Param({"0", "1", "1000"})
    public int burst;

    /** How many worker threads. */
    @Param("2")
    public int workers;

    private final RunCounters counters = new RunCounters();
    private @Nullable ExecutorService executor;
    private long expected;

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
     * Two seconds of that pattern.
     *
     * @throws IOException if the kernel does not tell the counts
     */
    @Benchmark
    public void pattern() throws IOException {
        ExecutorService pool = executor;
        if (pool == null) {
            throw new IllegalStateException("not started");
        }
        Work work = Work.calibrated(0, counters);
        long before = ContextSwitches.ofOthers().voluntary();
        long next = System.nanoTime();
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < burst; i++) {
                pool.execute(work.newJob());
            }
            next += PERIOD_NANOS;
            while (System.nanoTime() < next) {
                LockSupport.parkNanos(next - System.nanoTime());
            }
        }
        expected += (long) ROUNDS * burst;
        counters.awaitTotal(expected);
        long switches = ContextSwitches.ofOthers().voluntary() - before;
        SideResults.put("switchesPerSecond", switches / (ROUNDS * PERIOD_NANOS / 1e9), "1/s");
        if (burst > 0) {
            SideResults.put("switchesPerJob", (double) switches / ROUNDS / burst, "1/job");
        }
    }
}
