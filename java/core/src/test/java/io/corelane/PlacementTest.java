// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import io.corelane.affinity.ThreadAffinity;
import io.corelane.topology.CpuLimits;
import io.corelane.topology.CpuSelection;
import io.corelane.topology.PinningException;
import io.corelane.topology.PinningPlan;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** From a selection of CPUs over the plan to the threads. */
class PlacementTest {
    private static final CpuSet ALLOWED = CpuLimits.read().allowed();

    @Test
    void eachWorkerRunsWhereThePlanSays() {
        CpuSelection listed = CpuSelection.of(ALLOWED);
        try (PinnedScheduler scheduler = PinnedScheduler.builder().cpus(listed).build()) {
            PinningPlan plan = scheduler.plan().orElseThrow();
            assertThat(plan.cpus()).isEqualTo(ALLOWED).isEqualTo(scheduler.cpus());
            for (PinningPlan.Assignment worker : plan.workers()) {
                assertThat(scheduler
                                .lane(worker.worker())
                                .submit(() -> ThreadAffinity.get())
                                .join())
                        .isEqualTo(CpuSet.of(worker.cpu()));
            }
            assertThat(plan.toString()).contains("asked for").contains("selection: cpus:" + ALLOWED);
        }
    }

    @Test
    void theBuildersPlanIsTheOneThatIsFollowedAndStartsNothing() {
        PinnedScheduler.Builder builder = PinnedScheduler.builder()
                .name("planned")
                .cpus(CpuSelection.parse("first:1"))
                .workers(1);
        PinningPlan plan = builder.plan();
        assertThat(threadsNamed("planned")).isEmpty();
        try (PinnedScheduler scheduler = builder.build()) {
            assertThat(scheduler.plan().orElseThrow().cpuOfWorker()).isEqualTo(plan.cpuOfWorker());
            assertThat(threadsNamed("planned")).containsExactly("planned-worker-0-cpu" + ALLOWED.first());
        }
    }

    @Test
    void aSelectionThatCannotBeMetIsRefusedWithEachCpuAndItsReason() {
        assertThatThrownBy(() -> PinnedScheduler.builder()
                        .name("unmet")
                        .cpus(CpuSelection.parse("at-least:" + (ALLOWED.size() + 1)))
                        .build())
                .isInstanceOf(PinningException.class)
                .hasMessageContaining("at least " + (ALLOWED.size() + 1));
        assertThatThrownBy(() -> PinnedScheduler.builder()
                        .name("unmet")
                        .cpus(CpuSelection.allowed().excluding(ALLOWED))
                        .pinning(Pinning.REQUIRED)
                        .build())
                .isInstanceOf(PinningException.class)
                .hasMessageContaining("no CPU")
                .hasMessageContaining("left out: " + ALLOWED + " (");
        assertThat(threadsNamed("unmet")).isEmpty();
    }

    @Test
    void tooManyWorkersRunUnpinnedWherePinsAreOnlyPreferred() {
        int workers = ALLOWED.size() + 1;
        PinnedScheduler.Builder builder = PinnedScheduler.builder().workers(workers);
        assertThatThrownBy(builder::build).isInstanceOf(PinningException.class).hasMessageContaining("sharing(true)");
        try (PinnedScheduler scheduler = builder.pinning(Pinning.PREFERRED).build()) {
            assertThat(scheduler.workers()).isEqualTo(workers);
            assertThat(scheduler.cpus().isEmpty()).isTrue();
            assertThat(scheduler.stats().note()).contains("workers=" + workers);
        }
    }

    @Test
    void workersThatShareTakeTheCpusInTurn() {
        int workers = 2 * ALLOWED.size();
        try (PinnedScheduler scheduler =
                PinnedScheduler.builder().workers(workers).sharing(true).build()) {
            int[] cpus = scheduler.plan().orElseThrow().cpuOfWorker();
            List<WorkerStats> stats = scheduler.stats().workers();
            for (int i = 0; i < workers; i++) {
                assertThat(cpus[i]).isEqualTo(ALLOWED.toArray()[i % ALLOWED.size()]);
                assertThat(stats.get(i).cpu()).isEqualTo(cpus[i]);
            }
        }
    }

    @Test
    void withoutPinsThereIsNoPlan() {
        try (PinnedScheduler scheduler =
                PinnedScheduler.builder().workers(1).pinning(Pinning.OFF).build()) {
            assertThat(scheduler.plan()).isEmpty();
            assertThat(scheduler.cpus().isEmpty()).isTrue();
        }
    }

    @Test
    void aBuilderThatIsUsedOnAPinnedThreadPlansForTheWholeProcess() {
        try (ThreadAffinity.Pin pin = ThreadAffinity.pin(ALLOWED.last());
                PinnedScheduler scheduler = PinnedScheduler.create()) {
            assertThat(scheduler.cpus()).isEqualTo(ALLOWED);
            assertThat(scheduler
                            .submit(() -> scheduler.blocking(ThreadAffinity::get))
                            .join())
                    .isEqualTo(ALLOWED);
            assertThat(ThreadAffinity.get()).as("the caller's own mask").isEqualTo(CpuSet.of(pin.cpu()));
        }
    }

    @Test
    void oneWatcherLooksAfterAllSchedulersAndEndsWithTheLast() throws Exception {
        PinnedScheduler first = PinnedScheduler.builder().workers(1).build();
        PinnedScheduler second = PinnedScheduler.builder().workers(1).build();
        assertThat(threadsNamed("corelane-pin-watcher")).hasSize(1);
        first.close();
        assertThat(first.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(threadsNamed("corelane-pin-watcher")).hasSize(1);
        second.close();
        Stress.await(() -> threadsNamed("corelane-pin-watcher").isEmpty(), second::dump);
        try (PinnedScheduler third = PinnedScheduler.builder().workers(1).build()) {
            Stress.await(() -> threadsNamed("corelane-pin-watcher").size() == 1, third::dump);
        }
    }

    private static Set<String> threadsNamed(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith(prefix))
                .collect(Collectors.toSet());
    }
}
