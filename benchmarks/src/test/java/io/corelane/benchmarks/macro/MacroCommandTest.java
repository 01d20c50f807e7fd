// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.macro;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.benchmarks.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class MacroCommandTest {
    @TempDir
    Path directory;

    private final StringWriter output = new StringWriter();

    private int run(String... arguments) {
        CommandLine command = Main.commandLine();
        command.setOut(new PrintWriter(output));
        command.setErr(new PrintWriter(output));
        List<String> all = new ArrayList<>(List.of("macro"));
        all.addAll(List.of(arguments));
        return command.execute(all.toArray(String[]::new));
    }

    private void files(String ending, String text) throws IOException {
        for (int i = 0; i < 5; i++) {
            Files.writeString(directory.resolve(i + ending), text.replace("N", String.valueOf(i)));
        }
    }

    @Test
    void luceneFindsTheSameWithBothExecutors() throws IOException {
        files(".txt", "the thread N");
        assertThat(run("lucene", "--files", directory.toString(), "--rounds", "1"))
                .as("%s", output)
                .isZero();
        assertThat(output.toString())
                .contains("lucene: 5 documents, 2000 hits, each time") // 2 of 10 words, 200 searches each, 5 documents
                .contains("times as good as tpe-lbq");
    }

    @Test
    void jsonHasTheSameNodesWithBothExecutors() throws IOException {
        files(".json", "{\"a\": [N, 2, {\"b\": null}]}");
        assertThat(run("json", "--files", directory.toString(), "--rounds", "2"))
                .as("%s", output)
                .isZero();
        assertThat(output.toString()).contains("json: 5 files, 30 nodes").contains("times as good as fjp-lifo");
    }

    @Test
    void httpAnswersEveryRequestAndTellsTheTail() {
        assertThat(run("http", "--requests", "50", "--rate", "500", "--rounds", "1"))
                .as("%s", output)
                .isZero();
        assertThat(output.toString())
                .contains("50 good answers of 50")
                .contains("p99.9")
                .contains("at p99");
    }

    @Test
    void wrongUsageIsTold() {
        assertThat(run("chess")).isEqualTo(2);
        assertThat(output.toString()).contains("workload=chess (expected lucene, json or http)");
    }

    @ParameterizedTest
    @CsvSource({
        "--rate, 0",
        "--rate, -1",
        "--requests, 0",
        "--requests, -5",
        "--rounds, 0",
        "--rounds, -1",
        "--workers, 0",
        "--most, 0"
    })
    void aNumberOfNothingIsRefusedByNameAndValue(String option, String value) {
        assertThat(run("http", option + "=" + value)).isEqualTo(2);
        assertThat(output.toString())
                .isEqualTo("benchmarks macro: " + option + "=" + value + " (expected at least 1)"
                        + System.lineSeparator());
    }

    @Test
    void aDirectoryWithoutSuchFilesIsAnError() {
        assertThat(run("json", "--files", directory.toString())).isEqualTo(1);
        assertThat(output.toString())
                .isEqualTo("benchmarks macro: --files=" + directory
                        + ": cannot be used: it has no text files that end in '.json' (expected at least one)"
                        + System.lineSeparator());
    }

    @ParameterizedTest
    @ValueSource(strings = {"lucene", "json"})
    void realFilesHaveToBeNamed(String workload) {
        assertThat(run(workload)).isEqualTo(2);
        assertThat(output.toString())
                .startsWith("benchmarks macro: --files is missing (expected a directory for " + workload + ")");
    }

    @Test
    void whatIsNoDirectoryIsRefused() throws IOException {
        Path zip = Files.writeString(directory.resolve("src.zip"), "");
        assertThat(run("lucene", "--files", zip.toString())).isEqualTo(2);
        assertThat(run("lucene", "--files", directory.resolve("none").toString()))
                .isEqualTo(2);
        assertThat(output.toString())
                .startsWith("benchmarks macro: --files=" + zip
                        + " is a file (expected a directory; an archive has to be unpacked)")
                .contains("--files=" + directory.resolve("none") + " does not exist (expected a directory")
                .doesNotContain("\tat ");
    }
}
