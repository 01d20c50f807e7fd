// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** Prints why a command broke off, and makes that exit code 1. A difference of results is a line for each. */
final class FailureMessage implements IExecutionExceptionHandler {
    @Override
    public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
        String name = command.getCommandSpec().qualifiedName();
        if (failure instanceof DifferenceException differing) {
            differing.differences().forEach(line -> command.getErr().println(name + ": " + line));
        } else {
            command.getErr().println(name + ": unexpected " + failure.getClass().getName() + " (please report this)");
            failure.printStackTrace(command.getErr());
        }
        command.getErr().flush();
        return CommandLine.ExitCode.SOFTWARE;
    }
}
