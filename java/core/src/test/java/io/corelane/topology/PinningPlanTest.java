// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.affinity.CpuSet;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans that were worked out by hand, for recorded machines whose shape is in the README beside them. */
class PinningPlanTest {
    private static final double NO_QUOTA = Double.POSITIVE_INFINITY;
    private static final Map<String, CpuTopology> TOPOLOGIES = new ConcurrentHashMap<>();

    private static CpuTopology machine(String name) {
        return TOPOLOGIES.computeIfAbsent(name, key -> CpuTopology.read(RecordedMachines.unpack(key)));
    }

    private static CpuLimits limits(CpuSet mask, @Nullable String cpuset, double quota) {
        CpuSet cpus = cpuset == null ? null : CpuSet.parse(cpuset);
        String file = "/sys/fs/cgroup/cpuset.cpus.effective";
        return new CpuLimits(
                mask,
                new CgroupLimits(
                        cpus,
                        cpus == null ? "" : file,
                        quota,
                        Double.isInfinite(quota) ? "" : "/sys/fs/cgroup/cpu.max",
                        List.of()),
                Integer.MAX_VALUE);
    }

    /** A plan for a machine without limits. */
    private static PinningPlan plan(String name, String selection, int workers) {
        CpuTopology topology = machine(name);
        return PinningPlan.of(
                topology, limits(topology.online(), null, NO_QUOTA), CpuSelection.parse(selection), workers, false);
    }

    private static PinningPlan plan(String name, CpuLimits limits, String selection, int workers) {
        return PinningPlan.of(machine(name), limits, CpuSelection.parse(selection), workers, false);
    }

