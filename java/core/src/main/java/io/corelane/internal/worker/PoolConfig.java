// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.FailureHandler;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import io.corelane.topology.CpuNeighbours;
import org.jspecify.annotations.Nullable;

/**
 * What a pool is built from; checked and completed by the builder.
 *
 * @param name the scheduler's name
 * @param workers how many workers, at least 1
 * @param cpus worker i is pinned to the i-th of these, round again if there are fewer; null to pin nobody
 * @param neighbours which of these are near each other; null to pin nobody
 * @param pinning how much a pin matters
 * @param injectorCapacity how many jobs may wait in the injector, 0 for any number
 * @param lifo whether workers take their newest job first
 * @param spinNanos how long a worker searches before it parks, {@link Long#MAX_VALUE} for ever
 * @param crowded whether there are at least as many workers as CPUs, so that a spinning worker keeps others from work
 * @param daemon whether the worker threads are daemons
 * @param failureHandler told of failures, or null for the thread's uncaught-exception handler
 */
public record PoolConfig(
        String name,
        int workers,
        @Nullable CpuSet cpus,
        @Nullable CpuNeighbours neighbours,
        Pinning pinning,
        int injectorCapacity,
        boolean lifo,
        long spinNanos,
        boolean crowded,
        boolean daemon,
        @Nullable FailureHandler failureHandler) {}
