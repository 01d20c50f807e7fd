// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static io.corelane.topology.FakeMachine.CPU;
import static io.corelane.topology.FakeMachine.NODE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.affinity.CpuSet;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Machines whose files are as they should be. */
class CpuTopologyTest {
    @TempDir
    private Path root;

    @Test
    void aCompleteMachineHasNoWarnings() {
        CpuTopology topology = FakeMachine.complete(root, "0-3").read();
        assertThat(topology.warnings()).isEmpty();
        assertThat(topology.cores()).hasSize(4);
        assertThat(topology.sockets()).containsExactly(CpuSet.range(0, 3));
        assertThat(topology.llcDomains()).containsExactly(CpuSet.range(0, 3));
        assertThat(topology.cpu(3)).isEqualTo(new LogicalCpu(3, 3, 0, 0, 0, -1, 0, 0, CoreClass.PERFORMANCE, -1, -1));
        assertThat(topology).hasToString("CPUs 0-3: 1 socket, 4 cores, 1 NUMA node, 0 warnings");
    }

    @Test
    void numbersAreDataAndMayBeFarApartAndHigh() {
        CpuTopology topology = FakeMachine.complete(root, "3,63-64,1023-1025,8191,65535")
                .cpu(3, "topology/core_cpus_list", "3,8191")
                .cpu(8191, "topology/core_cpus_list", "3,8191")
                .read();
        assertThat(topology.warnings()).isEmpty();
        assertThat(topology.cpus())
                .extracting(LogicalCpu::cpu)
                .containsExactly(3, 63, 64, 1023, 1024, 1025, 8191, 65535);
        assertThat(topology.siblings(8191)).isEqualTo(CpuSet.of(3, 8191));
        assertThat(topology.cpu(8191).smtIndex()).isEqualTo(1);
        assertThat(topology.cpu(65535).core()).isEqualTo(6);
    }

    @Test
    void aNulByteAtTheEndOfAFileIsNoContent() {
        CpuTopology topology = FakeMachine.complete(root, "0-3")
                .file(CPU + "online", "0-3\n\0")
                .cpu(0, "topology/die_id", "0\0\0")
                .read();
        assertThat(topology.online()).isEqualTo(CpuSet.range(0, 3));
        assertThat(topology.warnings()).isEmpty();
    }

    @Test
    void eightSiblingsShareACore() {
        FakeMachine machine = FakeMachine.complete(root, "0-15");
        for (int cpu = 0; cpu < 16; cpu++) {
            machine.cpu(cpu, "topology/core_cpus_list", cpu < 8 ? "0-7" : "8-15");
        }
        CpuTopology topology = machine.read();
        assertThat(topology.cores()).containsExactly(CpuSet.range(0, 7), CpuSet.range(8, 15));
        assertThat(topology.cpu(15).smtIndex()).isEqualTo(7);
    }

    @Test
    void offlineCpusInTheFilesDoNotCount() {
        CpuTopology topology = FakeMachine.complete(root, "0-3")
                .file(CPU + "online", "0-2")
                .cpu(3, "online", "0")
                .cpu(2, "topology/core_cpus_list", "2-3")
                .read();
        assertThat(topology.warnings()).isEmpty();
        assertThat(topology.siblings(2)).isEqualTo(CpuSet.of(2));
        assertThat(topology.nodes().get(0).cpus()).isEqualTo(CpuSet.range(0, 2));
        assertThatThrownBy(() -> topology.cpu(3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cpu=3 is offline (expected one of the online CPUs 0-2)");
        assertThatThrownBy(() -> topology.siblings(4)).hasMessageStartingWith("cpu=4 does not exist");
        assertThatThrownBy(() -> topology.cpu(-1)).hasMessageStartingWith("cpu=-1 does not exist");
    }

    @Test
    void nohzFullMayBeSetAbsentOrNull() {
        FakeMachine machine = FakeMachine.complete(root, "0-3");
        assertThat(machine.read().nohzFull()).isEqualTo(CpuSet.empty());
        machine.file(CPU + "nohz_full", "   (null)");
        assertThat(machine.read().warnings()).isEmpty();
        CpuTopology topology = machine.file(CPU + "nohz_full", "2-3")
                .file(CPU + "isolated", "3")
                .read();
        assertThat(topology.nohzFull()).isEqualTo(CpuSet.of(2, 3));
        assertThat(topology.isolated()).isEqualTo(CpuSet.of(3));
        assertThat(topology.warnings()).isEmpty();
    }

    @Test
    void diesDivideASocketUnlessTheirNumberIsUnknown() {
        FakeMachine machine = FakeMachine.complete(root, "0-3");
        for (int cpu = 0; cpu < 4; cpu++) {
            machine.cpu(cpu, "topology/die_cpus_list", cpu < 2 ? "0-1" : "2-3");
        }
        assertThat(machine.read().dies()).containsExactly(CpuSet.of(0, 1), CpuSet.of(2, 3));
        for (int cpu = 0; cpu < 4; cpu++) {
            machine.cpu(cpu, "topology/die_id", "-1");
        }
        CpuTopology topology = machine.read();
        assertThat(topology.dies()).isEqualTo(topology.sockets());
        assertThat(topology.warnings()).isEmpty();
    }

    @Test
    void aNodeMayHaveNoCpuAndNumbersMayHaveGaps() {
        CpuTopology topology = FakeMachine.complete(root, "0-1")
                .file(NODE + "online", "0,7")
                .file(NODE + "node0/distance", "10 40")
                .file(NODE + "node7/cpulist", "")
                .file(NODE + "node7/distance", "40 10")
                .read();
        assertThat(topology.warnings()).isEmpty();
        assertThat(topology.nodes().get(1).id()).isEqualTo(7);
        assertThat(topology.nodes().get(0).distanceTo(7)).isEqualTo(40);
        assertThat(topology.nodes().get(0).distanceTo(1)).isEqualTo(-1);
    }

    @Test
    void instructionCachesAreNoLastLevelAndTheHighestLevelWins() {
        FakeMachine machine = FakeMachine.complete(root, "0-1");
        for (int cpu = 0; cpu < 2; cpu++) {
            machine.cache(cpu, 3, "Data", String.valueOf(cpu)).cache(cpu, 4, "Instruction", "0-1");
        }
        CpuTopology topology = machine.read();
        assertThat(topology.l3Domains()).containsExactly(CpuSet.of(0), CpuSet.of(1));
        assertThat(topology.llcDomains()).isEqualTo(topology.l3Domains());
        for (int cpu = 0; cpu < 2; cpu++) {
            machine.cache(cpu, 4, "Unified", "0-1");
        }
        assertThat(machine.read().llcDomains()).containsExactly(CpuSet.of(0, 1));
        assertThat(machine.read().l3Domains()).hasSize(2);
    }
}
