// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.topology.CpuLimits;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class TopologyCommandTest {
    private record Result(int exitCode, String out, String err) {}

    @TempDir
    private Path root;

    @Test
    void thisMachineIsShownWithTheDefaultScheduler() {
        Result result = run();
        assertThat(result.exitCode()).isZero();
        assertThat(result.out())
                .contains("CPU topology, read from /")
                .contains("Default scheduler: " + CpuLimits.read().defaultWorkers() + " worker");
        assertThat(result.err()).isEmpty();
    }

    @Test
    void anotherMachineIsShownWithoutLimits() throws IOException {
        Result result = run("--root", RecordedTree.write(root).toString());
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).contains("of another machine, to which the limits of this process do not apply");
    }

    @Test
    void jsonIsOneDocument() throws IOException {
        Result result = run("--json", "--root", RecordedTree.write(root).toString());
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).startsWith("{").endsWith("}" + System.lineSeparator());
        assertThat(run("--json").out())
                .contains("\"defaultCpus\": \"" + CpuLimits.read().defaultCpus() + "\"");
    }

    @Test
    void anUnreadableTreeIsExitCode1AndAMessage() throws IOException {
        Result missing = run("--root", root.resolve("missing").toString());
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.out()).isEmpty();
        assertThat(missing.err())
                .isEqualTo("corelane topology: " + root.resolve("missing")
                        + ": is not a folder (expected one with sys/devices/system/cpu)" + System.lineSeparator());
        Files.writeString(RecordedTree.write(root).resolve("sys/devices/system/cpu/online"), "0-x");
        Result broken = run("--json", "--root", root.toString());
        assertThat(broken.exitCode()).isEqualTo(1);
        assertThat(broken.out()).isEmpty();
        assertThat(broken.err()).contains("online: holds \"0-x\" (expected a list as in 0-3,8)");
    }

    @Test
    void wrongUsageIsExitCode2() {
        assertThat(run("--root").exitCode()).isEqualTo(2);
        assertThat(run("--yaml").exitCode()).isEqualTo(2);
        assertThat(run("extra").err()).contains("Unmatched argument").contains("Usage: topology");
    }

    private static Result run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = new CommandLine(new TopologyCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
        return new Result(exitCode, out.toString(), err.toString());
    }
}
