// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/**
 * Prints why a command broke off, and makes that exit code 1. What the user can act on is a message; anything else is a
 * defect of ours and comes with its stack trace.
 */
final class FailureMessage implements IExecutionExceptionHandler {
    @Override
    public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
        String name = command.getCommandSpec().qualifiedName();
        if (failure instanceof CommandException) {
            command.getErr().println(name + ": " + failure.getMessage());
        } else {
            command.getErr().println(name + ": unexpected " + failure.getClass().getName() + " (please report this)");
            failure.printStackTrace(command.getErr());
        }
        command.getErr().flush();
        return CommandLine.ExitCode.SOFTWARE;
    }
}
