// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.FailureHandler;
import io.corelane.JoinHelp;
import io.corelane.OverflowPolicy;
import io.corelane.SchedulerListener;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import io.corelane.internal.ownership.CpuClaims;
import io.corelane.topology.CpuTopology;
import io.corelane.topology.PinningPlan;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a pool is built from; checked and completed by the builder.
 *
 * @param name the scheduler's name
 * @param workers how many workers, at least 1
 * @param placement where they run
 * @param intake how many jobs from outside may wait
 * @param lifo whether workers take their newest job first
 * @param idling what idle workers do
 * @param joinHelp what a job that waits for another may run
 * @param spareThreads how many threads may be away from their workers in blocking sections
 * @param context the class loader that jobs see
 * @param daemon whether the threads are daemons
 * @param failureHandler told of failures, or null for the thread's uncaught-exception handler
 * @param listener told of changed pins, or null
 */
public record PoolConfig(
        String name,
        int workers,
        Placement placement,
        Intake intake,
        boolean lifo,
        Idling idling,
        JoinHelp joinHelp,
        int spareThreads,
        Context context,
        boolean daemon,
        @Nullable FailureHandler failureHandler,
        @Nullable SchedulerListener listener) {

    /** The default of {@link #spareThreads}. */
    public static final int DEFAULT_SPARE_THREADS = 256;

    /**
     * Where workers run.
     *
     * @param cpus the CPU of each worker; empty to pin nobody
     * @param plan where these come from; null if nobody is pinned
     * @param pinning how much a pin matters
     * @param base the CPUs of threads that are away from their workers
     * @param refusal why nobody is pinned although that was preferred, or null
     * @param claims what keeps other processes away from these CPUs, or null; the pool gives them back
     */
    public record Placement(
            List<Integer> cpus,
            @Nullable PinningPlan plan,
            Pinning pinning,
            CpuSet base,
            @Nullable String refusal,
            @Nullable CpuClaims claims) {

        /**
         * Workers that are pinned as planned.
         *
         * @param plan the plan
         * @param pinning how much a pin matters
         * @param claims what keeps other processes away from the CPUs, or null
         * @return where they run
         */
        public static Placement of(PinningPlan plan, Pinning pinning, @Nullable CpuClaims claims) {
            return new Placement(
                    Arrays.stream(plan.cpuOfWorker()).boxed().toList(),
                    plan,
                    pinning,
                    plan.limits().allowed(),
                    null,
                    claims);
        }

        /**
         * Workers that are not pinned.
         *
         * @param pinning how much a pin matters
         * @param base the CPUs of threads that are away from their workers
         * @param refusal why they are not pinned although that was preferred, or null
         * @return where they run
         */
        public static Placement unpinned(Pinning pinning, CpuSet base, @Nullable String refusal) {
            return new Placement(List.of(), null, pinning, base, refusal, null);
        }

        @Nullable
        CpuTopology topology() {
            return plan == null ? null : plan.topology();
        }
    }

    /**
     * How many jobs from outside may wait.
     *
     * @param capacity how many, 0 for any number
     * @param overflow what happens to one more
     */
    public record Intake(int capacity, OverflowPolicy overflow) {}

    /**
     * What idle workers do.
     *
     * @param spinNanos how long a worker searches before it parks, {@link Long#MAX_VALUE} for ever
     * @param crowded whether there are at least as many workers as CPUs, so that a spinning worker keeps others from work
     */
    public record Idling(long spinNanos, boolean crowded) {
        /** Whether workers search for ever, but for the end and for those who wait for quiescence. */
        boolean neverParks() {
            return spinNanos == Long.MAX_VALUE;
        }
    }

    /**
     * The class loader that jobs see as their thread's context class loader.
     *
     * @param loader the loader
     * @param kept whether it is set again after a job that has changed it
     * @param ofSubmitter whether a job sees its submitter's loader instead
     */
    public record Context(@Nullable ClassLoader loader, boolean kept, boolean ofSubmitter) {}

    /**
     * A pool whose workers are not pinned, are daemons and park at once, with the builder's defaults otherwise.
     *
     * @param name the scheduler's name
     * @param workers how many workers
     * @param failureHandler told of failures, or null
     * @return the description
     */
    public static PoolConfig unpinned(String name, int workers, @Nullable FailureHandler failureHandler) {
        return new PoolConfig(
                name,
                workers,
                Placement.unpinned(Pinning.OFF, CpuSet.empty(), null),
                new Intake(0, OverflowPolicy.REJECT),
                false,
                new Idling(0, true),
                JoinHelp.OWN,
                DEFAULT_SPARE_THREADS,
                new Context(null, false, false),
                true,
                failureHandler,
                null);
    }

    /**
     * The same, in another place.
     *
     * @param other where workers run
     * @return the description
     */
    public PoolConfig with(Placement other) {
        return new PoolConfig(
                name,
                workers,
                other,
                intake,
                lifo,
                idling,
                joinHelp,
                spareThreads,
                context,
                daemon,
                failureHandler,
                listener);
    }

    boolean bounded() {
        return intake.capacity() != 0;
    }

    boolean pinned() {
        return !placement.cpus().isEmpty();
    }

    /** Returns the planned CPU of a worker, or -1. */
    int cpuOf(int worker) {
        List<Integer> cpus = placement.cpus();
        return cpus.isEmpty() ? -1 : cpus.get(worker);
    }
}
