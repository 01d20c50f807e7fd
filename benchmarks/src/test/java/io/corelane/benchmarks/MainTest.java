// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int execute(String... arguments) {
        CommandLine command = Main.commandLine();
        command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return command.execute(arguments);
    }

    @ParameterizedTest
    @ValueSource(strings = {"help", "--help"})
    void helpIsAnOverview(String help) {
        assertThat(Main.isOurs(help)).isTrue();
        assertThat(execute(help)).isZero();
        assertThat(out.toString())
                .startsWith("Usage: java -jar benchmarks.jar COMMAND")
                .contains("report")
                .contains("macro")
                .contains("markdown")
                .contains("Other arguments are JMH's");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void withoutArgumentsThereIsTheOverviewAndNothingRuns() {
        assertThat(Main.isOurs()).isTrue();
        assertThat(execute()).isEqualTo(2);
        assertThat(err.toString()).startsWith("Usage: java -jar benchmarks.jar COMMAND");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void everyCommandHasHelp() {
        for (String command : Main.commandLine().getSubcommands().keySet()) {
            assertThat(execute(command, "--help")).as(command).isZero();
        }
        assertThat(out.toString()).contains("Usage: benchmarks report").contains("Usage: benchmarks macro");
    }

    @Test
    void outputThatCannotBeWrittenIsALineAndExitCodeOne() {
        CommandLine command = Main.commandLine();
        command.setOut(new PrintWriter(new Full())).setErr(new PrintWriter(err));
        assertThat(command.execute("macro", "http", "--requests", "1", "--rounds", "1"))
                .isEqualTo(1);
        assertThat(err.toString())
                .isEqualTo("benchmarks macro: standard output could not be written" + System.lineSeparator());
    }

    private static final class Full extends Writer {
        @Override
        public void write(char[] characters, int from, int count) throws IOException {
            throw new IOException("No space left on device");
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @ParameterizedTest
    @ValueSource(strings = {"ExternalJobs", "-l", "-h", "reports"})
    void otherArgumentsAreForJmh(String argument) {
        assertThat(Main.isOurs(argument)).isFalse();
    }
}
