// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MainTest {
    @Test
    void noCommandIsWrongUsageAndNamesTheCommands() {
        Run run = Run.ofMain();
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).startsWith("no command (expected one of index, queens, sort)");
    }

    @Test
    void everyCommandHasHelpThatNamesTheDefaults() {
        for (String command : Main.commandLine().getSubcommands().keySet()) {
            Run run = Run.ofMain(command, "--help");
            assertThat(run.exitCode()).as(command).isZero();
            assertThat(run.out()).contains("Usage: examples " + command).containsPattern("default:\\s+3");
        }
    }

    @Test
    void versionSaysThatThereIsNoneOutsideOfTheJar() {
        assertThat(Run.ofMain("--version").out().strip()).isEqualTo("examples (not run from its jar)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sort --size=-1 | --size=-1 (expected 0..",
                "sort --size=2147483647 | --size=2147483647 (expected 0..",
                "sort --size=many | Invalid value for option '--size'",
                "sort --rounds=0 | --rounds=0 (expected 1..1000)",
                "sort --workers=0 | --workers=0 (expected 1..1024)",
                "sort extra | Unmatched argument at index 1: 'extra'",
                "queens --board=0 | --board=0 (expected 1..18)",
                "queens --board=19 | --board=19 (expected 1..18)",
                "queens --workers=1025 | --workers=1025 (expected 1..1024)",
                "index | Missing required parameter: 'DIR'",
                "index no/such/directory | DIR=no/such/directory is no directory (expected one that exists)",
                "index pom.xml | DIR=pom.xml is no directory (expected one that exists)",
                "index . --rounds=1001 | --rounds=1001 (expected 1..1000)",
                "shuffle | Unmatched argument at index 0: 'shuffle'"
            })
    void wrongUsageIsExplainedAndExitsWithTwo(String arguments, String message) {
        Run run = Run.ofMain(arguments.split(" "));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).startsWith(message);
        assertThat(run.out()).isEmpty();
    }
}
