// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.CpuSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineFactsTest {
    @Test
    void cpuModelIsReadFromCpuinfo(@TempDir Path folder) throws IOException {
        Path cpuinfo = folder.resolve("cpuinfo");
        Files.writeString(cpuinfo, "processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD EPYC 7B13\n");
        assertThat(MachineFacts.cpuModel(cpuinfo)).isEqualTo("AMD EPYC 7B13");
    }

    @Test
    void cpuWithoutAModelIsNamedByItsArchitecture(@TempDir Path folder) {
        assertThat(MachineFacts.cpuModel(folder.resolve("absent"))).isEqualTo(System.getProperty("os.arch"));
    }

    @Test
    void collectorsHaveTheirUsualNames() {
        assertThat(MachineFacts.collectorName(List.of("G1 Young Generation", "G1 Old Generation")))
                .isEqualTo("G1");
        assertThat(MachineFacts.collectorName(List.of("PS MarkSweep", "PS Scavenge")))
                .isEqualTo("Parallel");
        assertThat(MachineFacts.collectorName(List.of("Copy", "MarkSweepCompact")))
                .isEqualTo("Serial");
        assertThat(MachineFacts.collectorName(List.of("ZGC Cycles", "ZGC Pauses")))
                .isEqualTo("ZGC");
        assertThat(MachineFacts.collectorName(List.of("Epsilon"))).isEqualTo("Epsilon");
    }

    @Test
    void machineIsBusyIfTheLoadIsMoreThanAThirdOrSo() {
        assertThat(loaded(0.5).isBusy()).isFalse();
        assertThat(loaded(0.7).isBusy()).isTrue();
        assertThat(loaded(-1).isBusy()).isFalse();
    }

    private static MachineFacts loaded(double load) {
        return new MachineFacts("", CpuSet.of(0, 1), 2, "", "", "", 1, load);
    }

    @Test
    void thisMachineHasCpus() {
        MachineFacts facts = MachineFacts.read();
        assertThat(facts.jvmCpus()).isBetween(1, facts.allowedCpus().size());
        assertThat(facts.jdk()).contains(Runtime.version().toString());
    }
}
