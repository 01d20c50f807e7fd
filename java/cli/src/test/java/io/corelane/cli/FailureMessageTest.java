// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class FailureMessageTest {
    private final StringWriter err = new StringWriter();

    private int fail(Exception failure) {
        CommandLine commandLine = new CommandLine(new Failing(failure));
        commandLine.setErr(new PrintWriter(err)).setExecutionExceptionHandler(new FailureMessage());
        return commandLine.execute();
    }

    @Test
    void whatTheUserCanActOnIsOneLine() {
        assertThat(fail(new CommandException("--out=x: is a file", new IllegalStateException())))
                .isEqualTo(1);
        assertThat(err.toString()).isEqualTo("failing: --out=x: is a file" + System.lineSeparator());
    }

    @Test
    void anythingElseComesWithItsStackTrace() {
        assertThat(fail(new IllegalStateException("defect"))).isEqualTo(1);
        assertThat(err.toString())
                .startsWith("failing: unexpected java.lang.IllegalStateException")
                .contains("at io.corelane.cli.FailureMessageTest");
    }

    @Command(name = "failing")
    private record Failing(Exception failure) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            throw failure;
        }
    }
}
