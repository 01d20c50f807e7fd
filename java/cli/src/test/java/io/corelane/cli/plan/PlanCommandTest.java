// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.corelane.cli.topology.RecordedTree;
import io.corelane.topology.CpuLimits;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class PlanCommandTest {
    private record Result(int exitCode, String out, String err) {}

    @TempDir
    private Path root;

    @Test
    void thisMachineIsPlannedWithTheLimitsOfThisProcess() {
        Result result = run();
        assertThat(result.exitCode()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.out())
                .startsWith("worker  ")
                .contains("\naffinity mask: " + CpuLimits.read().mask() + "\n");
        JsonObject json = json(run("--json"));
        assertThat(json.getAsJsonArray("workers")).hasSize(CpuLimits.read().defaultWorkers());
    }

    /** The core of CPUs 0 and 1, CPU 2 that is isolated, CPU 3 that is offline. */
    @Test
    void anotherMachineIsPlannedWithItsOwnLimits() throws IOException {
        Path machine = RecordedTree.write(root);
        Path self = Files.createDirectories(machine.resolve("proc/self"));
        Files.writeString(self.resolve("status"), "Cpus_allowed_list:\t0-1\n");
        Files.writeString(self.resolve("cgroup"), "0::/\n");
        Files.writeString(self.resolve("mountinfo"), "30 23 0:26 / /cg rw - cgroup2 cgroup2 rw\n");
        Path group = Files.createDirectory(machine.resolve("cg"));
        Files.writeString(group.resolve("cpu.max"), "50000 100000\n");
        Files.writeString(group.resolve("cpuset.cpus.effective"), "0-2\n");
        Result result = run("--root", machine.toString());
        assertThat(result.exitCode()).isZero();
        assertThat(result.out().replace(root.toString(), "ROOT")).isEqualToNormalizingNewlines("""
                worker  CPU  core  SMT  socket  node  L3  class        why
                     0    0     0    0       0     0   0  performance  allowed, first of its core

                left out: 1 (not the first CPU of its core)
                left out: 2 (not allowed by mask)
                left out: 3 (offline)
                selection: allowed one-per-core
                affinity mask: 0-1
                cpuset: 0-2 (ROOT/cg/cpuset.cpus.effective)
                mask and cpuset differ: allowed are the CPUs of both, 0-1
                CPU quota: 0.50 CPUs, enough for 1 worker (ROOT/cg/cpu.max)
                note: one CPU per core: 1 core for 1 worker
                """);
    }

    @Test
    void jsonHasThePlaceOfEachCpu() throws IOException {
        RecordedTree.write(root);
        JsonObject json = json(run("--json", "--root", root.toString(), "--cpus", "spread exclude:1"));
        assertThat(json.get("selection").getAsString()).isEqualTo("allowed exclude:1 spread");
        JsonArray workers = json.getAsJsonArray("workers");
        assertThat(workers)
                .extracting(JsonElement::toString)
                .containsExactly(
                        "{\"worker\":0,\"cpu\":0,\"core\":0,\"socket\":0,\"node\":0,\"l3\":0,\"smt\":0,"
                                + "\"class\":\"performance\",\"reason\":\"allowed\"}",
                        "{\"worker\":1,\"cpu\":2,\"core\":1,\"socket\":0,\"node\":0,\"l3\":0,\"smt\":0,"
                                + "\"class\":\"efficiency\",\"reason\":\"allowed, isolated\"}");
        assertThat(json.getAsJsonArray("leftOut"))
                .extracting(out -> out.getAsJsonObject().get("reason").getAsString())
                .containsExactly("excluded", "offline");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "isolated         | 2",
                "0-1 whole-cores  | 0",
                "class:efficiency | 2",
                "allowed          | 0-2",
            })
    void theSelectionIsReadFromItsTextForm(String selection, String cpus) throws IOException {
        RecordedTree.write(root);
        Result result = run("--cpus=" + selection, "--root=" + root, "--json");
        StringBuilder found = new StringBuilder();
        json(result).getAsJsonArray("workers").forEach(worker -> found.append(found.isEmpty() ? "" : ",")
                .append(worker.getAsJsonObject().get("cpu")));
        assertThat(found.toString()).isEqualTo(cpus.replace("0-2", "0,1,2"));
    }

    @Test
    void theNumberOfWorkersIsMetOrRefusedWithBothNumbers() throws IOException {
        RecordedTree.write(root);
        assertThat(json(run("--workers", "2", "--root", root.toString(), "--json"))
                        .getAsJsonArray("workers"))
                .hasSize(2);
        Result refused = run("--workers", "4", "--root", root.toString());
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err())
                .isEqualTo("corelane plan: workers=4 (expected 1..3: the selection \"allowed\" comes to CPUs 0-2; allow"
                        + " more with sharing(true) or Pinning.OFF)" + System.lineSeparator());
    }

    @Test
    void aSelectionThatCannotBeMetIsExitCode1AndNamesTheCpus() throws IOException {
        RecordedTree.write(root);
        Result refused = run("--cpus", "0,3-4", "--root", root.toString(), "--json");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err())
                .isEqualTo("corelane plan: selection \"cpus:0,3-4\" asks for CPUs that cannot be used: 3 (offline),"
                        + " 4 (absent) (expected CPUs of 0-2)" + System.lineSeparator());
    }

    @Test
    void anUnreadableTreeIsExitCode1AndAMessage() throws IOException {
        Result missing = run("--root", root.resolve("missing").toString());
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.err()).startsWith("corelane plan: " + root.resolve("missing") + ": is not a folder");
        Path self = Files.createDirectories(RecordedTree.write(root).resolve("proc/self"));
        Files.writeString(self.resolve("status"), "Name:\tjava\n");
        Result broken = run("--root", root.toString());
        assertThat(broken.exitCode()).isEqualTo(1);
        assertThat(broken.err()).contains("proc/self/status: does not tell the affinity mask");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--cpus=everything", "--cpus=", "--cpus=first:0", "--workers=0", "--workers=-1", "--workers=x"})
    void wrongUsageIsExitCode2AndNamesTheValue(String argument) {
        Result result = run(argument);
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .contains(argument.substring(argument.indexOf('=') + 1))
                .contains("Usage: plan");
    }

    @Test
    void theMessageOfTheParserIsPassedOn() {
        assertThat(run("--cpus", "pack spread").err())
                .contains("selection \"pack spread\" has \"pack\" and \"spread\" (expected one of them)");
        assertThat(run("--workers", "0").err()).contains("--workers=0 (expected at least 1)");
    }

    @Test
    void unknownArgumentsAreExitCode2() {
        assertThat(run("--yaml").exitCode()).isEqualTo(2);
        assertThat(run("extra").exitCode()).isEqualTo(2);
    }

    @Test
    void theHelpHasTheWordsOfASelection() {
        Result help = run("--help");
        assertThat(help.exitCode()).isZero();
        assertThat(help.out())
                .contains("allowed ", "cpus:", "isolated ", "class:", "node:", "socket:", "llc:", "exclude:")
                .contains("one-per-core ", "whole-cores ", "pack ", "spread ", "first:", "at-least:")
                .contains("Exit codes:");
    }

    private static JsonObject json(Result result) {
        assertThat(result.err()).isEmpty();
        assertThat(result.exitCode()).isZero();
        return JsonParser.parseString(result.out()).getAsJsonObject();
    }

    private static Result run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = new CommandLine(new PlanCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
        return new Result(exitCode, out.toString(), err.toString());
    }
}
