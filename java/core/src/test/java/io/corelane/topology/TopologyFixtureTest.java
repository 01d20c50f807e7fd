// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.CpuSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Recorded machines, compared with what hwloc, lscpu and pepc read from the same files. */
class TopologyFixtureTest {
    private static final int CORE = 1;
    private static final int SOCKET = 2;
    private static final int NODE = 3;
    private static final int L3 = 4;
    private static final int SMT = 5;
    private static final int SPEED = 6;

    private static final Map<String, CpuTopology> TOPOLOGIES = new ConcurrentHashMap<>();

    private static final String NO_ISOLATED =
            "isolated is missing or broken (new in Linux 4.2): no CPU is known to be isolated";

    /** What each machine that lacks files is expected to warn of, by the ends of the warnings; others warn of nothing. */
    private static final Map<String, List<String>> WARNINGS = Map.ofEntries(
            Map.entry("intel-nhmex-4s64", List.of(NO_ISOLATED)),
            Map.entry("power7-lpar-64", List.of(NO_ISOLATED)),
            Map.entry("s390-lpar-offline", List.of(NO_ISOLATED)),
            Map.entry("sparc64-sparse-6", List.of(NO_ISOLATED)),
            Map.entry("vm-s390-kvm-3", List.of(NO_ISOLATED)),
            Map.entry("vm-virtualbox-2", List.of(NO_ISOLATED)),
            Map.entry(
                    "ia64-altix-512",
                    List.of(
                            "online is missing: CPUs that have a folder and are not switched off are online",
                            "present is missing or broken: the CPU folders are taken as present",
                            "possible is missing or broken: the present CPUs are taken as possible",
                            NO_ISOLATED)),
            Map.entry(
                    "intel-gnr-2s512",
                    List.of(
                            "possible is missing or broken: the present CPUs are taken as possible",
                            NO_ISOLATED,
                            "no CPU tells its core siblings: proc/cpuinfo is used",
                            "no CPU tells its package siblings: proc/cpuinfo is used",
                            "cpu*/cache/index* does not tell its level: left out"
                                    + " (CPUs 0-511, first: cache/index0/)")));

    static List<String> machines() {
        return RecordedMachines.names();
    }

    @Test
    void allMachinesAreHere() {
        assertThat(machines()).hasSize(15);
    }

    @ParameterizedTest
    @MethodSource("machines")
    void everyCpuIsWhereTheToolsSayItIs(String name) {
        CpuTopology topology = read(name);
        TopologyInvariants.check(topology);
        int[][] expected = RecordedMachines.expected(name).stream()
                .map(line -> Stream.of(line.split(",", -1))
                        .mapToInt(Integer::parseInt)
                        .toArray())
                .toArray(int[][]::new);
        assertThat(topology.cpus()).extracting(LogicalCpu::cpu).containsExactly(column(expected, 0));
        assertSameGroups("core", expected, CORE, topology, LogicalCpu::core);
        assertSameGroups("socket", expected, SOCKET, topology, LogicalCpu::socket);
        assertSameGroups("l3", expected, L3, topology, LogicalCpu::l3);
        assertThat(topology.cpus()).extracting(LogicalCpu::node).containsExactly(column(expected, NODE));
        assertThat(topology.cpus()).extracting(LogicalCpu::smtIndex).containsExactly(column(expected, SMT));
        assertThat(topology.cpus()).extracting(TopologyFixtureTest::speed).containsExactly(column(expected, SPEED));
    }

    @ParameterizedTest
    @MethodSource("machines")
    void onlyWhatIsMissingIsWarnedOf(String name) {
        List<String> warnings = read(name).warnings();
        List<String> ends = WARNINGS.getOrDefault(name, List.of());
        assertThat(warnings).as("warnings").hasSameSizeAs(ends);
        for (int i = 0; i < ends.size(); i++) {
            assertThat(warnings.get(i)).endsWith(ends.get(i));
        }
    }

    /** Compares the grouping and not the numbers: the two numberings must map onto each other one to one. */
    private static void assertSameGroups(
            String what, int[][] expected, int column, CpuTopology topology, ToIntFunction<LogicalCpu> number) {
        Map<Integer, Integer> ours = new HashMap<>();
        Map<Integer, Integer> theirs = new HashMap<>();
        for (int[] row : expected) {
            int our = number.applyAsInt(topology.cpu(row[0]));
            assertThat(our == -1).as(what + " of CPU " + row[0] + " is -1").isEqualTo(row[column] == -1);
            assertThat(ours.computeIfAbsent(row[column], key -> our))
                    .as(what + " of CPU " + row[0])
                    .isEqualTo(our);
            assertThat(theirs.computeIfAbsent(our, key -> row[column]))
                    .as(what + " of CPU " + row[0])
                    .isEqualTo(row[column]);
        }
    }

