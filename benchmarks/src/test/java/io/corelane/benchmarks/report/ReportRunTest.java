// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportRunTest {
    @TempDir
    Path directory;

    /** Answers at once, and is interrupted after a number of forks. */
    private final class Recorder extends ForkRunner {
        final List<String> ran = new ArrayList<>();
        private final int stopAfter;
        private final Set<String> failing;

        Recorder(int stopAfter, String... failing) {
            super(directory, Recorded.profile());
            this.stopAfter = stopAfter;
            this.failing = Set.of(failing);
        }

        @Override
        ForkResult run(Fork fork) throws IOException {
            if (ran.size() == stopAfter) {
                throw new IOException("interrupted");
            }
            ran.add(fork.id());
            if (failing.contains(fork.id())) {
                return ForkResult.without(fork, ForkResult.Status.FAILED, "exit code 1: no luck");
            }
            return ForkResult.values(fork, List.of(1.0), Map.of());
        }
    }

    private List<ForkResult> run(Recorder recorder) throws Exception {
        return new ReportRun(Recorded.profile(), directory, recorder, new PrintWriter(new StringWriter())).run();
    }

    @Test
    void anInterruptedRunGoesOnWhereItWas() throws Exception {
        Recorder first = new Recorder(5);
        assertThatThrownBy(() -> run(first)).hasMessage("interrupted");
        Recorder second = new Recorder(Integer.MAX_VALUE);
        List<ForkResult> results = run(second);
        List<String> all = new ArrayList<>(List.of("raw.machine.0"));
        Fork.plan(Recorded.profile()).forEach(fork -> all.add(fork.id()));
        assertThat(first.ran).isEqualTo(all.subList(0, 5));
        assertThat(second.ran).isEqualTo(all.subList(5, all.size()));
        assertThat(results).hasSameSizeAs(all);
    }

    @Test
    void aFinishedRunRunsNothingAgain() throws Exception {
        run(new Recorder(Integer.MAX_VALUE));
        Recorder again = new Recorder(0);
        assertThat(run(again)).allMatch(result -> result.status() == ForkResult.Status.OK);
        assertThat(again.ran).isEmpty();
    }

    @Test
    void whatFailedIsRunAgain() throws Exception {
        String unlucky = "more.corelane.1";
        assertThat(run(new Recorder(Integer.MAX_VALUE, unlucky)))
                .filteredOn(ForkResult::isFailure)
                .hasSize(1);
        Recorder again = new Recorder(Integer.MAX_VALUE);
        assertThat(run(again)).noneMatch(ForkResult::isFailure);
        assertThat(again.ran).containsExactly(unlucky);
    }

    @Test
    void aReasonIsTheLastLineThatIsNoPlaceInATrace() throws Exception {
        Path log = directory.resolve("log");
        assertThat(ForkRunner.reason(Files.writeString(log, ""))).isEqualTo("its log is empty");
        assertThat(ForkRunner.reason(
                        Files.writeString(log, "WARNING: old\nException: a\n\tat x\nCaused by: b\n\tat y\n\n")))
                .isEqualTo("Caused by: b");
        assertThat(ForkRunner.reason(Files.writeString(log, "x".repeat(400)))).isEqualTo("x".repeat(300) + "...");
    }

    @Test
    void aSubjectThatIsUnknownInItsJvmIsARowThatSaysSo() throws Exception {
        Row row = new Row("r", "", Row.Kind.EXECUTE, 1, 1, 0, "", List.of("none"));
        ForkResult result = new ForkRunner(directory, Recorded.profile()).run(new Fork(row, "none", 0));
        assertThat(result.status()).isIn(ForkResult.Status.FAILED, ForkResult.Status.TIMEOUT);
        if (result.status() == ForkResult.Status.FAILED) {
            assertThat(result.message()).contains("exit code 1").contains("subject=none");
        }
    }

    @Test
    void aSubjectThatHangsIsEndedAndSaysSo() throws Exception {
        Row row = new Row("r", "", Row.Kind.EXECUTE, 1, 1, 500_000_000L, "", List.of("corelane"));
        Profile impatient = new Profile("p", List.of(row), 1, 1000, 10, 10, 64, 1, 0);
        ForkResult result = new ForkRunner(directory, impatient).run(new Fork(row, "corelane", 0));
        assertThat(result.status()).isEqualTo(ForkResult.Status.TIMEOUT);
        assertThat(result.message()).isEqualTo("not ended after 1 s");
    }
}
