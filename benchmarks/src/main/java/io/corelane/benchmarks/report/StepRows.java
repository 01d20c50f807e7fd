// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import io.corelane.benchmarks.Chains;
import io.corelane.benchmarks.FanOut;
import io.corelane.benchmarks.ForkTrees;
import io.corelane.benchmarks.KeyedExecutors;
import io.corelane.benchmarks.KeyedJobs;
import io.corelane.benchmarks.Loops;
import io.corelane.benchmarks.RunCounters;
import io.corelane.benchmarks.Subjects;
import java.util.concurrent.ExecutorService;
import java.util.function.LongSupplier;

/** The rows whose work is that of a JMH class: trees of forks, chains, fan-outs, loops, keyed jobs. */
final class StepRows {
    /** The variant of {@link Row.Kind#SKYNET} in which the calling thread is none of the pool's. */
    static final String OUTSIDE = "outside";

    private static final int HOPS_OF_JOBS = 10; // a hop may take as long as a wake-up
    private static final int TREES_OF_JOBS = 1000;

    private final Task task;
    private final Row row;
    private final String subject;
    private final Rounds rounds;

    StepRows(Task task) {
        this.task = task;
        this.row = task.fork().row();
        this.subject = task.fork().subject();
        this.rounds = new Rounds(task);
    }

    /** Measures a row of one of the kinds of {@link ForkTrees}. */
    Measured trees() throws Exception {
        try (ForkTrees trees = ForkTrees.on(subject, row.workers());
                ForkTrees plain = ForkTrees.on("direct", 1)) {
            return switch (row.kind()) {
                case FIB -> {
                    long expected = plain.fib();
                    yield rounds.measure(() -> checked(expected, trees.fib(), ForkTrees.FIB_FORKS));
                }
                case SKYNET -> {
                    long expected = plain.skynet();
                    LongSupplier skynet = row.variant().equals(OUTSIDE) ? trees::skynetFromOutside : trees::skynet;
                    yield rounds.measure(() -> checked(expected, skynet.getAsLong(), 1));
                }
                default -> {
                    long expected = plain.tree();
                    int count = Math.max(1, task.jobs() / TREES_OF_JOBS);
                    yield rounds.measure(() -> {
                        for (int i = 1; i < count; i++) {
                            int ignored = checked(expected, trees.tree(), 1);
                        }
                        return checked(expected, trees.tree(), count);
                    });
                }
            };
        }
    }

    /** Returns how many forks a step of a tree has. */
    double forksPerStep() {
        return switch (row.kind()) {
            case SKYNET -> ForkTrees.SKYNET_FORKS;
            case TREE -> {
                try (ForkTrees plain = ForkTrees.on("direct", 1)) {
                    yield plain.treeForks();
                }
            }
            default -> 1;
        };
    }

    private static int checked(long expected, long result, int count) {
        if (result != expected) {
            throw new IllegalStateException("result=" + result + " (expected " + expected + ")");
        }
        return count;
    }

    Measured selfSubmission() throws Exception {
        ExecutorService pool = Subjects.create(subject, row.workers());
        try {
            return hops(pool, pool);
        } finally {
            pool.shutdownNow();
        }
    }

    Measured pingPong() throws Exception {
        ExecutorService ping = Subjects.oneOfSeveral(subject, 0);
        ExecutorService pong = Subjects.oneOfSeveral(subject, 1);
        try {
            return hops(ping, pong);
        } finally {
            ping.shutdownNow();
            pong.shutdownNow();
        }
    }

    private Measured hops(ExecutorService here, ExecutorService there) throws Exception {
        int hops = Math.max(1, task.jobs() / HOPS_OF_JOBS);
        return rounds.measure(() -> {
            Chains.run(here, there, hops);
            return hops;
        });
    }

    /** Measures a row of {@link FanOut}; the variant is how many jobs a piece has. */
    Measured fanOut() throws Exception {
        ExecutorService executor = Subjects.create(subject, row.workers());
        int width = Integer.parseInt(row.variant());
        int pieces = Math.max(1, task.jobs() / width / HOPS_OF_JOBS);
        try {
            return rounds.measure(() -> {
                long sum = 0;
                for (int i = 0; i < pieces; i++) {
                    if (row.kind() == Row.Kind.FAN_OUT_RESULTS) {
                        sum += FanOut.results(executor, width);
                    } else {
                        FanOut.counted(executor, width);
                    }
                }
                if (sum < 0) {
                    throw new IllegalStateException("sum=" + sum + " (expected none below 0)");
                }
                return pieces;
            });
        } finally {
            executor.shutdownNow();
        }
    }

    /** Measures a row of {@link Loops}; the variant is the loop's shape. */
    Measured loops() throws Exception {
        Loops loops = new Loops();
        loops.workers = row.workers();
        loops.shape = row.variant();
        loops.start();
        try {
            LongSupplier loop =
                    switch (subject) {
                        case Row.DIRECT -> loops::plain;
                        case "corelane" -> loops::corelane;
                        case "parallel-stream" -> loops::parallelStream;
                        default ->
                            throw new IllegalArgumentException(
                                    "subject=" + subject + " (expected direct, corelane or parallel-stream)");
                    };
            long expected = loops.plain();
            return rounds.measure(() -> checked(expected, loop.getAsLong(), 1));
        } finally {
            loops.stop();
        }
    }

    /** Measures a row of {@link KeyedJobs}; the variant is how many keys there are. */
    Measured keyed() throws Exception {
        RunCounters counters = new RunCounters();
        int keys = Integer.parseInt(row.variant());
        long[] expected = {0};
        try (KeyedExecutors executors = KeyedExecutors.create(subject, row.workers())) {
            return rounds.measure(() -> {
                expected[0] += task.jobs();
                KeyedJobs.submit(executors, counters, task.jobs(), keys);
                counters.awaitTotal(expected[0]);
                return task.jobs();
            });
        }
    }
}
