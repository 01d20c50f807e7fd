// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.affinity.CpuSet;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CpuLimitsTest {
    private static final int NOT_TOLD = Integer.MAX_VALUE;

    @TempDir
    private Path root;

    private static CpuLimits limits(String mask, String cpuset, double quota, int processors) {
        CpuSet cpus = cpuset == null ? null : CpuSet.parse(cpuset);
        CgroupLimits cgroups = new CgroupLimits(
                cpus, cpuset == null ? "" : "/cg/cpuset.cpus.effective", quota, "/cg/cpu.max", List.of());
        return new CpuLimits(CpuSet.parse(mask), cgroups, processors);
    }

    @Test
    void allowedIsWhatMaskAndCpusetHaveInCommon() {
        assertThat(limits("0-3", "2-5", 9, NOT_TOLD).allowed()).isEqualTo(CpuSet.of(2, 3));
        assertThat(limits("0-3", null, 9, NOT_TOLD).allowed()).isEqualTo(CpuSet.range(0, 3));
        assertThat(limits("0-3", "4", 9, NOT_TOLD).allowed()).isEqualTo(CpuSet.empty());
    }

    @Test
    void theSmallestLimitIsTheNumberOfWorkers() {
        assertThat(limits("0-3", null, Double.POSITIVE_INFINITY, NOT_TOLD).defaultCpus())
                .isEqualTo(CpuSet.range(0, 3));
        assertThat(limits("0-3", "1-3", 9, NOT_TOLD).defaultCpus()).isEqualTo(CpuSet.range(1, 3));
        assertThat(limits("0-3", "1-3", 1.5, NOT_TOLD).defaultCpus()).isEqualTo(CpuSet.of(1, 2));
        assertThat(limits("0-3", "1-3", 1.5, 1).defaultCpus()).isEqualTo(CpuSet.of(1));
        assertThat(limits("0-3", "1-3", 0.01, NOT_TOLD).defaultWorkers()).isEqualTo(1);
    }

    @Test
    void whatIsSaidDoesNotDependOnTheLocale() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        try {
            assertThat(limits("0-3", "2-5", 1.5, 3).describe())
                    .containsExactly(
                            "affinity mask: 0-3",
                            "cpuset: 2-5 (/cg/cpuset.cpus.effective)",
                            "mask and cpuset differ: allowed are the CPUs of both, 2-3",
                            "CPU quota: 1.50 CPUs, enough for 2 workers (/cg/cpu.max)",
                            "-XX:ActiveProcessorCount: the JVM was told to use 3 CPUs");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void whatThereIsNotIsSaidToo() {
        assertThat(limits("0-3", null, Double.POSITIVE_INFINITY, NOT_TOLD).describe())
                .containsExactly("affinity mask: 0-3", "cpuset: not told", "CPU quota: none");
        assertThat(limits("0-1", "2-3", 0.5, NOT_TOLD).describe())
                .contains(
                        "mask and cpuset have no CPU in common",
                        "CPU quota: 0.50 CPUs, enough for 1 worker (/cg/cpu.max)");
        assertThat(limits("0-1", "0-1", 0.5, NOT_TOLD).describe()).noneMatch(line -> line.contains("differ"));
    }

    @Test
    void ofARecordedMaskOnlyOnlineCpusCount() {
        new FakeMachine(root).file("proc/self/status", "Name:\tjava\nCpus_allowed:\tff\nCpus_allowed_list:\t1-127");
        CpuLimits limits = CpuLimits.read(root, CpuSet.range(0, 3));
        assertThat(limits.mask()).isEqualTo(CpuSet.range(1, 3));
        assertThat(limits.defaultWorkers()).isEqualTo(3);
    }

    @Test
    void withoutARecordedMaskTheOnlineCpusAreIt() {
        assertThat(CpuLimits.read(root, CpuSet.of(4, 6)).mask()).isEqualTo(CpuSet.of(4, 6));
    }

    @Test
    void aNameCutWithinALetterIsNoObstacle() throws Exception {
        Path status = Files.createDirectories(root.resolve("proc/self")).resolve("status");
        byte[] text = "Name:\tgr\u00f6\nCpus_allowed_list:\t2\n".getBytes(StandardCharsets.ISO_8859_1);
        Files.write(status, text);
        assertThat(CpuLimits.read(root, CpuSet.range(0, 3)).mask()).isEqualTo(CpuSet.of(2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Name:\tjava", "Cpus_allowed_list:\t0-x"})
    void aStatusFileWithoutAMaskIsAnErrorThatNamesIt(String content) {
        new FakeMachine(root).file("proc/self/status", content);
        assertThatThrownBy(() -> CpuLimits.read(root, CpuSet.of(0)))
                .isInstanceOf(TopologyException.class)
                .hasMessageStartingWith(root + "/proc/self/status: does not tell the affinity mask: ")
                .hasMessageEndingWith(" (expected a line as in \"Cpus_allowed_list: 0-3,8\")");
    }

    @Test
    void thisProcessMayUseSomeOnlineCpus() {
        CpuLimits limits = CpuLimits.read();
        assertThat(CpuTopology.read().online().containsAll(limits.mask())).isTrue();
        assertThat(limits.defaultWorkers()).isBetween(1, limits.mask().size());
    }
}
