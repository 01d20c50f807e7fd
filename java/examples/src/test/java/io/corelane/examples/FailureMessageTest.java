// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class FailureMessageTest {
    @Test
    void eachDifferenceIsALine() {
        assertThat(fail(new DifferenceException("round 1", List.of("a", "b"))))
                .isEqualTo(new Run(
                        1,
                        "",
                        "failing: round 1: a" + System.lineSeparator() + "failing: round 1: b"
                                + System.lineSeparator()));
    }

    @Test
    void anythingElseComesWithItsStackTrace() {
        Run run = fail(new IllegalStateException("defect"));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("failing: unexpected java.lang.IllegalStateException (please report this)")
                .contains("at io.corelane.examples.FailureMessageTest");
    }

    private static Run fail(Exception failure) {
        return Run.of(new CommandLine(new Failing(failure)));
    }

    @Command(name = "failing")
    private record Failing(Exception failure) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            throw failure;
        }
    }
}
