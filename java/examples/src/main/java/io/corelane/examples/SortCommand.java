// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.io.PrintWriter;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The {@code examples sort} command. */
@Command(
        name = "sort",
        mixinStandardHelpOptions = true,
        versionProvider = ManifestVersion.class,
        description = "Sorts random longs.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all versions had the same result", "1:results differ, or the run broke off", "2:wrong usage"
        })
final class SortCommand implements Callable<Integer> {
    private static final long SEED = 20_000_000;
    /** The numbers, the expected result, the array at work and what its version needs beside it, and some air. */
    private static final long BYTES_PER_NUMBER = 5 * Long.BYTES;

    private final Function<Pools, List<Version<long[], long[]>>> versions;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Mixin
    private final RunOptions options = new RunOptions();

    @Option(
            names = "--size",
            paramLabel = "N",
            defaultValue = "20000000",
            description = "how many longs; default: ${DEFAULT-VALUE}")
    private int size;

    SortCommand() {
        this(SortVersions::of);
    }

    SortCommand(Function<Pools, List<Version<long[], long[]>>> versions) {
        this.versions = versions;
    }

    @Override
    public Integer call() throws DifferenceException {
        options.validate();
        requireMemory(Runtime.getRuntime().maxMemory());
        long[] numbers = new SplittableRandom(SEED).longs(size).toArray();
        try (Pools pools = options.startPools()) {
            List<Version<long[], long[]>> contenders = versions.apply(pools);
            List<Timing> timings = new Comparison<>(numbers::clone, contenders, ArrayCheck::differences)
                    .run(options.rounds())
                    .timings();
            PrintWriter out = spec.commandLine().getOut();
            out.println(Report.format("%,d random longs sorted, %s", size, pools.setup()));
            out.println(Report.setups(contenders));
            out.println(Report.table(timings));
            out.flush();
        }
        return CommandLine.ExitCode.OK;
    }

    void requireMemory(long heapBytes) {
        long fitting = Math.min(heapBytes / BYTES_PER_NUMBER, Integer.MAX_VALUE - 8);
        if (size < 0 || size > fitting) {
            throw options.usage(Report.format(
                    "--size=%d (expected 0..%d, as many as fit into a heap of %d MiB; raise -Xmx for more)",
                    size, fitting, heapBytes >> 20));
        }
    }
}
