// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import io.corelane.internal.ownership.CpuClaims;
import io.corelane.topology.CpuLimits;
import io.corelane.topology.CpuSelection;
import io.corelane.topology.PinningException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Schedulers that claim their CPUs; the locks meet those of this process as they meet those of others. */
class ClaimCpusTest {
    private static final CpuSet ALLOWED = CpuLimits.read().allowed();

    private final List<PinnedScheduler> running = new ArrayList<>();

    @BeforeEach
    void claimHere(@TempDir Path directory) {
        assumeTrue(ALLOWED.size() >= 2, "needs two CPUs");
        System.setProperty(CpuClaims.DIRECTORY_PROPERTY, directory.toString());
    }

    @AfterEach
    void end() {
        running.forEach(PinnedScheduler::close);
        System.clearProperty(CpuClaims.DIRECTORY_PROPERTY);
    }

    private PinnedScheduler.Builder claiming(String name) {
        return PinnedScheduler.builder().name(name).claimCpus(true);
    }

    private PinnedScheduler start(PinnedScheduler.Builder builder) {
        PinnedScheduler scheduler = builder.build();
        running.add(scheduler);
        return scheduler;
    }

    @Test
    void schedulersThatClaimChooseDifferentCpus() {
        CpuSet seen = CpuSet.empty();
        for (int i = 0; i < ALLOWED.size(); i++) {
            PinnedScheduler scheduler = start(claiming("claimer" + i).workers(1));
            assertThat(scheduler.cpus().intersect(seen).isEmpty()).isTrue();
            seen = seen.union(scheduler.cpus());
        }
        assertThat(seen).isEqualTo(ALLOWED);
        assertThatThrownBy(() -> claiming("late").workers(1).build())
                .isInstanceOf(PinningException.class)
                .hasMessageContaining("claimer0");
    }

    @Test
    void asManyWorkersAsCpusThatAreLeft() {
        PinnedScheduler first = start(claiming("first").workers(1));
        PinnedScheduler rest = start(claiming("rest"));
        assertThat(rest.workers()).isEqualTo(ALLOWED.size() - 1);
        assertThat(rest.cpus()).isEqualTo(ALLOWED.minus(first.cpus()));
        assertThat(rest.plan().orElseThrow().toString()).contains("left out: " + first.cpus() + " (");
        assertThat(rest.plan().orElseThrow().leftOut())
                .anySatisfy(out -> assertThat(out.reason()).contains("first"));
    }

    @Test
    void aCpuIsFreeAgainWhenItsSchedulerHasEnded() throws Exception {
        PinnedScheduler first = start(claiming("first"));
        assertThatThrownBy(() -> claiming("second").build()).isInstanceOf(PinningException.class);
        first.close();
        assertThat(first.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(start(claiming("second")).cpus()).isEqualTo(ALLOWED);
    }

    @Test
    void aListWithAClaimedCpuIsRefusedAndClaimsNothing() {
        PinnedScheduler first = start(claiming("first").cpus(CpuSet.of(ALLOWED.first())));
        assertThatThrownBy(() -> claiming("listed").cpus(ALLOWED).build())
                .isInstanceOf(PinningException.class)
                .hasMessageContaining(first.cpus() + " (")
                .hasMessageContaining("first");
        assertThat(start(claiming("rest")).cpus()).isEqualTo(ALLOWED.minus(first.cpus()));
    }

    @Test
    void whatCannotBeClaimedIsNotPinnedToWherePinsArePreferred() {
        start(claiming("first"));
        PinnedScheduler second =
                start(claiming("second").pinning(Pinning.PREFERRED).workers(1));
        assertThat(second.cpus().isEmpty()).isTrue();
        assertThat(second.stats().note()).contains("first");
        assertThat(second.submit(() -> 42).join()).isEqualTo(42);
    }

    @Test
    void aStartThatFailsGivesItsClaimsBack() {
        assertThatThrownBy(() -> claiming("many").workers(ALLOWED.size() + 1).build())
                .isInstanceOf(PinningException.class);
        assertThatThrownBy(() -> claiming("picky")
                        .cpus(CpuSelection.parse("at-least:" + (ALLOWED.size() + 1)))
                        .build())
                .isInstanceOf(PinningException.class);
        assertThat(start(claiming("all")).cpus()).isEqualTo(ALLOWED);
    }

    @Test
    void whoDoesNotClaimIsNotHeldUp() {
        start(claiming("first"));
        assertThat(start(PinnedScheduler.builder()).cpus()).isEqualTo(ALLOWED);
        assertThatThrownBy(() -> claiming("off").pinning(Pinning.OFF).build()).hasMessageContaining("claimCpus=true");
    }
}
