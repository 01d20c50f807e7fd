// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.PinnedScheduler;
import io.corelane.affinity.AffinityException;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import io.corelane.topology.PinningException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Run by {@link ThreadLimitIT}: asks for a CPU that it may use and one that is not online. */
public final class RefusedPinProgram {
    private RefusedPinProgram() {}

    /** Takes the two CPUs. */
    public static void main(String[] arguments) {
        int allowed = Integer.parseInt(arguments[0]);
        int refused = Integer.parseInt(arguments[1]);
        assertThatThrownBy(() -> PinnedScheduler.builder()
                        .name("refused")
                        .cpus(CpuSet.of(allowed, refused))
                        .workers(2)
                        .build())
                .as("the plan knows already")
                .isInstanceOf(PinningException.class)
                .hasMessageContaining("CPUs that cannot be used: " + refused + " (");
        assertThatThrownBy(() -> WorkerPool.start(PoolConfig.unpinned("refused", 2, null)
                        .with(new PoolConfig.Placement(
                                List.of(allowed, refused), null, Pinning.REQUIRED, CpuSet.of(allowed), null, null))))
                .as("the kernel refuses what was planned")
                .isInstanceOf(AffinityException.class)
                .hasMessageContaining("to CPUs " + refused)
                .satisfies(failure ->
                        assertThat(((AffinityException) failure).errno()).isEqualTo(AffinityException.EINVAL))
                .satisfies(failure -> assertThat(failure.getSuppressed())
                        .anySatisfy(note -> assertThat(note).hasMessageContaining("worker 1 of 2")));
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("refused"));
        AtomicInteger ran = new AtomicInteger();
        try (PinnedScheduler scheduler = PinnedScheduler.builder()
                .name("refused")
                .cpus(CpuSet.of(allowed))
                .workers(1)
                .build()) {
            for (int i = 0; i < 100; i++) {
                scheduler.execute(ran::incrementAndGet);
            }
        }
        assertThat(ran).hasValue(100);
        System.out.println("all is as it should be");
    }
}
