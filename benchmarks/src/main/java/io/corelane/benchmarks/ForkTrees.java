// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.PinnedScheduler;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;

/**
 * The trees of {@link ForkJoin}, on Corelane, on ForkJoinPool or as plain recursion. All have the same shape: one object for
 * a fork, the last branch as a plain call.
 */
public abstract class ForkTrees implements AutoCloseable {
    /** How many forks {@link #fib} has. */
    public static final int FIB_FORKS = 1_346_268;

    /** How many leaves {@link #skynet} has. */
    public static final int SKYNET_LEAVES = 1_000_000;

    /** How many forks {@link #skynet} has: one for each part, leaf or not, but the root. */
    public static final int SKYNET_FORKS = 1_111_110;

    private static final int FIB = 30;
    private static final int TREE_NODES = 1_000;

    private final TreeNode small = TreeNode.random(TREE_NODES);

    private ForkTrees() {}

    /**
     * Starts a subject.
     *
     * @param subject {@code direct}, or a name of {@link Subjects#create} that makes a Corelane scheduler or a ForkJoinPool
     * @param workers how many workers; plain recursion has none
     * @return the trees on it
     */
    public static ForkTrees on(String subject, int workers) {
        if (subject.equals("direct")) {
            return new Plain();
        }
        ExecutorService executor = Subjects.create(subject, workers);
        if (executor instanceof PinnedScheduler scheduler) {
            return new OnCorelane(scheduler);
        }
        if (executor instanceof ForkJoinPool pool) {
            return new OnForkJoinPool(pool);
        }
        executor.shutdownNow();
        throw new IllegalArgumentException(
                "subject=" + subject + " (expected direct, corelane or fjp and forms of them)");
    }

    /**
     * Fibonacci number 30 without a cut-off, as a job of the pool, so that as many threads work as there are workers.
     *
     * @return the number
     */
    public abstract long fib();

    /**
     * A tree of 1,000 nodes, called from outside.
     *
     * @return the sum of the nodes
     */
    public abstract long tree();

    /**
     * Returns how many forks {@link #tree} has.
     *
     * @return one for each node with a left child
     */
    public int treeForks() {
        return small.forks();
    }

    /**
     * Ten children each, 1,000,000 leaves, as a job of the pool.
     *
     * @return the sum of the leaves
     */
    public abstract long skynet();

    /**
     * The same called from outside, where Corelane's caller works along.
     *
     * @return the sum of the leaves
     */
    public long skynetFromOutside() {
        return skynet();
    }

    @Override
    public abstract void close();

    /** Plain recursion. */
    static final class Plain extends ForkTrees {
        @Override
        public long fib() {
            return Fib.plain(FIB);
        }

        @Override
        public long tree() {
            return super.small.sum();
        }

        @Override
        public long skynet() {
            return Skynet.plain(0, SKYNET_LEAVES);
        }

        @Override
        public void close() {}
    }

    /** Forks of Corelane. */
    static final class OnCorelane extends ForkTrees {
        private final PinnedScheduler scheduler;

        OnCorelane(PinnedScheduler scheduler) {
            this.scheduler = scheduler;
        }

        @Override
        public long fib() {
            return scheduler.submit(this::fibOnCaller).join();
        }

        /** On the calling thread and the workers. */
        long fibOnCaller() {
            return scheduler.invoke(new Fib.Lazy(FIB));
        }

        @Override
        public long tree() {
            return scheduler.invoke(new TreeNode.Lazy(super.small));
        }

        @Override
        public long skynet() {
            return scheduler.submit(this::skynetFromOutside).join();
        }

        @Override
        public long skynetFromOutside() {
            return scheduler.invoke(new Skynet.Lazy(0, SKYNET_LEAVES));
        }

        @Override
        public void close() {
            scheduler.close();
        }
    }

    /** The same with RecursiveAction. */
    static final class OnForkJoinPool extends ForkTrees {
        private final ForkJoinPool pool;

        OnForkJoinPool(ForkJoinPool pool) {
            this.pool = pool;
        }

        @Override
        public long fib() {
            Fib.Eager root = new Fib.Eager(FIB);
            pool.invoke(root);
            return root.result;
        }

        @Override
        public long tree() {
            TreeNode.Eager root = new TreeNode.Eager(super.small);
            pool.invoke(root);
            return root.result;
        }

        @Override
        public long skynet() {
            Skynet.Eager root = new Skynet.Eager(0, SKYNET_LEAVES);
            pool.invoke(root);
            return root.result;
        }

        @Override
        public void close() {
            pool.shutdown();
        }
    }
}
