// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.util.concurrent.CountDownLatch;
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
 * What does one hop of a chain cost, in which each job submits the next: to its own pool, and to and fro between two
 * pools of one worker each?
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(10)
public class Chains {
    private static final int HOPS = 100_000;

    /** Which executor; see {@link Subjects}. */
    @Param({"corelane", "corelane-unpinned", "corelane-spin", "fjp-fifo", "fjp-lifo", "tpe-lbq", "tpe-ltq"})
    public String subject = "corelane";

    /** How many workers the pool of {@link #selfSubmission} has. */
    @Param({"1", "2"})
    public int workers;

    private @Nullable ExecutorService pool;
    private @Nullable ExecutorService ping;
    private @Nullable ExecutorService pong;

    /** Starts the pools. */
    @Setup(Level.Trial)
    public void start() {
        pool = Subjects.create(subject, workers);
        ping = Subjects.oneOfSeveral(subject, 0);
        pong = Subjects.oneOfSeveral(subject, 1);
    }

    /** Stops them. */
    @TearDown(Level.Trial)
    public void stop() {
        for (ExecutorService executor : new ExecutorService[] {running(pool), running(ping), running(pong)}) {
            executor.shutdownNow();
        }
    }

    /** Each job submits the next one to the pool that runs it. */
    @Benchmark
    @OperationsPerInvocation(HOPS)
    public void selfSubmission() throws InterruptedException {
        run(running(pool), running(pool), HOPS);
    }

    /** Each job submits the next one to the other pool. */
    @Benchmark
    @OperationsPerInvocation(HOPS)
    public void pingPong() throws InterruptedException {
        run(running(ping), running(pong), HOPS);
    }

    /**
     * Runs a chain.
     *
     * @param here where it begins
     * @param there where every other job runs; may be the same
     * @param hops how many jobs
     * @throws InterruptedException if interrupted while waiting
     */
    public static void run(ExecutorService here, ExecutorService there, int hops) throws InterruptedException {
        Hop hop = new Hop(here, there, hops);
        here.execute(hop);
        hop.end.await();
    }

    private static ExecutorService running(@Nullable ExecutorService executor) {
        if (executor == null) {
            throw new IllegalStateException("not started");
        }
        return executor;
    }

    /** The only job: it is in one queue at a time. */
    private static final class Hop implements Runnable {
        final ExecutorService here;
        final ExecutorService there;
        final CountDownLatch end = new CountDownLatch(1);
        private int left;

        Hop(ExecutorService here, ExecutorService there, int hops) {
            this.here = here;
            this.there = there;
            this.left = hops;
        }

        @Override
        public void run() {
            left--;
            if (left == 0) {
                end.countDown();
            } else {
                ((left & 1) == 0 ? here : there).execute(this);
            }
        }
    }
}
