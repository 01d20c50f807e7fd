// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.benchmarks.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ReportCommandTest {
    @TempDir
    Path directory;

    @Test
    void aPartOfAProfileHasTheRowsThatWereAskedForInTheirOrder() {
        Profile part =
                Profile.full(2).only(Pattern.compile("^execute-.*-1000$")).repeated(2);
        assertThat(part.rows())
                .extracting(Row::id)
                .containsExactly("execute-1x2-1000", "execute-4x2-1000", "execute-64x2-1000");
        assertThat(part.repetitions()).isEqualTo(2);
        assertThat(part.name()).isEqualTo("part of full");
        assertThat(part.describe()).isEqualTo("part of full, 3 rows, 2 repetitions");
        assertThat(part.jobs())
                .as("the rest is that of the profile")
                .isEqualTo(Profile.full(2).jobs());
    }

    @Test
    void allRowsAreNoPart() {
        assertThat(Profile.quick(2).only(Pattern.compile(""))).isEqualTo(Profile.quick(2));
    }

    @Test
    void aPartWithoutRowsNamesThoseThatThereAre() {
        assertThatThrownBy(() -> Profile.smoke().only(Pattern.compile("none")))
                .hasMessageStartingWith(
                        "rows=none (expected a regular expression that is found in one of execute-1x2-0, ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"JDK", "commit"})
    void aRunOfAnotherJdkOrCommitIsNotGoneOnWith(String fact) throws IOException {
        Map<String, String> machine = new HashMap<>(Machine.describe());
        String here = machine.put(fact, "another");
        Path begun = Files.createDirectories(directory.resolve("forks")).resolve("begun");
        Json.write(begun, new ReportCommand.Begun(Profile.smoke(), machine));
        StringWriter output = new StringWriter();
        CommandLine command = Main.commandLine();
        command.setErr(new PrintWriter(output));
        assertThat(command.execute("report", "--out", directory.toString(), "--smoke", "--resume"))
                .isEqualTo(2);
        assertThat(output.toString())
                .isEqualTo("benchmarks report: --resume: " + directory + " has a run of " + fact + " another (expected "
                        + here + ")" + System.lineSeparator());
        assertThat(begun.getParent()).isDirectoryContaining(begun::equals);
        assertThat(directory.resolve("report.json")).doesNotExist();
    }

    @Test
    void jvmsThatFailAreToldByTheExitCodeAndWithAReason() throws IOException {
        StringWriter output = new StringWriter();
        CommandLine command = new CommandLine(new ReportCommand());
        command.setErr(new PrintWriter(output));
        command.setOut(new PrintWriter(new StringWriter()));
        String classPath = System.setProperty("java.class.path", directory.toString());
        try {
            assertThat(command.execute("--out", directory.toString(), "--smoke", "--rows=waiting", "--repetitions=1"))
                    .isEqualTo(1);
        } finally {
            System.setProperty("java.class.path", classPath);
        }
        assertThat(output.toString())
                .contains("report: 3 of 3 JVMs failed (" + directory.resolve("report.md") + " says why; ");
        assertThat(Files.readString(directory.resolve("report.md")))
                .contains("FAILED: exit code 1: Caused by: java.lang.ClassNotFoundException");
    }

    @ParameterizedTest
    @CsvSource({
        "--rows=(, --rows=( (expected a regular expression)",
        "--rows=none, --rows=none (expected a regular expression that is found in one of",
        "--repetitions=0, --repetitions=0 (expected at least 1)"
    })
    void whatCannotBeRunIsRefusedByNameAndValue(String argument, String message) {
        StringWriter output = new StringWriter();
        CommandLine command = new CommandLine(new ReportCommand());
        command.setErr(new PrintWriter(output));
        assertThat(command.execute("--out", directory.resolve("out").toString(), argument))
                .isEqualTo(2);
        assertThat(output.toString()).startsWith(message);
        assertThat(directory).isEmptyDirectory();
    }
}
