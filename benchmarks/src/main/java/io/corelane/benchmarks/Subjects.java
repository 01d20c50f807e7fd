// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.IdlePolicy;
import io.corelane.PinnedScheduler;
import io.corelane.affinity.Pinning;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The executors that the benchmarks compare, by name. */
public final class Subjects {
    private Subjects() {}

    /**
     * Makes an executor.
     *
     * @param name one of the names below
     * @param workers how many worker threads
     * @return the running executor
     */
    public static ExecutorService create(String name, int workers) {
        return switch (name) {
            case "corelane" -> corelane(workers).build();
            case "corelane-unpinned" -> corelane(workers).pinning(Pinning.OFF).build();
            case "corelane-park" -> corelane(workers).idle(IdlePolicy.park()).build();
            case "corelane-spin" ->
                corelane(workers).idle(IdlePolicy.busySpin()).build();
            case "fjp-fifo" -> forkJoinPool(workers, true);
            case "fjp-lifo" -> forkJoinPool(workers, false);
            case "tpe-lbq" -> Executors.newFixedThreadPool(workers);
            case "tpe-ltq" ->
                new ThreadPoolExecutor(workers, workers, 0, TimeUnit.SECONDS, new LinkedTransferQueue<>());
            default -> throw new IllegalArgumentException("subject=" + name + " (expected a name of Subjects.create)");
        };
    }

    private static PinnedScheduler.Builder corelane(int workers) {
        return PinnedScheduler.builder().workers(workers).sharing(true);
    }

    private static ForkJoinPool forkJoinPool(int workers, boolean fifo) {
        return new ForkJoinPool(workers, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, fifo);
    }
}
