// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.PinnedScheduler;
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
    private static final int FIB = 30;
    private static final int FIB_FORKS = 1_346_268;
    private static final int SKYNET = 1_000_000;

    /** How many workers the pools have. */
    @Param({"1", "2"})
    public int workers;

    private @Nullable PinnedScheduler scheduler;
    private @Nullable ForkJoinPool pool;

    /** A tree of 1,000 nodes. */
    private final TreeNode small = TreeNode.random(1_000);

    /** Starts the pools. */
    @Setup(Level.Trial)
    public void start() {
        scheduler = PinnedScheduler.builder().workers(workers).sharing(true).build();
        pool = new ForkJoinPool(workers);
    }

    /** Stops them. */
    @TearDown(Level.Trial)
    public void stop() {
        scheduler().close();
        pool().shutdown();
    }

    private PinnedScheduler scheduler() {
        if (scheduler == null) {
            throw new IllegalStateException("not started");
        }
        return scheduler;
    }

    private ForkJoinPool pool() {
        if (pool == null) {
            throw new IllegalStateException("not started");
        }
        return pool;
    }

    // ---- fib, without a cut-off

    /**
     * The plain recursion.
     *
     * @return the number
     */
    @Benchmark
    @OperationsPerInvocation(FIB_FORKS)
    public long fibPlain() {
        return Fib.plain(FIB);
    }

    /**
     * On a worker, as ForkJoinPool runs it.
     *
     * @return the number
     */
    @Benchmark
    @OperationsPerInvocation(FIB_FORKS)
    public long fibCorelane() {
        PinnedScheduler here = scheduler();
        return here.submit(() -> here.invoke(new Fib.Lazy(FIB))).join();
    }

    /**
     * On the calling thread and the workers.
     *
     * @return the number
     */
    @Benchmark
    @OperationsPerInvocation(FIB_FORKS)
    public long fibCorelaneCaller() {
        return scheduler().invoke(new Fib.Lazy(FIB));
    }

    /**
     * The same with RecursiveAction.
     *
     * @return the number
     */
    @Benchmark
    @OperationsPerInvocation(FIB_FORKS)
    public long fibForkJoinPool() {
        Fib.Eager root = new Fib.Eager(FIB);
        pool().invoke(root);
        return root.result;
    }

    // ---- a tree of 1,000 nodes, from outside; times are for the whole tree

    /**
     * The plain recursion.
     *
     * @return the sum of the nodes
     */
    @Benchmark
    public long tree1000Plain() {
        return small.sum();
    }

    /**
     * Forks at each node.
     *
     * @return the sum of the nodes
     */
    @Benchmark
    public long tree1000Corelane() {
        return scheduler().invoke(new TreeNode.Lazy(small));
    }

    /**
     * The same with RecursiveAction.
     *
     * @return the sum of the nodes
     */
    @Benchmark
    public long tree1000ForkJoinPool() {
        TreeNode.Eager root = new TreeNode.Eager(small);
        pool().invoke(root);
        return root.result;
    }

    // ---- skynet: ten children each, 1,000,000 leaves; times are for each leaf

    /**
     * The plain recursion.
     *
     * @return the sum of the leaves
     */
    @Benchmark
    @OperationsPerInvocation(SKYNET)
    public long skynetPlain() {
        return Skynet.plain(0, SKYNET);
    }

    /**
     * A fork for each child.
     *
     * @return the sum of the leaves
     */
    @Benchmark
    @OperationsPerInvocation(SKYNET)
    public long skynetCorelane() {
        return scheduler().invoke(new Skynet.Lazy(0, SKYNET));
    }

    /**
     * The same with RecursiveAction.
     *
     * @return the sum of the leaves
     */
    @Benchmark
    @OperationsPerInvocation(SKYNET)
    public long skynetForkJoinPool() {
        Skynet.Eager root = new Skynet.Eager(0, SKYNET);
        pool().invoke(root);
        return root.result;
    }
}
