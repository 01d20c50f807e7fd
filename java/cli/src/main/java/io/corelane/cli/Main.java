// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli;

import io.corelane.cli.bench.BenchCommand;
import io.corelane.cli.markdown.MarkdownCommand;
import io.corelane.cli.plan.PlanCommand;
import io.corelane.cli.topology.TopologyCommand;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The {@code corelane} command. Exit codes: 0 for success, 1 for a failure, 2 for wrong usage. */
@Command(
        name = "corelane",
        mixinStandardHelpOptions = true,
        versionProvider = ManifestVersion.class,
        description = "Runs jobs on worker threads that are pinned to CPUs.",
        subcommands = {
            BenchCommand.class,
            MarkdownCommand.class,
            PlanCommand.class,
            TopologyCommand.class,
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
        return new CommandLine(new Main())
                .setExecutionExceptionHandler(new FailureMessage())
                .setExecutionStrategy(Main::executeAndCheckOutput);
    }

    /** A report that nobody could read is a failure. */
    private static int executeAndCheckOutput(ParseResult parsed) {
        int code = new CommandLine.RunLast().execute(parsed);
        List<CommandLine> commands = parsed.asCommandLineList();
        CommandLine command = commands.get(commands.size() - 1);
        boolean failed =
                command.getOut().checkError() || System.out.checkError(); // the first does not see errors of the second
        if (!failed) {
            return code;
        }
        command.getErr()
                .println(command.getCommandSpec().qualifiedName()
                        + ": the report could not be written to standard output");
        return code == CommandLine.ExitCode.OK ? CommandLine.ExitCode.SOFTWARE : code;
    }

    @Override
    public Integer call() {
        throw new ParameterException(
                spec.commandLine(),
                "no command (expected one of "
                        + String.join(", ", spec.subcommands().keySet()) + ")");
    }
}