    private static int speed(LogicalCpu cpu) {
        return cpu.capacity() > 0 || cpu.maxFrequencyKhz() < 0 ? cpu.capacity() : cpu.maxFrequencyKhz() / 1000;
    }

    private static Integer[] column(int[][] rows, int column) {
        return Stream.of(rows).map(row -> row[column]).toArray(Integer[]::new);
    }

    @Test
    void statesAreWhatTheFilesSay() {
        CpuTopology skylake = read("intel-skx-2s32");
        assertThat(skylake.possible()).isEqualTo(CpuSet.range(0, 111));
        assertThat(skylake.present()).isEqualTo(CpuSet.range(0, 31));
        CpuTopology mainframe = read("s390-lpar-offline");
        assertThat(mainframe.present()).isEqualTo(CpuSet.range(0, 19));
        assertThat(mainframe.online()).isEqualTo(CpuSet.parse("1-5,8-19"));
        CpuTopology isolated = read("intel-clx-2s112-isolated");
        assertThat(isolated.isolated()).isEqualTo(CpuSet.parse("4-7,60-63"));
        assertThat(isolated.nohzFull()).isEqualTo(CpuSet.empty());
    }

    @Test
    void hybridMachinesHaveTheirClasses() {
        CpuTopology alderLake = read("intel-adl-hybrid16");
        assertThat(alderLake.coreClasses()).containsExactly(CoreClass.PERFORMANCE, CoreClass.EFFICIENCY);
        assertThat(alderLake.cpusOf(CoreClass.PERFORMANCE)).isEqualTo(CpuSet.range(0, 7));
        assertThat(alderLake.cpusOf(CoreClass.EFFICIENCY)).isEqualTo(CpuSet.range(8, 15));
        CpuTopology phone = read("arm-phone-8");
        assertThat(phone.cpusOf(CoreClass.PERFORMANCE)).isEqualTo(CpuSet.of(7));
        assertThat(phone.cpusOf(CoreClass.EFFICIENCY)).isEqualTo(CpuSet.range(3, 6));
        assertThat(phone.cpusOf(CoreClass.LOW_POWER)).isEqualTo(CpuSet.range(0, 2));
        assertThat(read("arm-kunpeng920-2s128").coreClasses()).containsExactly(CoreClass.PERFORMANCE);
    }

    @Test
    void cachesTellLevelTypeSizeAndSharers() {
        CpuTopology alderLake = read("intel-adl-hybrid16");
        assertThat(alderLake.caches())
                .contains(
                        new CpuCache(1, CpuCache.Type.DATA, 48 << 10, CpuSet.of(0, 1)),
                        new CpuCache(2, CpuCache.Type.UNIFIED, 1280 << 10, CpuSet.of(6, 7)),
                        new CpuCache(2, CpuCache.Type.UNIFIED, 2048 << 10, CpuSet.range(8, 11)),
                        new CpuCache(3, CpuCache.Type.UNIFIED, 18432 << 10, CpuSet.range(0, 15)));
        CpuTopology phone = read("arm-phone-8");
        assertThat(phone.caches())
                .contains(
                        new CpuCache(2, CpuCache.Type.UNIFIED, -1, CpuSet.of(1, 2)),
                        new CpuCache(3, CpuCache.Type.UNIFIED, -1, CpuSet.range(0, 7)));
    }

    @Test
    void theLastLevelCacheNeedNotBeLevel3() {
        CpuTopology board = read("riscv-visionfive2-4");
        assertThat(board.llcDomains()).containsExactly(CpuSet.range(0, 3));
        assertThat(board.l3Domains()).isEmpty();
        assertThat(read("power7-lpar-64").llcDomains()).hasSize(16).contains(CpuSet.range(60, 63));
        assertThat(read("sparc64-sparse-6").llcDomains()).isEmpty();
    }

    @Test
    void nodesHaveDistancesAndMayHaveNoCpu() {
        List<NumaNode> nodes = read("intel-clx-2s112-isolated").nodes();
        assertThat(nodes).hasSize(6);
        assertThat(nodes.get(4).cpus()).isEqualTo(CpuSet.empty());
        assertThat(nodes.get(0).distances()).isEqualTo(Map.of(0, 10, 1, 21, 2, 11, 3, 21, 4, 17, 5, 28));
        List<NumaNode> old = read("intel-nhmex-4s64").nodes();
        assertThat(old).extracting(NumaNode::id).containsExactly(0, 2, 3);
        assertThat(old.get(1).distanceTo(3)).isEqualTo(-1);
        assertThat(read("arm-kunpeng920-2s128").nodes().get(1).distanceTo(2)).isEqualTo(25);
    }

    private static CpuTopology read(String name) {
        return TOPOLOGIES.computeIfAbsent(name, key -> CpuTopology.read(RecordedMachines.unpack(key)));
    }
}
