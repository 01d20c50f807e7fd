// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportRunTest {
    @TempDir
    Path directory;

    /** Answers at once, and is interrupted after a number of forks. */
    private final class Recorder extends ForkRunner {
        final List<String> ran = new ArrayList<>();
        private final int stopAfter;

        Recorder(int stopAfter) {
            super(directory, Recorded.profile());
            this.stopAfter = stopAfter;
        }

        @Override
        ForkResult run(Fork fork) throws IOException {
            if (ran.size() == stopAfter) {
                throw new IOException("interrupted");
            }
            ran.add(fork.id());
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
