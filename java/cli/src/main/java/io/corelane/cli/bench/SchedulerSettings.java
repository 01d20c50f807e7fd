// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import io.corelane.PinnedScheduler;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import org.jspecify.annotations.Nullable;

/**
 * How to start the scheduler that is measured.
 *
 * @param workers how many workers, or null for the scheduler's own default
 * @param cpus the CPUs to pin to, or null for the scheduler's own default
 * @param pinning how much a pin matters
 */
record SchedulerSettings(
        @Nullable Integer workers, @Nullable CpuSet cpus, Pinning pinning) {
    PinnedScheduler start() {
        PinnedScheduler.Builder builder =
                PinnedScheduler.builder().name("bench").pinning(pinning);
        if (workers != null) {
            builder.workers(workers);
        }
        if (cpus != null) {
            builder.cpus(cpus);
        }
        return builder.build();
    }
}
