// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.benchmarks.Main;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ResumeHintTest {
    private static final int SIGTERM_CODE = 143;

    @TempDir
    Path directory;

    @Test
    void whoEndsAReportIsToldHowToGoOn() throws Exception {
        Path errors = directory.resolve("errors");
        Process report = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "report",
                        "--smoke",
                        "--out",
                        directory.resolve("out").toString())
                .redirectOutput(directory.resolve("printed").toFile())
                .redirectError(errors.toFile())
                .start();
        Path begun = directory.resolve("out/forks/begun"); // after that every child is a fork
        List<ProcessHandle> forks = List.of();
        while (forks.isEmpty() && report.isAlive()) {
            forks = Files.exists(begun) ? report.descendants().toList() : List.of();
        }
        report.destroy();
        assertThat(report.waitFor()).isEqualTo(SIGTERM_CODE);
        assertThat(Files.readString(errors))
                .endsWith("benchmarks report: interrupted; the same command with --resume goes on"
                        + System.lineSeparator());
        for (ProcessHandle fork : forks) {
            assertThat(fork.onExit().get(1, TimeUnit.MINUTES)).isNotNull();
        }
    }
}
