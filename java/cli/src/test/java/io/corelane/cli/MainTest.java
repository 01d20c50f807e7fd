// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int execute(String... arguments) {
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return commandLine.execute(arguments);
    }

    @Test
    void noCommandIsWrongUsageAndNamesTheCommands() {
        assertThat(execute()).isEqualTo(2);
        assertThat(err.toString()).contains("no command (expected one of ").contains("markdown");
    }

    @Test
    void unknownCommandIsWrongUsage() {
        assertThat(execute("markup")).isEqualTo(2);
    }

    @Test
    void everyCommandHasHelp() {
        for (String command : Main.commandLine().getSubcommands().keySet()) {
            assertThat(execute(command, "--help")).as(command).isZero();
        }
        assertThat(out.toString()).contains("Usage: corelane markdown");
    }

    @Test
    void versionSaysThatThereIsNoneOutsideOfTheJar() {
        assertThat(execute("--version")).isZero();
        assertThat(out.toString().strip()).isEqualTo("corelane (not run from its jar)");
    }
}
