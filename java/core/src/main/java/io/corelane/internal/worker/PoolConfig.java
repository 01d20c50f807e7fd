// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.FailureHandler;
import io.corelane.JoinHelp;
import io.corelane.OverflowPolicy;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import io.corelane.topology.CpuNeighbours;
import java.util.Objects;
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
        @Nullable FailureHandler failureHandler) {

    /** The default of {@link #spareThreads}. */
    public static final int DEFAULT_SPARE_THREADS = 256;

    /**
     * Where workers run.
     *
     * @param cpus worker i is pinned to the i-th of these, round again if there are fewer; null to pin nobody
     * @param neighbours which of these are near each other; null to pin nobody
     * @param pinning how much a pin matters
     * @param base the CPUs of threads that are away from their workers
     */
    public record Placement(@Nullable CpuSet cpus, @Nullable CpuNeighbours neighbours, Pinning pinning, CpuSet base) {}

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
    public record Idling(long spinNanos, boolean crowded) {}

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
                new Placement(null, null, Pinning.OFF, CpuSet.empty()),
                new Intake(0, OverflowPolicy.REJECT),
                false,
                new Idling(0, true),
                JoinHelp.OWN,
                DEFAULT_SPARE_THREADS,
                new Context(null, false, false),
                true,
                failureHandler);
    }

    /**
     * The same, in another place.
     *
     * @param other where workers run
     * @return the description
     */
    public PoolConfig with(Placement other) {
        return new PoolConfig(
                name, workers, other, intake, lifo, idling, joinHelp, spareThreads, context, daemon, failureHandler);
    }

    boolean bounded() {
        return intake.capacity() != 0;
    }

    boolean pinned() {
        return placement.pinning() != Pinning.OFF;
    }

    CpuSet cpusOrNone() {
        return Objects.requireNonNullElse(placement.cpus(), CpuSet.empty());
    }
}
