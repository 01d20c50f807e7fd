// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import io.corelane.PinnedScheduler;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import io.corelane.cli.CommandException;
import io.corelane.cli.CpuListConverter;
import io.corelane.cli.ManifestVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The {@code corelane markdown} command. */
@Command(
        name = "markdown",
        mixinStandardHelpOptions = true,
        versionProvider = ManifestVersion.class,
        description = "Converts HTML documents to Markdown on a Corelane scheduler, one document a job.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:everything was converted",
            "1:something was not; the report says what and why",
            "2:wrong usage",
            "130:interrupted (143 for SIGTERM); the report says what was done",
        })
public final class MarkdownCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Parameters(
            paramLabel = "INPUT",
            arity = "1..*",
            description =
                    "HTML files, directories with HTML files, and .zip or .jar archives of pages. With several, each"
                            + " directory or archive gets a directory of its own below DIR.")
    private List<Path> inputs = List.of();

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "where the Markdown goes")
    private Path out = Path.of("");

    @Option(names = "--workers", paramLabel = "N", description = "workers; default: one for each CPU")
    private @Nullable Integer workers;

    @Option(
            names = "--cpus",
            paramLabel = "LIST",
            converter = CpuListConverter.class,
            description =
                    "CPUs to pin the workers to, such as 0-3,8; a refused pin is then an error. Default: those this"
                            + " process may use, and unpinned where that is refused")
    private @Nullable CpuSet cpus;

    @Option(names = "--json", description = "print the report as one JSON document")
    private boolean json;

    @Option(
            names = "--compare",
            description =
                    "then convert again, in memory, on Corelane, on a ForkJoinPool of the same size and one after the"
                            + " other, and print the ratios")
    private boolean compare;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "6",
            description =
                    "measured rounds of --compare, after a warm-up; even numbers are fair; default: ${DEFAULT-VALUE}")
    private int rounds;

    /** Creates the command with nothing set; picocli fills it. */
    public MarkdownCommand() {}

    @Override
    public Integer call() throws CommandException {
        if (rounds < 1) {
            throw usage("--rounds=" + rounds + " (expected 1 or more)");
        }
        PinnedScheduler scheduler = scheduler();
        try {
            return convert(scheduler);
        } catch (IOException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        } finally {
            scheduler.shutdownNow();
        }
    }

    private int convert(PinnedScheduler scheduler) throws IOException {
        try (PageCollector collector = new PageCollector();
                OutputDirectory directory = OutputDirectory.open(out);
                StopSignal stop = StopSignal.install()) {
            collector.collect(inputs);
            Report report = new Conversion(scheduler, collector, stop).run(directory, compare ? rounds : 0);
            spec.commandLine()
                    .getOut()
                    .println(
                            json ? JsonReport.of(report) : TextReport.of(report).stripTrailing());
            return report.totals().failed() == 0 && !report.interrupted() ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }

    private PinnedScheduler scheduler() {
        PinnedScheduler.Builder builder = PinnedScheduler.builder()
                .name("markdown")
                .pinning(cpus == null ? Pinning.PREFERRED : Pinning.REQUIRED)
                .failureHandler((job, failure) -> {}); // every failure is a line of the report
        try {
            if (cpus != null) {
                builder.cpus(cpus);
            }
            if (workers != null) {
                builder.workers(workers);
            }
            return builder.build();
        } catch (IllegalArgumentException refused) {
            throw usage(String.valueOf(refused.getMessage()));
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
