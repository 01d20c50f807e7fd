// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.corelane.topology.CpuLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoolsTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void bothHaveAsManyThreadsAsAskedForAlsoWithFewerCpus(int workers) {
        try (Pools pools = Pools.start(workers)) {
            assertThat(pools.scheduler().workers()).isEqualTo(workers);
            assertThat(pools.forkJoinPool().getParallelism()).isEqualTo(workers);
            assertThat(pools.setup()).startsWith(workers == 1 ? "1 thread each, " : workers + " threads each, ");
        }
    }

    @Test
    void setupSaysWhereTheWorkersArePinned() {
        try (Pools pools = Pools.start(1)) {
            assumeTrue(pools.whyUnpinned().isEmpty(), pools.whyUnpinned());
            String cpus = pools.scheduler().cpus().toString();
            assertThat(pools.setup()).isEqualTo("1 thread each, Corelane's pinned to CPUs " + cpus);
        }
    }

    @Test
    void setupSaysWhyWorkersAreNotPinned() {
        int tooMany = CpuLimits.read().allowed().size() + 1;
        try (Pools pools = Pools.start(tooMany)) {
            assertThat(pools.setup()).startsWith(tooMany + " threads each, not pinned: workers=" + tooMany);
        }
    }

    @Test
    void closeEndsBoth() {
        Pools pools = Pools.start(1);
        pools.close();
        assertThat(pools.scheduler().isTerminated()).isTrue();
        assertThat(pools.forkJoinPool().isShutdown()).isTrue();
    }
}
