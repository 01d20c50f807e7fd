// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.CpuSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CpuNeighboursTest {
    static List<String> machines() {
        return RecordedMachines.names();
    }

    /** Some captures lack a kind of file that every kernel since 2010 has; there the short way knows nothing. */
    @ParameterizedTest
    @MethodSource("machines")
    void theShortWayAgreesWithTheWholeTopology(String name) {
        Path root = RecordedMachines.unpack(name);
        CpuTopology topology = CpuTopology.read(root);
        CpuSet online = topology.online();
        CpuNeighbours neighbours = CpuNeighbours.read(root, online);
        Path cpus = root.resolve("sys/devices/system/cpu");
        String first = "cpu" + online.first();
        if (Files.exists(cpus.resolve(first + "/topology/core_cpus_list"))
                || Files.exists(cpus.resolve(first + "/topology/thread_siblings_list"))) {
            assertSameGroups(online, neighbours::core, cpu -> topology.cpu(cpu).core());
        }
        if (Files.exists(root.resolve("sys/devices/system/node/node0/cpulist"))) {
            assertSameGroups(online, neighbours::node, cpu -> topology.cpu(cpu).node());
        }
        if (Files.exists(cpus.resolve(first + "/cache/index0/level"))
                && Files.exists(cpus.resolve(first + "/cache/index0/shared_cpu_list"))) {
            assertSameGroups(online, neighbours::cache, cpu -> topology.cpu(cpu).llc());
        }
    }

    private static void assertSameGroups(CpuSet cpus, IntUnaryOperator actual, IntUnaryOperator expected) {
        Map<Integer, Integer> renamed = new HashMap<>();
        for (int cpu : cpus.toArray()) {
            int group = actual.applyAsInt(cpu);
            assertThat(renamed.computeIfAbsent(expected.applyAsInt(cpu), key -> group))
                    .as("group of CPU %d", cpu)
                    .isEqualTo(group);
        }
        assertThat(renamed.values()).doesNotHaveDuplicates();
    }

    @Test
    void groupsAreNamedByTheLowestCpuThatWasAskedFor() {
        Path root = RecordedMachines.unpack("amd-naples-2s96");
        CpuTopology topology = CpuTopology.read(root);
        CpuSet siblings = topology.siblings(5);
        assertThat(siblings.size()).isEqualTo(2);
        CpuNeighbours neighbours = CpuNeighbours.read(root, CpuSet.of(siblings.last()));
        assertThat(neighbours.core(siblings.last())).isEqualTo(siblings.last());
    }

    @Test
    void cpusThatTellNothingOrNonsenseShareNothing(@TempDir Path root) throws IOException {
        assertNothingShared(CpuNeighbours.read(root, CpuSet.of(0, 1)));
        write(root, "sys/devices/system/cpu/cpu0/topology/core_cpus_list", "1-");
        write(root, "sys/devices/system/cpu/cpu1/topology/core_cpus_list", "0");
        write(root, "sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list", "");
        write(root, "sys/devices/system/node/node0/cpulist", "all");
        assertNothingShared(CpuNeighbours.read(root, CpuSet.of(0, 1)));
        assertNothingShared(CpuNeighbours.read(root.resolve("sys/devices/system/node/node0/cpulist"), CpuSet.of(0, 1)));
    }

    private static void write(Path root, String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.resolveSibling("."));
        Files.writeString(path, text);
    }

    private static void assertNothingShared(CpuNeighbours neighbours) {
        assertThat(List.of(neighbours.core(0), neighbours.core(1))).containsExactly(0, 1);
        assertThat(List.of(neighbours.cache(0), neighbours.cache(1))).containsExactly(0, 1);
        assertThat(List.of(neighbours.node(0), neighbours.node(1))).containsExactly(0, 1);
    }
}
