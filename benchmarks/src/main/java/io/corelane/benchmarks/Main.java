// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.benchmarks.macro.MacroCommand;
import io.corelane.benchmarks.report.ReportCommand;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The jar's command: {@code report} and {@code macro} are ours, anything else is for JMH. */
@Command(
        name = "benchmarks",
        description = "Corelane beside the executors that a Java user would take instead.",
        synopsisHeading = "Usage: java -jar benchmarks.jar COMMAND, or arguments of JMH%n",
        customSynopsis = "",
        commandListHeading = "%nCommands, each with --help:%n",
        footerHeading = "%nAnything else:%n",
        footer = {
            "  Other arguments are JMH's: 'ExternalJobs.execute$' runs one benchmark,",
            "  -l lists all, -h is JMH's help. Documents instead of empty jobs:",
            "  java -jar java/cli/target/corelane.jar markdown --help",
            "  Method and results: benchmarks/README.md"
        },
        subcommands = {ReportCommand.class, MacroCommand.class})
public final class Main implements Callable<Integer> {
    private static final Set<String> HELP = Set.of("help", "--help");

    @Option(
            names = {"--help", "help"},
            usageHelp = true,
            description = "Shows this.",
            hidden = true)
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private boolean help;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** Creates the command; picocli fills it. */
    public Main() {}

    /**
     * Runs a command.
     *
     * @param arguments the command line
     * @throws IOException if JMH cannot write
     */
    public static void main(String[] arguments) throws IOException {
        if (isOurs(arguments)) {
            System.exit(commandLine().execute(arguments));
        }
        org.openjdk.jmh.Main.main(arguments);
    }

    /** Returns whether arguments are not for JMH; without any it would run for hours. */
    static boolean isOurs(String... arguments) {
        return arguments.length == 0
                || HELP.contains(arguments[0])
                || commandLine().getSubcommands().containsKey(arguments[0]);
    }

    /**
     * Returns the command with its subcommands.
     *
     * @return to be executed once
     */
    public static CommandLine commandLine() {
        CommandLine command = new CommandLine(new Main());
        IParameterExceptionHandler usual = command.getParameterExceptionHandler();
        return command.setParameterExceptionHandler(
                        (failure, arguments) -> failure.getClass() == ParameterException.class
                                ? wrongValue(failure)
                                : usual.handleParseException(failure, arguments))
                .setExecutionExceptionHandler(new FailureMessage())
                .setExecutionStrategy(Main::executeAndCheckOutput);
    }

    /** A wrong value is a line; the usage is for who does not know the options. */
    private static int wrongValue(ParameterException failure) {
        CommandLine command = failure.getCommandLine();
        command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + failure.getMessage());
        return CommandLine.ExitCode.USAGE;
    }

    /** Figures that nobody could read are a failure. */
    private static int executeAndCheckOutput(ParseResult parsed) {
        int code = new CommandLine.RunLast().execute(parsed);
        List<CommandLine> commands = parsed.asCommandLineList();
        CommandLine command = commands.get(commands.size() - 1);
        boolean failed =
                command.getOut().checkError() || System.out.checkError(); // the first does not see errors of the second
        if (!failed) {
            return code;
        }
        command.getErr().println(command.getCommandSpec().qualifiedName() + ": standard output could not be written");
        return code == CommandLine.ExitCode.OK ? CommandLine.ExitCode.SOFTWARE : code;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return CommandLine.ExitCode.USAGE;
    }
}
