// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import io.corelane.affinity.CpuSet;
import io.corelane.affinity.ThreadAffinity;
import io.corelane.benchmarks.Neighbour;
import io.corelane.benchmarks.OpenLoop;
import io.corelane.benchmarks.OpenLoopLatency;
import io.corelane.benchmarks.RunCounters;
import io.corelane.benchmarks.Subjects;
import io.corelane.benchmarks.Work;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** The rows of an open loop, in which jobs arrive by themselves. */
final class LatencyRows {
    /** The variant of {@link Row.Kind#NEIGHBOUR} in which there is one. */
    static final String NOISY = "noisy";

    private static final String NEIGHBOUR_LOAD = "10";
    private static final int BATCHES = 500;
    private static final int BATCH = 100;
    private static final double[] PERCENTILES = {
        0, 10, 25, 50, 75, 90, 95, 98, 99, 99.5, 99.8, 99.9, 99.95, 99.98, 99.99, 99.999, 100
    };

    private final Task task;
    private final Row row;
    private final String subject;

    LatencyRows(Task task) {
        this.task = task;
        this.row = task.fork().row();
        this.subject = task.fork().subject();
    }

    /** Measures with the submitter on the first CPU, to which the calling thread stays pinned, and the worker on the last. */
    ForkResult pinned() throws InterruptedException {
        CpuSet allowed = ThreadAffinity.get();
        int rounds = rounds();
        ExecutorService pool = subject.equals(Row.DIRECT) ? null : Subjects.pinnedIfPossible(subject, allowed.last());
        ThreadAffinity.set(CpuSet.of(allowed.first()));
        try {
            return loop(pool == null ? Runnable::run : pool, row.variant(), rounds);
        } finally {
            if (pool != null) {
                pool.shutdownNow();
            }
        }
    }

    /** Measures with submitter and workers wherever the subject or the kernel puts them, as in NoisyNeighbour. */
    ForkResult besideNeighbour() throws IOException, InterruptedException {
        int rounds = rounds();
        Neighbour neighbour = row.variant().equals(NOISY) ? Neighbour.start() : null;
        ExecutorService pool = Subjects.create(subject, row.workers());
        try {
            return loop(pool, NEIGHBOUR_LOAD, rounds);
        } finally {
            pool.shutdownNow();
            if (neighbour != null) {
                neighbour.close();
            }
        }
    }

    private int rounds() {
        return Work.calibrated(row.jobNanos(), new RunCounters()).rounds();
    }

    private ForkResult loop(Executor target, String load, int rounds) throws InterruptedException {
        compile(target);
        Histogram ignored = loop(target, load, rounds, task.warmUpMillis());
        Histogram late = loop(target, load, rounds, task.measureMillis());
        List<ForkResult.Point> curve = new ArrayList<>();
        for (double percentile : PERCENTILES) {
            curve.add(new ForkResult.Point(percentile, late.getValueAtPercentile(percentile) / 1e3));
        }
        return ForkResult.curve(
                task.fork(), late.getValueAtPercentile(row.kind().percentile()) / 1e3, curve);
    }

    /** At a low load a loop has few jobs: without these the code on their way would be interpreted for most of it. */
    private static void compile(Executor target) throws InterruptedException {
        for (int i = 0; i < BATCHES; i++) {
            CountDownLatch ended = new CountDownLatch(BATCH);
            for (int j = 0; j < BATCH; j++) {
                target.execute(ended::countDown);
            }
            ended.await();
        }
    }

    private Histogram loop(Executor target, String load, int rounds, int millis) {
        long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
        return OpenLoop.run(target, OpenLoopLatency.arrivals(load, row.jobNanos(), nanos), rounds);
    }
}
