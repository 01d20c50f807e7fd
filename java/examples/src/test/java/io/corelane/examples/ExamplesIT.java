// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the jar as users do. */
@Timeout(120)
class ExamplesIT {
    @TempDir
    private Path dir;

    @Test
    void eachProgramRunsWithoutAWordOnStandardError() throws IOException, InterruptedException {
        assertThat(run("queens", "--board", "8")).startsWith("8 queens: 92 solutions");
        assertThat(run("index", SampleTree.write(dir.resolve("tree")).toString()))
                .contains("All results are the same.");
        assertThat(run("--version")).startsWith("examples ").doesNotContain("not run from its jar");
    }

    @Test
    void sortSetsTheParallelismOfTheCommonPool() throws IOException, InterruptedException {
        assertThat(run("sort", "--size", "10000", "--workers", "3")).contains("which was set to 3");
    }

    private String run(String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java", "-jar", "target/examples.jar"));
        command.addAll(List.of(arguments));
        Path stdout = dir.resolve("stdout");
        Path stderr = dir.resolve("stderr");
        int exitCode = new ProcessBuilder(command)
                .redirectOutput(stdout.toFile())
                .redirectError(stderr.toFile())
                .start()
                .waitFor();
        assertThat(Files.readString(stderr)).isEmpty();
        assertThat(exitCode).isZero();
        return Files.readString(stdout);
    }
}
