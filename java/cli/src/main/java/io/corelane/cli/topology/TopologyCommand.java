// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.topology;

import io.corelane.topology.TopologyException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The {@code corelane topology} command. */
@Command(
        name = "topology",
        mixinStandardHelpOptions = true,
        description = "Shows which CPUs the machine has, and which of them a default scheduler takes.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the topology was shown", "1:the files do not tell which CPUs there are", "2:wrong usage"})
public final class TopologyCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--root",
            paramLabel = "DIR",
            defaultValue = "/",
            description =
                    "folder that holds a copy of a machine's sys and proc; default: ${DEFAULT-VALUE}, this machine")
    private Path root = Path.of("/");

    @Option(
            names = "--json",
            description = "print one JSON document; in it, -1 stands for what the machine does not tell")
    private boolean json;

    /** Creates the command with nothing set; picocli fills it. */
    public TopologyCommand() {}

    @Override
    public Integer call() {
        try {
            Machine machine = Machine.read(root);
            PrintWriter out = spec.commandLine().getOut();
            out.println(json ? JsonReport.of(machine) : TextReport.of(machine));
            out.flush();
            return CommandLine.ExitCode.OK;
        } catch (TopologyException unreadable) {
            PrintWriter err = spec.commandLine().getErr();
            err.println("corelane topology: " + unreadable.getMessage());
            err.flush();
            return CommandLine.ExitCode.SOFTWARE;
        }
    }
}
