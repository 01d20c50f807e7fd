// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.PinnedScheduler;
import java.util.Objects;
import java.util.concurrent.ForkJoinPool;
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
 * What does a fork with its join cost, beside plain recursion and beside ForkJoinPool? All three have the same shape: one
 * object for a fork, the other branch as a plain call. Times are for each fork.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 5,
        jvmArgsAppend = {"-Xms2g", "-Xmx2g", "-XX:+AlwaysPreTouch"})
public class ForkJoin {
    /** How many workers the pools have. */
    @Param({"1", "2"})
    public int workers;

    private final ForkTrees plain = new ForkTrees.Plain();
    private ForkTrees.@Nullable OnCorelane corelane;
    private ForkTrees.@Nullable OnForkJoinPool pool;

    /** Starts the pools. */
    @Setup(Level.Trial)
    public void start() {
        corelane = new ForkTrees.OnCorelane(
                PinnedScheduler.builder().workers(workers).sharing(true).build());
        pool = new ForkTrees.OnForkJoinPool(new ForkJoinPool(workers));
    }

    /** Stops them. */
    @TearDown(Level.Trial)
    public void stop() {
        corelane().close();
        pool().close();
    }

    private ForkTrees.OnCorelane corelane() {
        return Objects.requireNonNull(corelane, "not started");
    }

    private ForkTrees pool() {
        return Objects.requireNonNull(pool, "not started");
    }

    // ---- fib, without a cut-off

    /**
     * The plain recursion.
     *
     * @return the number
     */
    @Benchmark
    @OperationsPerInvocation(ForkTrees.FIB_FORKS)
    public long fibPlain() {
        return plain.fib();
    }

    /**
     * On a worker, as ForkJoinPool runs it.
     *
     * @return the number
     */
    @Benchmark
    @OperationsPerInvocation(ForkTrees.FIB_FORKS)
    public long fibCorelane() {
        return corelane().fib();
    }

    /**
     * On the calling thread and the workers.
     *
     * @return the number
     */
    @Benchmark
    @OperationsPerInvocation(ForkTrees.FIB_FORKS)
    public long fibCorelaneCaller() {
        return corelane().fibOnCaller();
    }

    /**
     * The same with RecursiveAction.
     *
     * @return the number
     */
    @Benchmark
    @OperationsPerInvocation(ForkTrees.FIB_FORKS)
    public long fibForkJoinPool() {
        return pool().fib();
    }

    // ---- a tree of 1,000 nodes, from outside; times are for the whole tree

    /**
     * The plain recursion.
     *
     * @return the sum of the nodes
     */
    @Benchmark
    public long tree1000Plain() {
        return plain.tree();
    }

    /**
     * Forks at each node.
     *
     * @return the sum of the nodes
     */
    @Benchmark
    public long tree1000Corelane() {
        return corelane().tree();
    }

    /**
     * The same with RecursiveAction.
     *
     * @return the sum of the nodes
     */
    @Benchmark
    public long tree1000ForkJoinPool() {
        return pool().tree();
    }

    // ---- skynet: ten children each, 1,000,000 leaves; times are for each leaf

    /**
     * The plain recursion.
     *
     * @return the sum of the leaves
     */
    @Benchmark
    @OperationsPerInvocation(ForkTrees.SKYNET_LEAVES)
    public long skynetPlain() {
        return plain.skynet();
    }

    /**
     * A fork for each child, on a worker, as ForkJoinPool runs it.
     *
     * @return the sum of the leaves
     */
    @Benchmark
    @OperationsPerInvocation(ForkTrees.SKYNET_LEAVES)
    public long skynetCorelane() {
        return corelane().skynet();
    }

    /**
     * On the calling thread and the workers.
     *
     * @return the sum of the leaves
     */
    @Benchmark
    @OperationsPerInvocation(ForkTrees.SKYNET_LEAVES)
    public long skynetCorelaneCaller() {
        return corelane().skynetFromOutside();
    }

    /**
     * The same with RecursiveAction.
     *
     * @return the sum of the leaves
     */
    @Benchmark
    @OperationsPerInvocation(ForkTrees.SKYNET_LEAVES)
    public long skynetForkJoinPool() {
        return pool().skynet();
    }
}
