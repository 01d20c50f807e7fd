// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static io.corelane.topology.FakeMachine.CPU;
import static io.corelane.topology.FakeMachine.NODE;
import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.CpuSet;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is taken where files are missing, broken or contradict each other, and the warning that says so. */
class CpuTopologyFallbackTest {
    @TempDir
    private Path root;

    @Test
    void aMachineThatTellsOnlyItsNumbersHasCoresOfOneCpu() {
        CpuTopology topology = new FakeMachine(root).states("0-2").read();
        assertThat(topology.cores()).containsExactly(CpuSet.of(0), CpuSet.of(1), CpuSet.of(2));
        assertThat(topology.sockets()).containsExactly(CpuSet.range(0, 2));
        assertThat(topology.dies()).containsExactly(CpuSet.range(0, 2));
        assertThat(topology.nodes()).isEmpty();
        assertThat(topology.caches()).isEmpty();
        assertThat(topology.cpu(1).node()).isEqualTo(-1);
        assertThat(topology.cpu(1).llc()).isEqualTo(-1);
        assertThat(topology.warnings())
                .satisfiesExactly(
                        first -> assertThat(first).endsWith("has no CPU folders: nothing but the CPU numbers is known"),
                        core -> assertThat(core).endsWith("each CPU is taken as a core of its own"),
                        socket -> assertThat(socket).endsWith("all are taken as one socket"));
    }

