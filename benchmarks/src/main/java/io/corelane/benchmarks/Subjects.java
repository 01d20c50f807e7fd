// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.IdlePolicy;
import io.corelane.PinnedScheduler;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.PinnedThreadFactory;
import io.corelane.affinity.Pinning;
import io.corelane.affinity.ThreadAffinity;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
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

    /**
     * Makes one of several executors of one worker that run at the same time, on different CPUs if they are pinned.
     *
     * @param name one of the names above
     * @param number which of the executors, from 0
     * @return the running executor
     */
    public static ExecutorService oneOfSeveral(String name, int number) {
        if (!name.startsWith("corelane") || name.equals("corelane-unpinned")) {
            return create(name, 1);
        }
        int[] allowed = ThreadAffinity.get().toArray();
        return pinned(name, allowed[number % allowed.length]);
    }

    /**
     * Makes an executor of one worker that is pinned to a CPU, for measurements of hand-overs.
     *
     * @param name one of the names below
     * @param cpu where to pin its worker
     * @return the running executor
     */
    public static ExecutorService pinned(String name, int cpu) {
        CpuSet cpus = CpuSet.of(cpu);
        return switch (name) {
            case "corelane" -> PinnedScheduler.builder().cpus(cpus).build();
            case "corelane-park" ->
                PinnedScheduler.builder().cpus(cpus).idle(IdlePolicy.park()).build();
            case "corelane-50us" ->
                PinnedScheduler.builder()
                        .cpus(cpus)
                        .idle(IdlePolicy.spinThenPark(Duration.ofNanos(50_000)))
                        .build();
            case "corelane-spin" ->
                PinnedScheduler.builder().cpus(cpus).idle(IdlePolicy.busySpin()).build();
            case "fjp-fifo" -> new ForkJoinPool(1, pool -> new PinnedForkJoinThread(pool, cpu), null, true);
            case "tpe-lbq" -> Executors.newFixedThreadPool(1, PinnedThreadFactory.of("peer", cpus));
            case "tpe-ltq" ->
                new ThreadPoolExecutor(
                        1, 1, 0, TimeUnit.SECONDS, new LinkedTransferQueue<>(), PinnedThreadFactory.of("peer", cpus));
            case "raw-park" -> new RawHandOff(cpu, false);
            case "raw-spin" -> new RawHandOff(cpu, true);
            default -> throw new IllegalArgumentException("subject=" + name + " (expected a name of Subjects.pinned)");
        };
    }

    /** A worker of a ForkJoinPool that pins itself. */
    private static final class PinnedForkJoinThread extends ForkJoinWorkerThread {
        private final int cpu;

        PinnedForkJoinThread(ForkJoinPool pool, int cpu) {
            super(pool);
            this.cpu = cpu;
        }

        @Override
        protected void onStart() {
            ThreadAffinity.set(CpuSet.of(cpu));
        }
    }

    private static PinnedScheduler.Builder corelane(int workers) {
        return PinnedScheduler.builder().workers(workers).sharing(true);
    }

    private static ForkJoinPool forkJoinPool(int workers, boolean fifo) {
        return new ForkJoinPool(workers, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, fifo);
    }
}