    private static Map<Integer, String> reasons(PinningPlan plan) {
        return plan.leftOut().stream().collect(Collectors.toMap(PinningPlan.LeftOut::cpu, PinningPlan.LeftOut::reason));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // siblings are N and N+16, socket and node 1 have 8-15,24-31
                "intel-skx-2s32   | one-per-core                        | 0-15",
                "intel-skx-2s32   | whole-cores exclude:16,9            | 1-8,10-15",
                "intel-skx-2s32   | one-per-core exclude:0              | 1-16",
                "intel-skx-2s32   | node:1                              | 8-15,24-31",
                "intel-skx-2s32   | socket:0 one-per-core first:3       | 0-2",
                "intel-skx-2s32   | 16-31 one-per-core                  | 16-31",
                "intel-skx-2s32   | 0,16,1 whole-cores                  | 0",
                // eight nodes of two caches of three cores
                "amd-naples-2s96  | node:7                              | 42-47,90-95",
                "amd-naples-2s96  | node:0,7 one-per-core               | 0-5,42-47",
                "amd-naples-2s96  | socket:1                            | 24-47,72-95",
                "amd-naples-2s96  | llc:1                               | 3-5,51-53",
                "amd-naples-2s96  | llc:14-15 whole-cores               | 42-47",
                "amd-naples-2s96  | socket:0 node:0-4 llc:2-9 one-per-core | 6-23",
                "intel-adl-hybrid16 | class:performance                 | 0-7",
                "intel-adl-hybrid16 | class:performance one-per-core    | 0,2,4,6",
                "intel-adl-hybrid16 | class:efficiency                  | 8-15",
                "intel-adl-hybrid16 | class:performance,efficiency      | 0-15",
                "arm-phone-8      | class:performance                   | 7",
                "arm-phone-8      | class:performance,efficiency        | 3-7",
                "arm-phone-8      | class:low-power                     | 0-2",
                "s390-lpar-offline| 1,8-10                              | 1,8-10",
                "s390-lpar-offline| allowed                             | 1-5,8-19",
                "sparc64-sparse-6 | allowed                             | 6-7,10-11,14-15",
                "sparc64-sparse-6 | first:3                             | 6-7,10",
                "sparc64-sparse-6 | 10,15                               | 10,15",
            })
    void aSelectionComesToTheseCpus(String name, String selection, String cpus) {
        PinningPlan plan = plan(name, selection, 0);
        assertThat(plan.cpus()).isEqualTo(CpuSet.parse(cpus));
        assertThat(plan.cpuOfWorker()).containsExactly(CpuSet.parse(cpus).toArray());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "intel-skx-2s32  | pack     | 0,16,1,17,2,18,3,19,4,20,5,21,6,22,7,23,8,24",
                "intel-skx-2s32  | spread   | 0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15,16,24,17,25",
                "intel-skx-2s32  | allowed exclude:0 | 1,2,3,4,5",
                "amd-naples-2s96 | pack     | 0,48,1,49,2,50,3,51,4,52,5,53,6,54",
                "amd-naples-2s96 | pack one-per-core | 0,1,2,3,4,5,6",
                "amd-naples-2s96 | spread   | 0,24,6,30,12,36,18,42,3,27,9,33,15,39,21,45,1,25",
                "amd-naples-2s96 | spread socket:1 | 24,30,36,42,27,33,39,45,25,31",
                "intel-adl-hybrid16 | spread | 0,2,4,6,8,9,10,11,12,13,14,15,1,3,5,7",
                "intel-clx-2s112-isolated | isolated spread | 4,5,6,7,60,61,62,63",
            })
    void theOrderIsThatOfTheSelection(String name, String selection, String order) {
        int[] expected =
                Arrays.stream(order.split(",")).mapToInt(Integer::parseInt).toArray();
        assertThat(plan(name, selection, 0).cpuOfWorker()).startsWith(expected);
        assertThat(plan(name, selection + " first:" + expected.length, 0).cpuOfWorker())
                .containsExactly(expected);
        assertThat(plan(name, selection, expected.length).cpuOfWorker()).containsExactly(expected);
    }

    @Test
    void theDefaultIsOneCpuOfEachCoreIfThatIsEnough() {
        PinningPlan few = plan("intel-skx-2s32", "allowed", 16);
        assertThat(few.cpus()).isEqualTo(CpuSet.range(0, 15));
        assertThat(few.notes()).containsExactly("one CPU per core: 16 cores for 16 workers");
        assertThat(few.selection()).hasToString("allowed one-per-core");
        assertThat(few.workers().get(3).reason()).isEqualTo("allowed, first of its core");
        assertThat(reasons(few)).containsEntry(16, "not the first CPU of its core");
        PinningPlan many = plan("intel-skx-2s32", "allowed", 17);
        assertThat(many.cpus()).isEqualTo(CpuSet.range(0, 16));
        assertThat(many.notes()).containsExactly("all CPUs of the cores: 16 cores for 17 workers");
        assertThat(plan("intel-skx-2s32", "allowed", 0).cpus()).isEqualTo(CpuSet.range(0, 31));
        assertThat(plan("sparc64-sparse-6", "allowed", 0).notes()).noneMatch(note -> note.contains("core"));
    }

    @Test
    void theDefaultLeavesOutSlowCores() {
        PinningPlan phone = plan("arm-phone-8", "allowed", 3);
        assertThat(phone.cpuOfWorker()).containsExactly(7, 3, 4);
        assertThat(phone.notes()).contains("the fastest cores first");
        assertThat(plan("arm-phone-8", "allowed", 0).cpuOfWorker()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(plan("arm-phone-8", "first:3", 3).cpuOfWorker()).containsExactly(0, 1, 2);
        assertThat(plan("intel-adl-hybrid16", "allowed", 5).cpuOfWorker()).containsExactly(0, 2, 4, 6, 8);
    }

    @Test
    void ofAWholeCoreTheSiblingsStayFree() {
        PinningPlan plan = plan("intel-skx-2s32", "whole-cores exclude:16", 2);
        assertThat(plan.cpuOfWorker()).containsExactly(1, 2);
        assertThat(plan.workers().get(0).reason()).isEqualTo("allowed, whole core");
        assertThat(reasons(plan))
                .containsEntry(0, "its core has a CPU that is left out")
                .containsEntry(16, "excluded")
                .containsEntry(17, "sibling, stays free")
                .containsEntry(3, "not needed for 2 workers");
    }

    @Test
    void fourSiblingsAreOneCore() {
        assertThat(plan("power7-lpar-64", "whole-cores", 0).cpuOfWorker())
                .containsExactly(IntStream.range(0, 16).map(core -> 4 * core).toArray());
        assertThat(plan("power7-lpar-64", "whole-cores exclude:7", 0).cpus().contains(4))
                .isFalse();
        assertThat(plan("power7-lpar-64", "allowed", 16).cpus().size()).isEqualTo(16);
    }

    @Test
    void isolatedCpusNeedNotBeInTheMaskAndAreLeftOutWithoutBeingAskedFor() {
        CpuTopology topology = machine("intel-clx-2s112-isolated");
        CpuLimits usual = limits(topology.online().minus(topology.isolated()), null, NO_QUOTA);
        PinningPlan isolated = plan("intel-clx-2s112-isolated", usual, "isolated", 0);
        assertThat(isolated.cpus()).isEqualTo(CpuSet.parse("4-7,60-63"));
        assertThat(isolated.workers()).allMatch(worker -> worker.reason().equals("allowed, isolated"));
        assertThat(reasons(isolated)).containsEntry(0, "not isolated");
        PinningPlan cores = plan("intel-clx-2s112-isolated", usual, "isolated whole-cores", 0);
        assertThat(cores.cpuOfWorker()).containsExactly(4, 5, 6, 7);
        PinningPlan others = plan("intel-clx-2s112-isolated", usual, "allowed", 0);
        assertThat(others.cpus()).isEqualTo(usual.mask());
        assertThat(reasons(others)).containsEntry(4, "not allowed by mask");
        assertThatThrownBy(() -> plan("intel-clx-2s112-isolated", limits(usual.mask(), "0-3", NO_QUOTA), "isolated", 0))
                .hasMessageContaining("leaves no CPU (expected at least one)")
                .hasMessageContaining("4-111 (not allowed by cpuset)");
    }

    @Test
    void aListIsRefusedWithTheReasonOfEachCpu() {
        CpuTopology mainframe = machine("s390-lpar-offline");
        assertThatThrownBy(() -> plan("s390-lpar-offline", "0", 0))
                .isInstanceOf(PinningException.class)
                .hasMessage("selection \"cpus:0\" asks for CPUs that cannot be used: 0 (offline)"
                        + " (expected CPUs of 1-5,8-19)");
        assertThatThrownBy(() ->
                        plan("s390-lpar-offline", limits(mainframe.online(), "1-3", NO_QUOTA), "0-4,19-21 first:1", 0))
                .hasMessage("selection \"cpus:0-4,19-21 first:1\" asks for CPUs that cannot be used: 0 (offline),"
                        + " 4,19 (not allowed by cpuset 1-3), 20-21 (absent) (expected CPUs of 1-3)");
        assertThatThrownBy(() -> plan("s390-lpar-offline", limits(mainframe.online(), "0", NO_QUOTA), "1", 0))
                .hasMessage("selection \"cpus:1\" asks for CPUs that cannot be used: 1 (not allowed by cpuset 0)"
                        + " (expected CPUs of the cpuset 0, but none is online and free)");
        assertThatThrownBy(() -> plan("intel-skx-2s32", "31-32", 0))
                .hasMessageContaining("32 (absent)")
                .hasMessageContaining("(expected CPUs of 0-31)");
    }

    @Test
    void aListMayNameCpusOutsideOfTheMask() {
        PinningPlan plan = plan("intel-skx-2s32", limits(CpuSet.of(0, 1), null, NO_QUOTA), "1-3", 0);
        assertThat(plan.cpuOfWorker()).containsExactly(1, 2, 3);
        assertThat(plan.notes())
                .containsExactly("asked for and not in the affinity mask: CPUs 2-3; the kernel decides");
        assertThat(plan.workers().get(0).reason()).isEqualTo("asked for");
        assertThat(reasons(plan)).containsEntry(0, "not in the list");
    }

    @Test
    void theReasonsOfFiltersAreTold() {
        assertThat(reasons(plan("intel-adl-hybrid16", "class:performance", 0))).containsEntry(8, "of class efficiency");
        assertThat(reasons(plan("amd-naples-2s96", "node:1", 0))).containsEntry(0, "on node 0");
        assertThat(reasons(plan("amd-naples-2s96", "socket:1", 0))).containsEntry(0, "on socket 0");
        assertThat(reasons(plan("amd-naples-2s96", "llc:1", 0))).containsEntry(95, "under last-level cache 15");
        assertThat(reasons(plan("amd-naples-2s96", "first:1", 0))).containsEntry(95, "beyond first:1");
        assertThatThrownBy(() -> plan("sparc64-sparse-6", "node:0", 0))
                .hasMessageContaining("left out: 6-7,10-11,14-15 (node not told by the machine)");
        assertThatThrownBy(() -> plan("sparc64-sparse-6", "llc:0", 0))
                .hasMessageContaining("(last-level cache not told by the machine)");
        assertThatThrownBy(() -> plan("intel-skx-2s32", "node:2", 0))
                .isInstanceOf(PinningException.class)
                .hasMessage("selection \"allowed node:2\" leaves no CPU (expected at least one); left out:"
                        + " 0-7,16-23 (on node 0), 8-15,24-31 (on node 1); affinity mask: 0-31; cpuset: not told;"
                        + " CPU quota: none");
    }

    @Test
    void atLeastIsADemand() {
        assertThat(plan("sparc64-sparse-6", "at-least:6", 0).workers()).hasSize(6);
        assertThatThrownBy(() -> plan("sparc64-sparse-6", "exclude:6 at-least:6", 0))
                .hasMessageStartingWith("selection \"allowed exclude:6 at-least:6\" leaves 5 CPUs, 7,10-11,14-15,"
                        + " (expected at least 6); left out: 6 (excluded); affinity mask: ");
        assertThat(plan("sparc64-sparse-6", "at-least:6", 2).workers()).hasSize(2);
    }

    @Test
    void aQuotaLimitsTheWorkers() {
        CpuTopology topology = machine("intel-skx-2s32");
        PinningPlan plan = plan("intel-skx-2s32", limits(topology.online(), null, 1.5), "allowed", 0);
        assertThat(plan.cpuOfWorker()).containsExactly(0, 1);
        assertThat(plan.notes())
                .containsExactly(
                        "one CPU per core: 16 cores for 2 workers",
                        "2 workers: the CPU quota of 1.50 CPUs is enough for no more",
                        "there is a CPU quota, but every CPU is allowed: other processes under a quota may pin to the same"
                                + " ones; give each a cpuset or a list of its own, or do not pin");
        assertThat(reasons(plan)).containsEntry(2, "not needed for 2 workers");
        PinningPlan asked = plan("intel-skx-2s32", limits(topology.online(), "0-3", 1.5), "allowed", 4);
        assertThat(asked.workers()).hasSize(4);
        assertThat(asked.notes())
                .containsExactly(
                        "4 workers share the CPU quota of 1.50 CPUs: the kernel holds them up when it is used up");
        assertThat(plan("intel-skx-2s32", limits(topology.online(), "0-3", 1.5), "allowed", 0)
                        .cpuOfWorker())
                .containsExactly(0, 1);
        assertThat(plan("intel-skx-2s32", limits(topology.online(), null, 0.5), "0-3", 0)
                        .cpuOfWorker())
                .containsExactly(0);
    }

    @Test
    void theJvmsOwnLimitCounts() {
        CpuTopology topology = machine("intel-skx-2s32");
        PinningPlan plan = PinningPlan.of(
                topology, new CpuLimits(topology.online(), CgroupLimits.NONE, 1), CpuSelection.allowed(), 0, false);
        assertThat(plan.cpuOfWorker()).containsExactly(0);
        assertThat(plan.notes())
                .containsExactly(
                        "one CPU per core: 16 cores for 1 worker",
                        "1 worker: the JVM was told to use no more CPUs (-XX:ActiveProcessorCount)");
        assertThat(plan.toJson()).contains("\"activeProcessorCount\":1}");
    }

    @Test
    void aMaskAndACpusetThatDifferAreBothShown() {
        PinningPlan plan = plan("intel-skx-2s32", limits(CpuSet.range(0, 5), "4-9", NO_QUOTA), "allowed", 0);
        assertThat(plan.cpus()).isEqualTo(CpuSet.of(4, 5));
        assertThat(plan.toString())
                .contains("affinity mask: 0-5\n")
                .contains("cpuset: 4-9 (/sys/fs/cgroup/cpuset.cpus.effective)\n")
                .contains("mask and cpuset differ: allowed are the CPUs of both, 4-5\n");
        assertThat(reasons(plan))
                .containsEntry(0, "not allowed by cpuset")
                .containsEntry(6, "not allowed by mask")
                .containsEntry(31, "not allowed by cpuset");
    }

    @Test
    void aMaskAndACpusetWithNothingInCommonAreAClearError() {
        assertThatThrownBy(() -> plan("intel-skx-2s32", limits(CpuSet.range(0, 5), "8-9", NO_QUOTA), "allowed", 0))
                .isInstanceOf(PinningException.class)
                .hasMessage("selection \"allowed\" leaves no CPU (expected at least one); left out: 0-7,10-31"
                        + " (not allowed by cpuset), 8-9 (not allowed by mask); affinity mask: 0-5; cpuset: 8-9"
                        + " (/sys/fs/cgroup/cpuset.cpus.effective); mask and cpuset have no CPU in common;"
                        + " CPU quota: none");
    }

    @Test
    void moreWorkersThanCpusAreRefusedUnlessTheyMayShare() {
        assertThatThrownBy(() -> plan("sparc64-sparse-6", "exclude:6", 6))
                .isInstanceOf(PinningException.class)
                .hasMessage("workers=6 (expected 1..5: the selection \"allowed exclude:6\" comes to CPUs 7,10-11,14-15;"
                        + " allow more with sharing(true) or Pinning.OFF)");
        CpuTopology topology = machine("sparc64-sparse-6");
        PinningPlan shared = PinningPlan.of(
                topology, limits(topology.online(), null, NO_QUOTA), CpuSelection.parse("6,14"), 5, true);
        assertThat(shared.cpuOfWorker()).containsExactly(6, 14, 6, 14, 6);
        assertThat(shared.workers())
                .extracting(PinningPlan.Assignment::reason)
                .containsExactly(
                        "asked for, shared by 3 workers",
                        "asked for, shared by 2 workers",
                        "asked for, shared by 3 workers",
                        "asked for, shared by 2 workers",
                        "asked for, shared by 3 workers");
        assertThat(shared.notes()).contains("5 workers share 2 CPUs");
        assertThat(shared.cpus()).isEqualTo(CpuSet.of(6, 14));
    }

    @Test
    void aNumberOfWorkersBelowNoneIsRefused() {
        assertThatThrownBy(() -> plan("sparc64-sparse-6", "allowed", -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("workers=-1 (expected at least 1, or 0 for as many as fit)");
    }

    @Test
    void aPlanReadsLikeATable(@TempDir Path root) {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
        try {
            assertThat(small(root).toString().replace(root.toString(), "ROOT")).isEqualTo("""
                    worker   CPU  core  SMT  socket  node  L3  class        why
                         0     1     0    0       0     0   0  performance  asked for, first of its core
                         1  1030     2    0       0     -   0  performance  asked for, first of its core

                    left out: 2 (not the first CPU of its core)
                    left out: 3 (not in the list)
                    left out: 7 (offline)
                    selection: cpus:1-2,1030 one-per-core
                    affinity mask: 1-3
                    cpuset: 1-3,1030 (/sys/fs/cgroup/cpuset.cpus.effective)
                    mask and cpuset differ: allowed are the CPUs of both, 1-3
                    CPU quota: 2.50 CPUs, enough for 3 workers (/sys/fs/cgroup/cpu.max)
                    note: asked for and not in the affinity mask: CPUs 1030; the kernel decides
                    note: a warning of the control groups
                    note: no node below ROOT/sys/devices/system/node lists CPUs 1030: their node is unknown
                    """);
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void thePlanForToolsHasThePlaceOfEachCpu(@TempDir Path root) {
        String json = small(root).toJson().replace(root.toString(), "ROOT");
        assertThat(JsonText.object(json)).containsOnlyKeys("selection", "workers", "leftOut", "limits", "notes");
        assertThat(json).isEqualTo("""
                {"selection":"cpus:1-2,1030 one-per-core",\
                "workers":[\
                {"worker":0,"cpu":1,"core":0,"socket":0,"node":0,"l3":0,"smt":0,"class":"performance",\
                "reason":"asked for, first of its core"},\
                {"worker":1,"cpu":1030,"core":2,"socket":0,"node":-1,"l3":0,"smt":0,"class":"performance",\
                "reason":"asked for, first of its core"}],\
                "leftOut":[\
                {"cpu":2,"core":0,"socket":0,"node":0,"l3":0,"smt":1,"class":"performance",\
                "reason":"not the first CPU of its core"},\
                {"cpu":3,"core":1,"socket":0,"node":0,"l3":0,"smt":0,"class":"performance","reason":"not in the list"},\
                {"cpu":7,"core":-1,"socket":-1,"node":-1,"l3":-1,"smt":-1,"class":"unknown","reason":"offline"}],\
                "limits":{"mask":"1-3","cpuset":"1-3,1030","cpusetFile":"/sys/fs/cgroup/cpuset.cpus.effective",\
                "allowed":"1-3","quota":2.5,"quotaFile":"/sys/fs/cgroup/cpu.max","activeProcessorCount":null},\
                "notes":["asked for and not in the affinity mask: CPUs 1030; the kernel decides",\
                "a warning of the control groups",\
                "no node below ROOT/sys/devices/system/node lists CPUs 1030: their node is unknown"]}""");
    }

    @Test
    void jsonEscapesWhatItMust() {
        CpuTopology topology = machine("sparc64-sparse-6");
        CgroupLimits odd = new CgroupLimits(null, "", 0.25, "/a\"b\\c\td", List.of("\u00fc"));
        String json = PinningPlan.of(
                        topology, new CpuLimits(topology.online(), odd, 3), CpuSelection.allowed(), 0, false)
                .toJson();
        assertThat(json).contains("\"quotaFile\":\"/a\\\"b\\\\c\\u0009d\"").contains("\"cpuset\":null");
        Object limits = JsonText.object(json).get("limits");
        assertThat(limits)
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("quotaFile", "/a\"b\\c\td")
                .containsEntry("quota", 0.25);
    }

    /** Two CPUs of a core, one that stands alone, one far away without a node, and one that is offline. */
    private static PinningPlan small(Path root) {
        FakeMachine machine = FakeMachine.complete(root, "1-3,1030");
        machine.file(FakeMachine.CPU + "present", "1-3,7,1030").file(FakeMachine.CPU + "possible", "1-3,7,1030");
        machine.file(FakeMachine.NODE + "node0/cpulist", "1-3");
        for (int cpu : new int[] {1, 2}) {
            machine.cpu(cpu, "topology/core_cpus_list", "1-2");
        }
        for (int cpu : new int[] {1, 2, 3, 1030}) {
            machine.cache(cpu, 3, "Unified", "1-3,1030");
        }
        CpuTopology topology = machine.read();
        CgroupLimits cgroups = new CgroupLimits(
                CpuSet.parse("1-3,1030"),
                "/sys/fs/cgroup/cpuset.cpus.effective",
                2.5,
                "/sys/fs/cgroup/cpu.max",
                List.of("a warning of the control groups"));
        return PinningPlan.of(
                topology,
                new CpuLimits(CpuSet.range(1, 3), cgroups, Integer.MAX_VALUE),
                CpuSelection.parse("1-2,1030 one-per-core"),
                0,
                false);
    }
}
