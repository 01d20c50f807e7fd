// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.plan;

import io.corelane.topology.CpuLimits;
import io.corelane.topology.CpuSelection;
import io.corelane.topology.CpuTopology;
import io.corelane.topology.PinningException;
import io.corelane.topology.PinningPlan;
import io.corelane.topology.TopologyException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code corelane plan} command. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        description = {
            "Shows which CPUs a selection comes to, for which worker and why, and why not the others. Pins nothing.",
            "A scheduler does not take selections yet: give it the CPUs that are shown here."
        },
        footerHeading = "%nWords of a selection, in any order, as in --cpus \"one-per-core node:0 first:4\":%n",
        footer = {
            "  allowed              start from all CPUs that the process may use; default",
            "  2-5,8 or cpus:2-5,8  start from exactly these",
            "  isolated             only CPUs that the kernel keeps other tasks away from",
            "  class:NAMES          only performance, efficiency or low-power cores",
            "  node:LIST            only these NUMA nodes",
            "  socket:LIST          only these sockets",
            "  llc:LIST             only CPUs under these last-level caches",
            "  exclude:LIST         not these CPUs",
            "  one-per-core         the first CPU of each core that is left",
            "  whole-cores          the same of cores left as a whole; siblings stay free",
            "  pack                 in this order: fill a cache and node before the next",
            "  spread               in this order: take turns among sockets, nodes, caches",
            "  first:N              no more than N",
            "  at-least:N           refused if fewer than N are left"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the plan was shown",
            "1:the selection cannot be met, or the files do not tell which CPUs there are",
            "2:wrong usage"
        })
public final class PlanCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--cpus",
            paramLabel = "SELECTION",
            converter = CpuSelectionConverter.class,
            description = "which CPUs, in the words below; default: one per core if that is enough, else all allowed")
    private CpuSelection cpus = CpuSelection.allowed();

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "how many workers; default: one for each CPU, as far as the CPU quota goes")
    private @Nullable Integer workers;

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
    public PlanCommand() {}

    @Override
    public Integer call() {
        if (workers != null && workers < 1) {
            throw new ParameterException(spec.commandLine(), "--workers=" + workers + " (expected at least 1)");
        }
        try {
            PinningPlan plan = plan();
            PrintWriter out = spec.commandLine().getOut();
            out.println(json ? plan.toJson() : plan.toString().stripTrailing());
            out.flush();
            return CommandLine.ExitCode.OK;
        } catch (TopologyException | PinningException failure) {
            PrintWriter err = spec.commandLine().getErr();
            err.println("corelane plan: " + failure.getMessage());
            err.flush();
            return CommandLine.ExitCode.SOFTWARE;
        }
    }

    private PinningPlan plan() {
        CpuTopology topology = CpuTopology.read(root);
        boolean here = root.toAbsolutePath().normalize().equals(Path.of("/"));
        CpuLimits limits = here ? CpuLimits.read() : CpuLimits.read(root, topology.online());
        return PinningPlan.of(topology, limits, cpus, workers == null ? 0 : workers, false);
    }
}
