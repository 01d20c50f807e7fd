// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The {@code examples index} command. */
@Command(
        name = "index",
        mixinStandardHelpOptions = true,
        versionProvider = ManifestVersion.class,
        description =
                "Hashes all files below a directory, and the entries of .jar and .zip archives, and counts files, bytes"
                        + " and distinct contents by extension. Links are not followed.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all versions had the same result; what cannot be read is listed",
            "1:results differ, also because files have changed, or the run broke off",
            "2:wrong usage"
        })
final class IndexCommand implements Callable<Integer> {
    private final Function<Pools, List<Version<Path, FileIndex>>> versions;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Mixin
    private final RunOptions options = new RunOptions();

    @Parameters(paramLabel = "DIR", description = "the directory")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path directory;

    @Option(names = "--json", description = "print index and times as one JSON document")
    private boolean json;

    IndexCommand() {
        this(IndexVersions::of);
    }

    IndexCommand(Function<Pools, List<Version<Path, FileIndex>>> versions) {
        this.versions = versions;
    }

    @Override
    public Integer call() throws DifferenceException {
        options.validate();
        if (!Files.isDirectory(directory)) {
            throw options.usage("DIR=" + directory + " is no directory (expected one that exists)");
        }
        try (Pools pools = options.startPools()) {
            List<Version<Path, FileIndex>> contenders = versions.apply(pools);
            Comparison.Measured<FileIndex> measured =
                    new Comparison<>(() -> directory, contenders, IndexCheck::differences).run(options.rounds());
            IndexReport report = new IndexReport(
                    directory.toString(), pools.scheduler().workers(), measured.value(), measured.timings());
            PrintWriter out = spec.commandLine().getOut();
            if (json) {
                out.println(report.json());
            } else {
                out.println(report.text());
                out.println(directory + " indexed, " + pools.setup());
                out.println(Report.setups(contenders));
                out.println(Report.table(report.timings()));
            }
            out.flush();
        }
        return CommandLine.ExitCode.OK;
    }
}
