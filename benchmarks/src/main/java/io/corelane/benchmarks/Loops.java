// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.PinnedScheduler;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
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
 * What does a parallel loop cost over a plain one, and what does it gain? The sum over a range of which each number takes
 * about the same, or the last ones far more, beside a parallel stream in a ForkJoinPool of the same size. All run as a job
 * of their pool, so that as many threads work as there are workers.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class Loops {
    private static final long NUMBERS = 20_000;

    /** How many workers the pools have. */
    @Param({"1", "2"})
    public int workers;

    /** How the work is spread. */
    @Param({"even", "skewed"})
    public String shape = "even";

    private @Nullable PinnedScheduler scheduler;
    private @Nullable ForkJoinPool pool;
    private boolean skewed;

    /** Starts the pools. */
    @Setup(Level.Trial)
    public void start() {
        skewed = shape.equals("skewed");
        scheduler = PinnedScheduler.builder().workers(workers).sharing(true).build();
        pool = new ForkJoinPool(workers);
    }

    /** Stops them. */
    @TearDown(Level.Trial)
    public void stop() {
        if (scheduler != null && pool != null) {
            scheduler.close();
            pool.shutdown();
        }
    }

    private long work(long number) {
        long rounds = skewed ? number * number / 1_000_000 : 100;
        return Work.spin((int) rounds) + number;
    }

    /**
     * The plain loop.
     *
     * @return the sum
     */
    @Benchmark
    public long plain() {
        long sum = 0;
        for (long i = 0; i < NUMBERS; i++) {
            sum += work(i);
        }
        return sum;
    }

    /**
     * A reduction of longs.
     *
     * @return the sum
     */
    @Benchmark
    public long corelane() {
        PinnedScheduler here = scheduler;
        if (here == null) {
            throw new IllegalStateException("not started");
        }
        return here.submit(() -> here.parallelReduceLong(0, NUMBERS, 0, this::work, Long::sum))
                .join();
    }

    /**
     * A parallel stream.
     *
     * @return the sum
     */
    @Benchmark
    public long parallelStream() {
        if (pool == null) {
            throw new IllegalStateException("not started");
        }
        return pool.submit(() ->
                        LongStream.range(0, NUMBERS).parallel().map(this::work).sum())
                .join();
    }
}
