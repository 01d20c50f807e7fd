// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import io.corelane.PinnedScheduler;
import io.corelane.affinity.Pinning;
import io.corelane.topology.PinningException;
import io.corelane.topology.PinningPlan;
import io.corelane.topology.TopologyException;
import java.util.concurrent.Callable;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;

/**
 * A Corelane scheduler and a {@link ForkJoinPool} of the same size. Both exist throughout a comparison and are idle
 * while another version runs. In both, a program is a job of the pool and the caller only waits, so that as many
 * threads compute.
 *
 * @param scheduler the scheduler
 * @param forkJoinPool the pool
 * @param whyUnpinned why the scheduler's threads are not pinned; empty if they are
 */
record Pools(PinnedScheduler scheduler, ForkJoinPool forkJoinPool, String whyUnpinned) implements AutoCloseable {
    private static final String COMMON_PARALLELISM = "java.util.concurrent.ForkJoinPool.common.parallelism";

    /**
     * Starts both. Where the scheduler cannot pin, as with more threads than CPUs, it runs unpinned.
     *
     * @param workers how many threads each has
     */
    static Pools start(int workers) {
        System.setProperty(COMMON_PARALLELISM, Integer.toString(workers)); // read when the first ForkJoinPool is made
        PinnedScheduler.Builder builder =
                PinnedScheduler.builder().name("examples").workers(workers).pinning(Pinning.PREFERRED);
        String refusal = refusal(builder);
        PinnedScheduler scheduler = refusal.isEmpty()
                ? builder.build()
                : builder.pinning(Pinning.OFF).build();
        String whyUnpinned = refusal.isEmpty() ? scheduler.stats().note() : refusal;
        return new Pools(scheduler, new ForkJoinPool(workers), whyUnpinned);
    }

    private static String refusal(PinnedScheduler.Builder builder) {
        try {
            PinningPlan ignored = builder.plan();
            return "";
        } catch (PinningException | TopologyException refused) {
            return String.valueOf(refused.getMessage());
        }
    }

    <T> T onCorelane(Callable<T> program) {
        return scheduler.submit(program).join();
    }

    <T> T onForkJoinPool(ForkJoinTask<T> root) {
        return forkJoinPool.invoke(root);
    }

    /** Returns how many threads there are and where, for people. */
    String setup() {
        String threads = scheduler.workers() == 1 ? "1 thread each" : scheduler.workers() + " threads each";
        return whyUnpinned.isEmpty()
                ? threads + ", Corelane's pinned to CPUs " + scheduler.cpus()
                : threads + ", not pinned: " + whyUnpinned;
    }

    @Override
    public void close() {
        forkJoinPool.shutdown();
        scheduler.close();
    }
}
