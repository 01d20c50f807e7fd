// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.CpuSet;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the core class of a CPU is found. */
class CpuTopologyClassesTest {
    @TempDir
    private Path root;

    private FakeMachine machine = new FakeMachine(Path.of(""));

    @BeforeEach
    void makeMachine() {
        machine = FakeMachine.complete(root, "0-5");
    }

    @Test
    void hybridListsWinOverSpeeds() {
        CpuTopology topology = speeds("cpu_capacity", 500, 500, 500, 500, 1024, 1024)
                .file("sys/devices/cpu_core/cpus", "0-3")
                .file("sys/devices/cpu_atom/cpus", "4-5")
                .read();
        assertThat(classes(topology)).containsExactly("0-3", "4-5", "");
        assertThat(topology.warnings()).isEmpty();
    }

    @Test
    void slowAtomCpusAreLowPower() {
        CpuTopology topology = speeds(
                        "cpufreq/cpuinfo_max_freq", 4_800_000, 4_700_000, 3_800_000, 3_800_000, 2_500_000, 2_500_000)
                .file("sys/devices/cpu_core/cpus", "0-1")
                .file("sys/devices/cpu_atom/cpus", "2-5")
                .read();
        assertThat(classes(topology)).containsExactly("0-1", "2-3", "4-5");
    }

    @Test
    void lowPowerCpusMayHaveAListOfTheirOwn() {
        CpuTopology topology = machine.file("sys/devices/cpu_core/cpus", "0-1")
                .file("sys/devices/cpu_atom/cpus", "2-3")
                .file("sys/devices/cpu_lowpower/cpus", "4-5")
                .read();
        assertThat(classes(topology)).containsExactly("0-1", "2-3", "4-5");
    }

    @Test
    void listsThatDoNotNameEachCpuOnceAreNotUsed() {
        for (String atom : List.of("4", "3-5", "4-9", "")) {
            CpuTopology topology = machine.file("sys/devices/cpu_core/cpus", "0-3")
                    .file("sys/devices/cpu_atom/cpus", atom)
                    .read();
            assertThat(classes(topology)).containsExactly("0-5", "", "");
            assertThat(topology.warnings()).singleElement().asString().contains("list CPUs 0-3 and " + atom);
        }
    }

    @Test
    void capacityDividesBeforeFrequency() {
        speeds("cpufreq/cpuinfo_max_freq", 2_000_000, 2_000_000, 2_000_000, 1_000_000, 1_000_000, 1_000_000);
        CpuTopology topology =
                speeds("cpu_capacity", 1024, 1024, 855, 855, 280, 140).read();
        assertThat(classes(topology)).containsExactly("0-1", "2-3", "4-5");
        assertThat(topology.cpu(2).capacity()).isEqualTo(855);
        assertThat(topology.cpu(2).maxFrequencyKhz()).isEqualTo(2_000_000);
    }

    @Test
    void frequencyDividesWhereAllCapacitiesAreEqual() {
        speeds("cpufreq/cpuinfo_max_freq", 5_100_000, 5_100_000, 3_300_000, 3_300_000, 3_300_000, 3_300_000);
        CpuTopology topology =
                speeds("cpu_capacity", 1024, 1024, 1024, 1024, 1024, 1024).read();
        assertThat(classes(topology)).containsExactly("0-1", "2-5", "");
    }

    @Test
    void favouredCoresAreNoClass() {
        CpuTopology topology = speeds(
                        "cpufreq/cpuinfo_max_freq", 5_700_000, 5_250_000, 5_000_000, 4_800_000, 4_500_000, 4_100_000)
                .read();
        assertThat(classes(topology)).containsExactly("0-5", "", "");
    }

    @Test
    void aStepOfMoreThanTenPercentIsATier() {
        CpuSet cpus = CpuSet.range(0, 1);
        assertThat(SpeedTiers.of(cpus, Map.of(0, 1000, 1, 900))).containsExactly(cpus);
        assertThat(SpeedTiers.of(cpus, Map.of(0, 899, 1, 1000))).containsExactly(CpuSet.of(1), CpuSet.of(0));
        assertThat(SpeedTiers.of(cpus, Map.of(0, 1000))).containsExactly(cpus);
        assertThat(SpeedTiers.of(cpus, Map.of(0, Integer.MAX_VALUE, 1, 1))).hasSize(2);
        assertThat(SpeedTiers.of(CpuSet.empty(), Map.of())).isEmpty();
    }

    @Test
    void speedsThatOnlySomeTellAreNotUsed() {
        CpuTopology topology = machine.cpu(0, "cpu_capacity", "1024")
                .cpu(1, "cpu_capacity", "100")
                .read();
        assertThat(classes(topology)).containsExactly("0-5", "", "");
        assertThat(topology.warnings())
                .singleElement()
                .asString()
                .contains("cpu_capacity is not told by CPUs 2-5, but by others of 0-5");
    }

    @Test
    void siblingsOfDifferentSpeedAreWarnedOf() {
        machine.cpu(0, "topology/core_cpus_list", "0-1").cpu(1, "topology/core_cpus_list", "0-1");
        CpuTopology topology =
                speeds("cpu_capacity", 1024, 500, 500, 500, 500, 500).read();
        assertThat(topology.warnings())
                .singleElement()
                .asString()
                .startsWith("CPUs 0-1 share a core but differ in speed");
    }

    private FakeMachine speeds(String file, int... speeds) {
        for (int cpu = 0; cpu < speeds.length; cpu++) {
            machine.cpu(cpu, file, String.valueOf(speeds[cpu]));
        }
        return machine;
    }

    private static List<String> classes(CpuTopology topology) {
        return List.of(
                topology.cpusOf(CoreClass.PERFORMANCE).toString(),
                topology.cpusOf(CoreClass.EFFICIENCY).toString(),
                topology.cpusOf(CoreClass.LOW_POWER).toString());
    }
}
