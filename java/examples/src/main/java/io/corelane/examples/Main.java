// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code examples} command. Exit codes: 0 for success, 1 for a failure, 2 for wrong usage. */
@Command(
        name = "examples",
        mixinStandardHelpOptions = true,
        versionProvider = ManifestVersion.class,
        description = "Runs a program sequentially, on a ForkJoinPool and on Corelane, and compares results and times.",
        subcommands = {
            IndexCommand.class,
            QueensCommand.class,
            SortCommand.class,
        })
public final class Main implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** Creates the command; picocli fills it. */
    public Main() {}

    /**
     * Runs the command and exits with its code.
     *
     * @param arguments the command line
     */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main()).setExecutionExceptionHandler(new FailureMessage());
    }

    @Override
    public Integer call() {
        throw new ParameterException(
                spec.commandLine(),
                "no command (expected one of "
                        + String.join(", ", spec.subcommands().keySet()) + ")");
    }
}
