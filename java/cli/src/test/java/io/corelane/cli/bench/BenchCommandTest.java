// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class BenchCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "--jobs=0 | --jobs=0 (expected 1..20000000)",
                "--jobs=many | Invalid value for option '--jobs'",
                "--work-ns=-1 | --work-ns=-1 (expected 0..100000000)",
                "--rounds=0 | --rounds=0 (expected 1..1000)",
                "--workers=0 | --workers=0 (expected 1..",
                "--workers=0 --pinning=OFF | workers=0 (expected 1..",
                "--workers=3 --cpus=0-1 | --workers=3 (expected 1..2, one for each of the CPUs 0-1; more are possible",
                "--cpus=0-1 --pinning=OFF | --cpus=0-1 with --pinning=OFF (expected REQUIRED or PREFERRED",
                "--cpus=a | Invalid value for option '--cpus': ",
                "--cpus= | '' has no CPU (expected a list such as 0-3,8)",
                "--pinning=MAYBE | Invalid value for option '--pinning'",
                "--nonsense | Unknown option: '--nonsense'"
            })
    void wrongUsageIsExplainedAndExitsWithTwo(String arguments, String message) {
        assertThat(run(arguments.split(" "))).isEqualTo(2);
        assertThat(err.toString())
                .startsWith(message.startsWith("''") ? "Invalid value" : message)
                .contains(message);
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void reportGoesToTheOutputAndProgressToTheErrors() {
        assertThat(run("--jobs=2000", "--rounds=2", "--workers=2", "--pinning=OFF"))
                .isZero();
        assertThat(out.toString())
                .startsWith("2,000 jobs, each empty, 2 rounds")
                .contains("Corelane: 2 workers, not pinned")
                .contains("Every job of every round ran exactly once.")
                .doesNotContain("ForkJoinPool");
        assertThat(err.toString()).contains("warm-up 3/3: Corelane ").contains("round 2/2: Corelane ");
    }

    @Test
    void jsonIsTheOnlyThingOnTheOutput() {
        assertThat(run("--jobs=2000", "--rounds=1", "--work-ns=100", "--pinning=OFF", "--compare", "--json"))
                .isZero();
        JsonObject document = JsonParser.parseString(out.toString()).getAsJsonObject();
        assertThat(document.get("jobs").getAsInt()).isEqualTo(2000);
        assertThat(document.get("workNanos").getAsInt()).isEqualTo(100);
        assertThat(document.get("pinning").getAsString()).isEqualTo("OFF");
        assertThat(document.getAsJsonArray("subjects"))
                .extracting(subject -> subject.getAsJsonObject().get("name").getAsString())
                .containsExactly("Corelane", "ForkJoinPool", "ThreadPoolExecutor", "thread-per-job");
    }

    @Test
    void moreJobsThanTheHeapHoldsAreWrongUsage() {
        BenchCommand command = new BenchCommand();
        new CommandLine(command).parseArgs("--jobs=1000000");
        command.requireMemory(100L << 20);
        assertThatThrownBy(() -> command.requireMemory(90L << 20))
                .isInstanceOf(CommandLine.ParameterException.class)
                .hasMessage("--jobs=1000000 (expected 1..943718, as many as fit into a heap of 90 MiB;"
                        + " raise -Xmx for more)");
    }

    @Test
    void refusedCpuIsExplainedAndExitsWithOne() {
        assertThat(run("--jobs=1", "--cpus=65535")).isEqualTo(1);
        assertThat(err.toString()).contains("65535").hasLineCount(1);
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void helpNamesTheDefaults() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString())
                .contains("jobs in a round; default: 1000000")
                .contains("REQUIRED, PREFERRED, OFF; default: REQUIRED");
    }

    private int run(String... arguments) {
        return new CommandLine(new BenchCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    command.getErr().println(failure.getMessage());
                    return 1;
                })
                .execute(arguments);
    }
}
