// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The {@code examples queens} command. */
@Command(
        name = "queens",
        mixinStandardHelpOptions = true,
        versionProvider = ManifestVersion.class,
        description = "Counts the ways to place N queens on a board of N by N so that none attacks another.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all versions had the same result", "1:results differ, or the run broke off", "2:wrong usage"
        })
final class QueensCommand implements Callable<Integer> {
    /** Takes minutes; larger boards take hours. */
    private static final int MAX_BOARD = 18;

    private final Function<Pools, List<Version<Integer, Long>>> versions;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Mixin
    private final RunOptions options = new RunOptions();

    @Option(
            names = "--board",
            paramLabel = "N",
            defaultValue = "12",
            description = "rows, columns and queens; default: ${DEFAULT-VALUE}")
    private int board;

    QueensCommand() {
        this(QueensVersions::of);
    }

    QueensCommand(Function<Pools, List<Version<Integer, Long>>> versions) {
        this.versions = versions;
    }

    @Override
    public Integer call() throws DifferenceException {
        options.validate();
        options.requireRange("--board", board, 1, MAX_BOARD);
        try (Pools pools = options.startPools()) {
            List<Version<Integer, Long>> contenders = versions.apply(pools);
            Comparison.Measured<Long> measured =
                    new Comparison<>(() -> board, contenders, QueensCommand::differences).run(options.rounds());
            PrintWriter out = spec.commandLine().getOut();
            out.println(Report.format("%d queens: %,d solutions, %s", board, measured.value(), pools.setup()));
            out.println(Report.setups(contenders));
            out.println(Report.table(measured.timings()));
            out.flush();
        }
        return CommandLine.ExitCode.OK;
    }

    private static List<String> differences(Long result, Long expected) {
        return Objects.equals(result, expected)
                ? List.of()
                : List.of(result + " solutions (expected " + expected + ")");
    }
}
