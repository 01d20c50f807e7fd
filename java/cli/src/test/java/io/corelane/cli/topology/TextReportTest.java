// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.CpuSet;
import io.corelane.topology.CgroupLimits;
import io.corelane.topology.CpuLimits;
import io.corelane.topology.CpuTopology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TextReportTest {
    @TempDir
    private Path root;

    @BeforeEach
    void writeTree() throws IOException {
        RecordedTree.write(root);
    }

    @Test
    void showsTheMachineAndWhatTheProcessMayUse() {
        String text = TextReport.of(new Machine(
                Path.of("/"), CpuTopology.read(root), new CpuLimits(CpuSet.of(0, 2), CgroupLimits.read(root), 1)));
        assertThat(text).isEqualToNormalizingNewlines("""
                        CPU topology, read from /

                          online     0-2
                          offline    3
                          possible   0-7
                          isolated   2
                          nohz_full  none
                          sockets    1
                          cores      2
                          classes    performance 0-1, efficiency 2
                          caches     1 x L3 2 MiB
                          node 0     CPUs 0-2; distances 10

                          CPU  core  SMT  socket  node  L3  class        capacity
                            0     0    0       0     0   0  performance      1024  default
                            1     0    1       0     0   0  performance      1024  not allowed
                            2     1    0       0     0   0  efficiency        446  allowed, isolated

                        Default scheduler: 1 worker on CPU 0.
                          - affinity mask: 0,2
                          - cpuset: not told
                          - CPU quota: none
                          - -XX:ActiveProcessorCount: the JVM was told to use 1 CPU""");
    }

    @Test
    void showsControlGroupsAndThatTheyMayLeaveNoCpu() {
        CgroupLimits cgroups = new CgroupLimits(CpuSet.of(1), "/cg/cpuset.cpus", 1.5, "/cg/cpu.max", List.of("odd"));
        String text = TextReport.of(new Machine(
                Path.of("/"), CpuTopology.read(root), new CpuLimits(CpuSet.of(0, 2), cgroups, Integer.MAX_VALUE)));
        assertThat(text).contains("446  not allowed, isolated").endsWith("""
                        Default scheduler: none, for there is no CPU that this process may use.
                          - affinity mask: 0,2
                          - cpuset: 1 (/cg/cpuset.cpus)
                          - mask and cpuset have no CPU in common
                          - CPU quota: 1.50 CPUs, enough for 2 workers (/cg/cpu.max)
                          - odd""");
    }

    @Test
    void saysNothingOfTheProcessForAnotherMachine() {
        String text = TextReport.of(new Machine(root, CpuTopology.read(root), null));
        assertThat(text)
                .contains("446  isolated")
                .doesNotContain("allowed")
                .endsWith(
                        "Default scheduler: unknown. These are the files of another machine, to which the limits of this"
                                + " process do not apply.");
    }

    @Test
    void showsWarnings() throws IOException {
        Files.delete(root.resolve("sys/devices/system/cpu/possible"));
        String text = TextReport.of(new Machine(root, CpuTopology.read(root), null));
        assertThat(text)
                .contains("Warnings:" + System.lineSeparator() + "  - ")
                .endsWith("possible is missing or broken: the present CPUs are taken as possible");
    }

    @Test
    void showsADashForWhatIsNotTold() throws IOException {
        Path bare = Files.createDirectories(root.resolve("bare/sys/devices/system/cpu"));
        Files.writeString(bare.resolve("online"), "0,1500");
        String text = TextReport.of(new Machine(root, CpuTopology.read(root.resolve("bare")), null));
        assertThat(text)
                .contains("caches     not told", "NUMA nodes not told")
                .contains("  1500     1    0       0     -   -  performance" + System.lineSeparator())
                .doesNotContain("MHz", "capacity");
    }

    @Test
    void sizesAreReadable() {
        assertThat(Machine.size(-1)).isEqualTo("unknown size");
        assertThat(Machine.size(32 << 10)).isEqualTo("32 KiB");
        assertThat(Machine.size(1280 << 10)).isEqualTo("1280 KiB");
        assertThat(Machine.size(1000)).isEqualTo("1 KiB");
        assertThat(Machine.size(3L << 40)).isEqualTo("3145728 MiB");
    }
}
