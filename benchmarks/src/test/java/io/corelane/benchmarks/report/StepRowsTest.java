// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.corelane.benchmarks.ForkTrees;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class StepRowsTest {
    private static StepRows rows(Row.Kind kind, String variant, String subject) {
        Row row = new Row("r", "", kind, 1, 2, 0, variant, List.of(subject));
        return new StepRows(new Task(new Fork(row, subject, 0), 2000, 0, 1));
    }

    @ParameterizedTest
    @CsvSource({
        "FIB, corelane-unpinned",
        "FIB, fjp-lifo",
        "TREE, corelane-unpinned",
        "TREE, fjp-fifo",
        "TREE, direct",
        "SKYNET, corelane-unpinned",
        "SKYNET, fjp-lifo",
        "SKYNET, direct"
    })
    void treesHaveTheResultOfPlainRecursion(Row.Kind kind, String subject) throws Exception {
        for (String variant : kind == Row.Kind.SKYNET ? List.of("", StepRows.OUTSIDE) : List.of("")) {
            assertThat(rows(kind, variant, subject).trees().values())
                    .isNotEmpty()
                    .allMatch(figure -> figure > 0);
        }
    }

    /** Measures until no thread of an earlier test ends meanwhile. */
    private static double bytesPerFork(Row.Kind kind, String subject) throws Exception {
        StepRows rows = rows(kind, "", subject);
        Double bytes = null;
        while (bytes == null) {
            bytes = rows.trees().each(kind.costs(), rows.forksPerStep(), 0).get(Cost.BYTES);
        }
        return bytes;
    }

    @Test
    void aForkTakesTheBytesOfItsObjectAndPlainRecursionNone() throws Exception {
        for (Row.Kind kind : List.of(Row.Kind.FIB, Row.Kind.TREE, Row.Kind.SKYNET)) {
            assertThat(bytesPerFork(kind, "corelane-unpinned"))
                    .as("%s: an object, a place in an array for skynet, more for those that were shared", kind)
                    .isBetween(16.0, 200.0);
            assertThat(bytesPerFork(kind, "direct"))
                    .as("%s: plain recursion, and what measuring takes", kind)
                    .isLessThan(8);
        }
    }

    @ParameterizedTest
    @CsvSource({"corelane-unpinned", "fjp-fifo", "tpe-lbq"})
    void chainsAndFanOutsEnd(String subject) throws Exception {
        for (Measured figures : List.of(
                rows(Row.Kind.SELF_SUBMISSION, "", subject).selfSubmission(),
                rows(Row.Kind.PING_PONG, "", subject).pingPong(),
                rows(Row.Kind.FAN_OUT_RESULTS, "10", subject).fanOut(),
                rows(Row.Kind.FAN_OUT_COUNTED, "1000", subject).fanOut())) {
            assertThat(figures.values()).isNotEmpty().allMatch(figure -> figure > 0);
        }
    }

    @ParameterizedTest
    @CsvSource({"corelane-lanes-unpinned", "tpe-lbq-hash", "netty-hash"})
    void keyedJobsAreAllRun(String subject) throws Exception {
        assertThat(rows(Row.Kind.KEYED, "100", subject).keyed().values())
                .isNotEmpty()
                .allMatch(figure -> figure > 0);
    }

    @ParameterizedTest
    @CsvSource({
        "corelane, even",
        "corelane, skewed",
        "parallel-stream, even",
        "parallel-stream, skewed",
        "direct, skewed"
    })
    void loopsHaveTheSumOfThePlainLoop(String subject, String shape) throws Exception {
        assertThat(rows(Row.Kind.LOOP, shape, subject).loops().values())
                .isNotEmpty()
                .allMatch(figure -> figure > 0);
    }

    @Test
    void aSubjectThatHasNoLoopIsRefused() {
        assertThatThrownBy(() -> rows(Row.Kind.LOOP, "even", "tpe-lbq").loops())
                .hasMessage("subject=tpe-lbq (expected direct, corelane or parallel-stream)");
    }

    @Test
    void anExecutorWithoutForksIsRefused() {
        assertThatThrownBy(() -> ForkTrees.on("tpe-lbq", 1)).hasMessageContaining("subject=tpe-lbq (expected direct");
    }

    @Test
    void aFigureIsARateOrATime() {
        assertThat(Row.Kind.EXECUTE.figure(1_000, 10_000)).isCloseTo(100, within(1e-9));
        assertThat(Row.Kind.FIB.figure(1_000, 10_000)).isCloseTo(10, within(1e-9));
        assertThat(Row.Kind.TREE.figure(2, 10_000)).isCloseTo(5, within(1e-9));
        assertThat(Row.Kind.SKYNET.figure(1, 3_000_000)).isCloseTo(3, within(1e-9));
    }
}
