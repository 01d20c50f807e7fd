// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import io.corelane.benchmarks.CommandException;
import io.corelane.topology.CpuLimits;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code report}: runs a profile and writes JSON, CSV, Markdown and HTML. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Runs Corelane beside other executors, each in JVMs of its own, and writes report.json, report.csv,"
                        + " report.md and report.html.")
public final class ReportCommand implements Callable<Integer> {
    private static final List<String> SAME_WHEN_RESUMED = List.of("JDK", "commit");

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "Where to write; made if absent.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path out;

    @Option(
            names = "--resume",
            description =
                    "Go on with an interrupted run of the same profile, rows, repetitions, JDK and commit: JVMs that have"
                            + " ended well are not run again.")
    private boolean resume;

    @ArgGroup
    private Size size = new Size();

    @Option(
            names = "--rows",
            paramLabel = "REGEX",
            description = "Of the profile only the rows in whose id this is found, for instance '^execute-.*-1000$'.")
    private @Nullable String rows;

    @Option(
            names = "--repetitions",
            paramLabel = "N",
            description = "How many JVMs for each row and subject; the profile says by default.")
    private @Nullable Integer repetitions;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** How much is run. */
    private static final class Size {
        @Option(names = "--quick", description = "Under five minutes; the default.")
        private boolean quick;

        @Option(names = "--full", description = "Every subject and row, six JVMs each: a night.")
        private boolean full;

        @Option(names = "--smoke", description = "A few seconds, to see that it works; the figures mean nothing.")
        private boolean smoke;

        Profile profile(int cpus) {
            if (full) {
                return Profile.full(cpus);
            }
            return smoke && !quick ? Profile.smoke() : Profile.quick(cpus);
        }

        @Override
        public String toString() {
            if (full) {
                return "--full";
            }
            return smoke ? "--smoke" : "--quick";
        }
    }

    /** Creates the command; picocli fills it. */
    public ReportCommand() {}

    @Override
    public Integer call() throws CommandException, InterruptedException {
        Profile profile = profile();
        OutputDirectory directory = OutputDirectory.open(out);
        ResumeHint hint = new ResumeHint(
                spec.commandLine().getErr(),
                spec.qualifiedName() + ": interrupted; the same command with --resume goes on");
        try {
            return exitCode(run(profile, directory), directory);
        } catch (IOException e) {
            throw CommandException.of("--out=" + out + ": cannot go on", e);
        } finally {
            hint.withdraw();
        }
    }

    private List<ForkResult> run(Profile profile, OutputDirectory directory) throws IOException, InterruptedException {
        Path forks = directory.forks();
        Map<String, String> machine = machine(forks, profile);
        PrintWriter progress = spec.commandLine().getOut();
        List<ForkResult> results = new ReportRun(profile, forks, new ForkRunner(forks, profile), progress).run();
        directory.write(Report.of(repeatCommand(), machine, profile, results));
        progress.println("written: " + directory.html());
        progress.flush();
        return results;
    }

    private int exitCode(List<ForkResult> results, OutputDirectory directory) {
        long failed = results.stream().filter(ForkResult::isFailure).count();
        if (failed == 0) {
            return CommandLine.ExitCode.OK;
        }
        tell(failed + " of " + results.size() + " JVMs failed (" + directory.markdown()
                + " says why; the same command with --resume runs them again)");
        return CommandLine.ExitCode.SOFTWARE;
    }

    private void tell(String line) {
        PrintWriter errors = spec.commandLine().getErr();
        errors.println(spec.qualifiedName() + ": " + line);
        errors.flush();
    }

    private Profile profile() {
        try {
            Profile profile = size.profile(CpuLimits.read().defaultWorkers());
            if (rows != null) {
                profile = profile.only(Pattern.compile(rows));
            }
            return repetitions == null ? profile : profile.repeated(repetitions);
        } catch (PatternSyntaxException e) {
            throw new ParameterException(
                    spec.commandLine(), "--rows=" + rows + " (expected a regular expression): " + e.getDescription());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--" + e.getMessage());
        }
    }

    /** Returns what to type to get the same rows again. */
    private String repeatCommand() {
        return "java -jar benchmarks/target/benchmarks.jar report --out DIR " + size
                + (rows == null ? "" : " --rows '" + rows.replace("'", "'\\''") + "'")
                + (repetitions == null ? "" : " --repetitions " + repetitions);
    }

    /** What the first part of a run noted about the machine; a resumed run keeps it. */
    record Begun(Profile profile, Map<String, String> machine) {}

    private Map<String, String> machine(Path forks, Profile profile) throws IOException {
        Begun now = new Begun(profile, Machine.describe());
        Path file = forks.resolve("begun");
        boolean goesOn = resume && Files.exists(file);
        Begun begun = goesOn ? Json.read(file, Begun.class) : now;
        if (goesOn) {
            checkSame(begun, now);
        } else {
            deleteAll(forks);
            Json.write(file, now);
        }
        String noise = now.machine().get(Machine.NOISE);
        if (noise != null) {
            tell(noise);
        }
        return begun.machine();
    }

    private static void deleteAll(Path forks) throws IOException {
        try (DirectoryStream<Path> old = Files.newDirectoryStream(forks)) {
            for (Path left : old) {
                Files.delete(left);
            }
        }
    }

    /** A report has one profile, JDK and commit, or its head would be wrong for some of its figures. */
    private void checkSame(Begun begun, Begun now) {
        if (!begun.profile().equals(now.profile())) {
            throw another("profile", begun.profile().describe(), now.profile().describe());
        }
        for (String fact : SAME_WHEN_RESUMED) {
            String then = begun.machine().getOrDefault(fact, "unknown");
            String here = now.machine().getOrDefault(fact, "unknown");
            if (!then.equals(here)) {
                throw another(fact, then, here);
            }
        }
    }

    private ParameterException another(String what, String begun, String now) {
        return new ParameterException(
                spec.commandLine(),
                "--resume: " + out + " has a run of " + what + " " + begun + " (expected " + now + ")");
    }
}