    @Test
    void cpuInfoAloneIsEnough() {
        CpuTopology topology = new FakeMachine(root)
                .file("proc/cpuinfo", block(4, 0, 0) + block(2, 0, 0) + block(6, 1, 0))
                .read();
        assertThat(topology.online()).isEqualTo(CpuSet.of(2, 4, 6));
        assertThat(topology.cores()).containsExactly(CpuSet.of(2, 4), CpuSet.of(6));
        assertThat(topology.sockets()).containsExactly(CpuSet.of(2, 4), CpuSet.of(6));
        assertThat(topology.warnings()).anyMatch(text -> text.endsWith("the CPUs in proc/cpuinfo are online"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"processor 1: version = 00\nprocessor 5: version = 00", "CPU1:\t\tonline\nCPU5:\t\tonline"})
    void cpuInfoOfOtherProcessorsTellsTheNumbers(String content) {
        CpuTopology topology =
                new FakeMachine(root).file("proc/cpuinfo", content).read();
        assertThat(topology.online()).isEqualTo(CpuSet.of(1, 5));
    }

    @Test
    void cpuInfoThatNamesACpuTwiceOrIsCutIsNotUsed() {
        FakeMachine machine = new FakeMachine(root).states("0-1");
        machine.file("proc/cpuinfo", block(0, 0, 0) + block(1, 0, 1) + block(1, 0, 0));
        assertThat(machine.read().warnings()).anyMatch(text -> text.contains("names CPU 1 (expected each once"));
        assertThat(machine.read().cores()).hasSize(2);
        String sound = block(0, 0, 11) + block(1, 0, 1) + block(2, 0, 11);
        machine.states("0-2").file("proc/cpuinfo", sound);
        assertThat(machine.read().cores()).containsExactly(CpuSet.of(0, 2), CpuSet.of(1));
        machine.cutFile("proc/cpuinfo", sound.substring(0, sound.length() - 3));
        assertThat(machine.read().cores()).hasSize(3);
        assertThat(machine.read().warnings()).anyMatch(text -> text.contains("ends in the middle of a line"));
    }

    @Test
    void withoutOnlineTheFoldersThatAreNotOffCount() {
        FakeMachine machine = FakeMachine.complete(root, "0-3").without(CPU + "online");
        CpuTopology topology = machine.cpu(2, "online", "0")
                .without(CPU + "cpu0/online")
                .file(CPU + "cpufreq/boost", "1")
                .read();
        assertThat(topology.online()).isEqualTo(CpuSet.parse("0-1,3"));
        assertThat(topology.present()).isEqualTo(CpuSet.range(0, 3));
        assertThat(topology.warnings()).singleElement().asString().contains("online is missing");
    }

    @Test
    void presentAndPossibleAreWidened() {
        CpuTopology topology = FakeMachine.complete(root, "0-3")
                .file(CPU + "present", "0-1,8")
                .file(CPU + "possible", "garbage")
                .read();
        assertThat(topology.present()).isEqualTo(CpuSet.parse("0-3,8"));
        assertThat(topology.possible()).isEqualTo(CpuSet.parse("0-3,8"));
        assertThat(topology.warnings())
                .satisfiesExactly(
                        present -> assertThat(present).contains("present holds \"0-1,8\" without the CPUs 2-3"),
                        nonsense ->
                                assertThat(nonsense).contains("possible holds \"garbage\" (expected a set of CPUs)"),
                        possible -> assertThat(possible).endsWith("the present CPUs are taken as possible"));
    }

    @Test
    void isolatedCpusAreWithinThePossibleOnes() {
        FakeMachine machine = FakeMachine.complete(root, "0-3").file(CPU + "isolated", "2-9");
        assertThat(machine.read().isolated()).isEqualTo(CpuSet.of(2, 3));
        assertThat(machine.read().warnings()).singleElement().asString().contains("not possible: 4-9");
        machine.file(CPU + "isolated", "2-x");
        assertThat(machine.read().isolated()).isEqualTo(CpuSet.empty());
        assertThat(machine.read().warnings()).anyMatch(text -> text.contains("isolated holds \"2-x\""));
    }

    @Test
    void theListOfOnlineCpusWinsOverTheFolders() {
        CpuTopology topology = FakeMachine.complete(root, "0-5")
                .file(CPU + "online", "0-3,7")
                .file(CPU + "present", "0-7")
                .file(CPU + "possible", "0-7")
                .cpu(1, "online", "0")
                .without(CPU + "cpu5/online")
                .read();
        assertThat(topology.online()).isEqualTo(CpuSet.parse("0-3,7"));
        assertThat(topology.warnings())
                .anyMatch(text -> text.contains("for CPUs 7, but") && text.endsWith("cores of their own"))
                .anyMatch(text -> text.startsWith("cpu*/online holds 0") && text.endsWith("(CPUs 1)"))
                .anyMatch(text -> text.startsWith("cpu*/online holds 1") && text.endsWith("(CPUs 4)"))
                .anyMatch(text -> text.startsWith("cpu*/online is missing") && text.endsWith("(CPUs 5)"));
    }

    @Test
    void hexMapsServeWhereListsAreMissingOrBroken() {
        FakeMachine machine = FakeMachine.complete(root, "0-3");
        for (int cpu = 0; cpu < 4; cpu++) {
            machine.without(CPU + "cpu" + cpu + "/topology/core_cpus_list")
                    .cpu(cpu, "topology/thread_siblings", cpu % 2 == 0 ? "5" : "00000000,0000000a");
        }
        assertThat(machine.read().cores()).containsExactly(CpuSet.of(0, 2), CpuSet.of(1, 3));
        assertThat(machine.read().warnings()).isEmpty();
        machine.cpu(0, "topology/core_cpus_list", "0,");
        machine.cpu(2, "topology/core_cpus_list", "");
        machine.folder(CPU + "cpu1/topology/core_cpus_list");
        CpuTopology topology = machine.read();
        assertThat(topology.cores()).containsExactly(CpuSet.of(0, 2), CpuSet.of(1, 3));
        assertThat(topology.warnings())
                .satisfiesExactly(
                        broken -> assertThat(broken)
                                .startsWith(
                                        "cpu*/topology/core_cpus_list does not hold a set of CPUs; taken as missing")
                                .contains("(CPUs 0, first: ")
                                .contains("\"0,\""),
                        unreadable -> assertThat(unreadable)
                                .contains("cannot be read")
                                .contains("(CPUs 1, first: "),
                        empty -> assertThat(empty).contains("names no CPU").contains("(CPUs 2, first: "));
    }

    @Test
    void numbersServeWhereNoSiblingsAreTold() {
        FakeMachine machine = new FakeMachine(root).states("0-3");
        for (int cpu = 0; cpu < 4; cpu++) {
            machine.cpu(cpu, "topology/core_id", String.valueOf(cpu % 2))
                    .cpu(cpu, "topology/physical_package_id", "36");
        }
        machine.cpu(3, "topology/physical_package_id", "8442");
        CpuTopology topology = machine.read();
        assertThat(topology.cores()).containsExactly(CpuSet.of(0, 2), CpuSet.of(1), CpuSet.of(3));
        assertThat(topology.sockets()).containsExactly(CpuSet.range(0, 2), CpuSet.of(3));
        assertThat(topology.warnings())
                .contains("no CPU tells its core siblings: topology/core_id and physical_package_id is used");
    }

    @Test
    void coreNumbersOfUnknownPackagesAreNotTrusted() {
        FakeMachine machine = new FakeMachine(root).states("0-1");
        for (int cpu = 0; cpu < 2; cpu++) {
            machine.cpu(cpu, "topology/core_id", "0").cpu(cpu, "topology/physical_package_id", "-1");
        }
        CpuTopology topology = machine.read();
        assertThat(topology.cores()).containsExactly(CpuSet.of(0), CpuSet.of(1));
        assertThat(topology.warnings()).anyMatch(text -> text.endsWith("a core of its own"));
    }

    @Test
    void aSilentCpuJoinsThoseThatNameIt() {
        FakeMachine machine = FakeMachine.complete(root, "0-3")
                .cpu(0, "topology/core_cpus_list", "0,2")
                .without(CPU + "cpu2/topology/core_cpus_list");
        CpuTopology topology = machine.read();
        assertThat(topology.siblings(2)).isEqualTo(CpuSet.of(0, 2));
        assertThat(topology.warnings())
                .containsExactly("core siblings are not told; taken from the other CPUs that name this one"
                        + " (CPUs 2, first: CPUs 0,2)");
        machine.without(CPU + "cpu3/topology/core_cpus_list");
        assertThat(machine.read().siblings(3)).isEqualTo(CpuSet.of(3));
        assertThat(machine.read().warnings())
                .contains("no core siblings are told for CPUs 3: each is taken as a group of its own");
    }

    @Test
    void siblingsThatContradictEachOtherAreDivided() {
        CpuTopology topology = FakeMachine.complete(root, "0-3")
                .cpu(0, "topology/core_cpus_list", "0-2")
                .cpu(1, "topology/core_cpus_list", "0-2")
                .cpu(3, "topology/core_cpus_list", "0")
                .read();
        assertThat(topology.cores()).containsExactly(CpuSet.of(0, 1), CpuSet.of(2), CpuSet.of(3));
        assertThat(topology.warnings())
                .containsExactly(
                        "core siblings lack the CPU itself; taken as missing (CPUs 3, first: CPUs 0)",
                        "core siblings name CPUs that do not say the same; those that do are one group"
                                + " (CPUs 0, first: CPUs 0-2, said by 0-1)",
                        "no core siblings are told for CPUs 3: each is taken as a group of its own");
    }

    @Test
    void absentSiblingsAreLeftOut() {
        CpuTopology topology = FakeMachine.complete(root, "0-1")
                .cpu(1, "topology/core_cpus_list", "1,77")
                .read();
        assertThat(topology.siblings(1)).isEqualTo(CpuSet.of(1));
        assertThat(topology.warnings())
                .containsExactly("core siblings name absent CPUs; they are left out (CPUs 1, first: CPUs 1,77)");
    }

    @Test
    void aCoreInTwoSocketsIsWarnedOf() {
        FakeMachine machine = FakeMachine.complete(root, "0-1");
        for (int cpu = 0; cpu < 2; cpu++) {
            machine.cpu(cpu, "topology/core_cpus_list", "0-1")
                    .cpu(cpu, "topology/package_cpus_list", String.valueOf(cpu))
                    .cpu(cpu, "topology/die_id", "-1");
        }
        CpuTopology topology = machine.read();
        assertThat(topology.cores()).hasSize(1);
        assertThat(topology.sockets()).hasSize(2);
        assertThat(topology.warnings())
                .contains("the files put CPUs 0-1 in one core but in more than one socket; taken as told");
    }

    @Test
    void diesThatOnlySomeTellAreNotUsed() {
        CpuTopology topology = FakeMachine.complete(root, "0-1")
                .without(CPU + "cpu1/topology/die_id")
                .read();
        assertThat(topology.dies()).isEqualTo(topology.sockets());
        assertThat(topology.warnings()).containsExactly("only CPUs 0 tell their die: each socket is taken as one die");
    }

    @Test
    void absentCpusOfANodeAreLeftOut() {
        CpuTopology topology = FakeMachine.complete(root, "0-3")
                .file(NODE + "node0/cpulist", "0-2,900")
                .read();
        assertThat(topology.nodes().get(0).cpus()).isEqualTo(CpuSet.range(0, 2));
        assertThat(topology.cpu(3).node()).isEqualTo(-1);
        assertThat(topology.warnings())
                .anyMatch(text -> text.endsWith("node0 lists absent CPUs: 900; they are left out"))
                .anyMatch(text -> text.endsWith("lists CPUs 3: their node is unknown"))
                .hasSize(2);
    }

    @Test
    void aCpuOfTwoNodesIsInNeither() {
        CpuTopology topology = FakeMachine.complete(root, "0-3")
                .file(NODE + "online", "0-1")
                .file(NODE + "node1/cpumap", "8")
                .read();
        assertThat(topology.cpu(3).node()).isEqualTo(-1);
        assertThat(topology.cpu(2).node()).isZero();
        assertThat(topology.warnings()).anyMatch(text -> text.contains("lists CPUs 3: their node is taken as unknown"));
    }

    @Test
    void nodeFilesThatDisagreeAreWarnedOf() {
        FakeMachine machine = FakeMachine.complete(root, "0-3").file(NODE + "node0/cpumap", "7");
        assertThat(machine.read().cpu(3).node()).isZero();
        assertThat(machine.read().warnings())
                .singleElement()
                .asString()
                .endsWith("cpulist holds \"0-3\", but cpumap means \"0-2\"; the list is taken");
        machine.without(NODE + "node0/cpumap").without(NODE + "node0/cpulist");
        assertThat(machine.read().warnings()).anyMatch(text -> text.contains("has no readable cpulist or cpumap"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10", "10 x", "10 20 30", "9 20", "10 99999999", "20 10", "-10 20"})
    void distancesThatMakeNoSenseAreUnknown(String distance) {
        CpuTopology topology = FakeMachine.complete(root, "0-3")
                .file(NODE + "online", "0-1")
                .file(NODE + "node1/cpulist", "")
                .file(NODE + "node0/distance", distance)
                .read();
        assertThat(topology.nodes().get(0).distances()).isEmpty();
        assertThat(topology.warnings())
                .singleElement()
                .asString()
                .contains("node0/distance holds \"" + distance + "\"");
    }

    @Test
    void cachesThatDoNotTellEnoughAreLeftOut() {
        CpuTopology topology = FakeMachine.complete(root, "0-1")
                .cpu(0, "cache/index2/level", "99")
                .without(CPU + "cpu1/cache/index2/shared_cpu_list")
                .read();
        assertThat(topology.caches()).isEmpty();
        assertThat(topology.llcDomains()).isEmpty();
        assertThat(topology.warnings())
                .anyMatch(text -> text.contains("does not hold a number from 1 to 9") && text.contains("\"99\""))
                .anyMatch(text -> text.startsWith("cpu*/cache/index* does not tell its level: left out"))
                .anyMatch(text -> text.startsWith("cpu*/cache/index* does not tell who shares it: left out"));
    }

    @Test
    void aHigherCacheSharedByFewerCpusIsWarnedOf() {
        FakeMachine machine = FakeMachine.complete(root, "0-1");
        CpuTopology topology = machine.cache(0, 3, "Unified", "0").read();
        assertThat(topology.l3Domains()).containsExactly(CpuSet.of(0));
        assertThat(topology.warnings())
                .containsExactly("CPUs 0-1 share a level 2 cache, but the level 3 cache of CPU 0 is that of"
                        + " CPUs 0; taken as told");
    }

    @Test
    void typeAndSizeOfACacheMayBeUnknown() {
        CpuTopology topology = FakeMachine.complete(root, "0-1")
                .cpu(0, "cache/index2/type", "Strange")
                .cpu(1, "cache/index2/type", "Strange")
                .cpu(0, "cache/index2/size", "lots")
                .cpu(1, "cache/index2/size", "0K")
                .read();
        assertThat(topology.caches()).containsExactly(new CpuCache(2, CpuCache.Type.UNKNOWN, -1, CpuSet.of(0, 1)));
        assertThat(topology.llcDomains()).hasSize(1);
        assertThat(topology.warnings())
                .anyMatch(text -> text.contains("taken as a cache that holds data") && text.contains("\"Strange\""))
                .anyMatch(text -> text.contains("does not hold a size as in 32K") && text.contains("\"lots\""));
    }

    @Test
    void sizesThatDifferAreUnknown() {
        CpuTopology topology = FakeMachine.complete(root, "0-1")
                .cpu(1, "cache/index2/size", "1M")
                .read();
        assertThat(topology.caches()).extracting(CpuCache::sizeBytes).containsExactly(-1L);
        assertThat(topology.warnings()).singleElement().asString().contains("tell different sizes");
    }

    @Test
    void numbersOutOfRangeAreUnknown() {
        for (String number : List.of("0", "-5", "1025", "99999999999999999999", "1e3", "")) {
            CpuTopology topology = FakeMachine.complete(root, "0")
                    .cpu(0, "cpu_capacity", number)
                    .read();
            assertThat(topology.cpu(0).capacity()).isEqualTo(-1);
            assertThat(topology.warnings())
                    .singleElement()
                    .asString()
                    .contains("cpu_capacity does not hold a number from 1 to 1024")
                    .endsWith("\"" + number + "\")");
        }
    }

    @Test
    void theSameProblemOnManyCpusIsOneWarning() {
        FakeMachine machine = FakeMachine.complete(root, "0-9");
        for (int cpu = 0; cpu < 10; cpu++) {
            machine.cpu(cpu, "cpu_capacity", "much");
        }
        assertThat(machine.read().warnings()).singleElement().asString().contains("(CPUs 0-9, first: ");
    }

    private static String block(int cpu, int socket, int core) {
        return "processor\t: " + cpu + "\nphysical id\t: " + socket + "\ncore id\t\t: " + core + "\n\n";
    }
}
