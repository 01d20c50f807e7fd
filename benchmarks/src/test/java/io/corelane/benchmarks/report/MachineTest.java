// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MachineTest {
    @ParameterizedTest
    @ValueSource(doubles = {-1, 0, 0.5})
    void aQuietMachineIsNotSpokenOf(double load) {
        assertThat(Machine.describe(load))
                .containsEntry("load average before", String.valueOf(load))
                .doesNotContainKey("noise");
    }

    @Test
    void theHeadOfAReportSaysThatOthersUsedCpus() throws Exception {
        Map<String, String> machine = Machine.describe(1.25);
        String noise = "load average 1.25 before the run (expected at most 0.5): other processes use CPUs";
        assertThat(machine.get("noise")).startsWith(noise);
        Report report = Report.of("", machine, Recorded.profile(), List.of());
        String page = MarkdownPage.of(report);
        assertThat(page.substring(0, page.indexOf("##"))).contains("- noise: " + noise);
        assertThat(HtmlPage.of(report)).contains("id=\"noise\"").contains(noise);
    }
}
