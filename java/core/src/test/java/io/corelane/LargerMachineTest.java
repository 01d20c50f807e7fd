// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.corelane.affinity.CpuSet;
import io.corelane.affinity.ThreadAffinity;
import io.corelane.topology.CpuSelection;
import io.corelane.topology.CpuTopology;
import io.corelane.topology.LogicalCpu;
import io.corelane.topology.PinningException;
import io.corelane.topology.PinningPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A machine whose shape is known beforehand, such as the virtual one of {@code src/test/vm/run.sh}, which gives it in a
 * system property: sockets, cores of a socket, threads of a core, nodes.
 */
class LargerMachineTest {
    private static final String SHAPE = "corelane.machine";

    private final CpuTopology topology = CpuTopology.read();
    private int sockets;
    private int cores;
    private int threads;
    private int nodes;

    @BeforeEach
    void shape() {
        String shape = System.getProperty(SHAPE);
        assumeTrue(shape != null, "the shape of this machine is not given, as in -D" + SHAPE + "=2,2,2,2");
        int[] numbers = Arrays.stream(String.valueOf(shape).split(",", -1))
                .mapToInt(Integer::parseInt)
                .toArray();
        sockets = numbers[0];
        cores = numbers[1];
        threads = numbers[2];
        nodes = numbers[3];
    }

    @Test
    void theTopologyIsThatOfTheMachine() {
        assertThat(topology.cpus()).hasSize(sockets * cores * threads);
        assertThat(topology.sockets()).hasSize(sockets).allMatch(socket -> socket.size() == cores * threads);
        assertThat(topology.cores()).hasSize(sockets * cores).allMatch(core -> core.size() == threads);
        assertThat(topology.nodes())
                .hasSize(nodes)
                .allMatch(node -> node.cpus().size() == sockets * cores * threads / nodes);
        assertThat(topology.llcDomains()).hasSize(sockets);
        assertThat(topology.warnings()).isEmpty();
    }

    @Test
    void everyCpuGetsAWorkerWhoseJobsRunThereAndOnItsNode() {
        assertPinned(CpuSelection.allowed(), sockets * cores * threads);
    }

    @Test
    void onePerCoreLeavesTheSiblingsFree() {
        PinningPlan plan = assertPinned(CpuSelection.allowed().onePerCore(), sockets * cores);
        assertThat(plan.workers())
                .extracting(worker -> topology.siblings(worker.cpu()))
                .doesNotHaveDuplicates();
    }

    @Test
    void aSelectionOfANodeOrASocketStaysThere() {
        for (int node = 0; node < nodes; node++) {
            PinningPlan plan = assertPinned(CpuSelection.allowed().nodes(node), sockets * cores * threads / nodes);
            assertThat(plan.cpus()).isEqualTo(topology.nodes().get(node).cpus());
        }
        for (LogicalCpu first : topology.cpus()) {
            PinningPlan plan = assertPinned(CpuSelection.allowed().sockets(first.socket()), cores * threads);
            assertThat(plan.cpus().contains(first.cpu())).isTrue();
        }
    }

    @Test
    void aCpuThatThisMachineHasNotIsRefused() {
        CpuSet absent = CpuSet.of(sockets * cores * threads);
        assertThatThrownBy(() -> PinnedScheduler.builder()
                        .cpus(CpuSelection.of(absent))
                        .build()
                        .close())
                .isInstanceOf(PinningException.class)
                .hasMessageContaining(absent.toString());
    }

    private PinningPlan assertPinned(CpuSelection selection, int workers) {
        try (PinnedScheduler scheduler =
                PinnedScheduler.builder().cpus(selection).workers(workers).build()) {
            PinningPlan plan = scheduler.plan().orElseThrow();
            assertThat(plan.workers()).hasSize(workers);
            assertThat(plan.cpuOfWorker()).doesNotHaveDuplicates();
            List<JobHandle<?>> seen = new ArrayList<>();
            IntStream.range(0, workers)
                    .forEach(i -> seen.add(scheduler.lane(i).submit(() -> {
                        int cpu = plan.cpuOfWorker()[i];
                        assertThat(ThreadAffinity.get()).isEqualTo(CpuSet.of(cpu));
                        assertThat(ThreadAffinity.currentCpu()).isEqualTo(cpu);
                        assertThat(ThreadAffinity.currentNode())
                                .isEqualTo(topology.cpu(cpu).node());
                    })));
            seen.forEach(JobHandle::join);
            assertThat(scheduler.stats().note()).isEmpty();
            return plan;
        }
    }
}
