// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** What a command line has come to. */
record Run(int exitCode, String out, String err) {
    static Run of(CommandLine commandLine, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = commandLine
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err, true))
                .setExecutionExceptionHandler(new FailureMessage())
                .execute(arguments);
        return new Run(exitCode, out.toString(), err.toString());
    }

    static Run ofMain(String... arguments) {
        return of(Main.commandLine(), arguments);
    }
}
