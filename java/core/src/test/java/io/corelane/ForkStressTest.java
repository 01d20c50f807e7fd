// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.internal.worker.Insider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random trees from several threads at once, with failures, cancellation, other jobs and dying workers. */
@Timeout(300)
class ForkStressTest {
    private static final int MOST_NODES = 3_000;

    private static final class Planned extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Planned(int node) {
            super("node " + node);
        }
    }

    /** A tree that is decided by its seed: node i of it does the same in every run. */
    private static final class Tree {
        final PinnedScheduler scheduler;
        final long seed;
        final int failingNode;
        final AtomicInteger nodes = new AtomicInteger();
        final AtomicIntegerArray runs = new AtomicIntegerArray(MOST_NODES);
        final AtomicInteger inside = new AtomicInteger();
        final AtomicInteger failures = new AtomicInteger();

        Tree(PinnedScheduler scheduler, long seed, int failingNode) {
            this.scheduler = scheduler;
            this.seed = seed;
            this.failingNode = failingNode;
        }
    }

    /** Its result is the number of nodes below and including it. */
    private static final class Node extends LongFork {
        final Tree tree;
        final int index;
        final int depth;

        Node(Tree tree, int index, int depth) {
            this.tree = tree;
            this.index = index;
            this.depth = depth;
        }

        @Override
        protected long compute() {
            tree.inside.incrementAndGet();
            tree.runs.incrementAndGet(index);
            try {
                return grow(new Random(tree.seed * 31 + index));
            } finally {
                tree.inside.decrementAndGet();
            }
        }

        private long grow(Random random) {
            List<Node> children = new ArrayList<>();
            int wanted = depth == 0 ? 0 : random.nextInt(5);
            for (int i = 0; i < wanted; i++) {
                int child = tree.nodes.incrementAndGet();
                if (child < MOST_NODES) {
                    Node node = new Node(tree, child, depth - 1);
                    node.fork();
                    children.add(node);
                }
            }
            if (index == tree.failingNode) {
                tree.failures.incrementAndGet();
                throw new Planned(index);
            }
            long sum = 1 + (random.nextInt(50) == 0 ? other(random) : 0);
            if (random.nextBoolean()) {
                Collections.reverse(children);
            } else if (random.nextInt(4) == 0) {
                Collections.shuffle(children, random);
            }
            for (Node child : children) {
                sum += child.join();
            }
            return sum;
        }

        /** Something that is no fork; 0 in the end. */
        private long other(Random random) {
            switch (random.nextInt(4)) {
                case 0 -> tree.scheduler.execute(() -> {});
                case 1 -> {
                    return tree.scheduler.submit(() -> 0L).join();
                }
                case 2 -> {
                    try {
                        return tree.scheduler.blocking(() -> 0L);
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                }
                default -> Thread.yield();
            }
            return 0;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, FIFO, OWN",
        "1, LIFO, OWN",
        "2, FIFO, OWN",
        "2, LIFO, OWN",
        "64, FIFO, OWN",
        "64, LIFO, OWN",
        "2, FIFO, ANY",
        "2, LIFO, AWAITED",
        "64, LIFO, ANY"
    })
    void everyNodeOfARandomTreeRunsOnceAndAFailureComesOnce(int workers, LocalOrder order, JoinHelp help)
            throws Exception {
        long seed = System.nanoTime();
        System.out.println("ForkStressTest seed " + seed);
        PinnedScheduler scheduler =
                Schedulers.unpinned(workers).localOrder(order).joinHelp(help).build();
        Insider insider = Insider.of(scheduler);
        Stress.Threads threads = new Stress.Threads();
        AtomicInteger deaths = new AtomicInteger();
        for (int t = 0; t < 3; t++) {
            Random random = new Random(seed + t);
            threads.start("client " + t, () -> {
                for (int round = 0; round < Stress.scaled(60); round++) {
                    Tree tree =
                            new Tree(scheduler, random.nextLong(), random.nextInt(3) == 0 ? random.nextInt(200) : -1);
                    switch (random.nextInt(3)) {
                        case 0 -> check(tree, () -> scheduler.invoke(new Node(tree, 0, 7)));
                        case 1 -> check(tree, scheduler.submit(() -> scheduler.invoke(new Node(tree, 0, 7)))::join);
                        default -> cancelled(tree, random);
                    }
                    if (help != JoinHelp.ANY && random.nextInt(10) == 0 && insider.kill()) {
                        deaths.incrementAndGet();
                    }
                }
            });
        }
        threads.join(scheduler::dump);
        assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(60)))
                .as(scheduler.dump())
                .isTrue();
        ForkCounts forks = scheduler.stats().forks();
        System.out.println(workers + " workers: " + forks + ", deaths " + deaths);
        assertThat(forks.taken()).isLessThanOrEqualTo(forks.shared());
        Schedulers.end(scheduler);
    }

    private static void check(Tree tree, java.util.function.LongSupplier run) {
        try {
            long result = run.getAsLong();
            assertThat(tree.failures).hasValue(0);
            assertEachRanOnce(tree, result);
        } catch (Planned failure) {
            assertFailedOnce(tree, failure);
        } catch (JobFailedException failed) {
            assertThat(failed).hasCauseInstanceOf(Planned.class);
            assertFailedOnce(tree, failed.getCause());
        }
        assertThat(tree.inside).as("bodies that still run").hasValue(0);
    }

    private static void assertEachRanOnce(Tree tree, long result) {
        int nodes = Math.min(MOST_NODES, tree.nodes.get() + 1);
        assertThat(result).isEqualTo(nodes);
        for (int i = 0; i < nodes; i++) {
            assertThat(tree.runs.get(i)).isEqualTo(1);
        }
    }

    private static void assertFailedOnce(Tree tree, Throwable failure) {
        assertThat(failure).hasMessage("node " + tree.failingNode);
        assertThat(tree.failures).hasValue(1);
        for (int i = 0; i < MOST_NODES; i++) {
            assertThat(tree.runs.get(i)).isLessThanOrEqualTo(1);
        }
    }

    private static void cancelled(Tree tree, Random random) throws Exception {
        JobHandle<Long> job = tree.scheduler.submit(() -> tree.scheduler.invoke(new Node(tree, 0, 7)));
        for (int spins = random.nextInt(2_000); spins > 0; spins--) {
            Thread.onSpinWait();
        }
        if (!job.cancel(random.nextBoolean())) {
            check(tree, job::join);
            return;
        }
        assertThat(job.outcome()).isInstanceOf(Outcome.Cancelled.class);
        Stress.await(() -> tree.inside.get() == 0, () -> "cancelled tree goes on: " + tree.scheduler.dump());
        for (int i = 0; i < MOST_NODES; i++) {
            assertThat(tree.runs.get(i)).isLessThanOrEqualTo(1);
        }
        try {
            job.join();
            throw new AssertionError("a cancelled job has a result");
        } catch (CancellationException expected) {
            // as it should be
        }
    }
}
