// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.macro;

import io.corelane.benchmarks.CommandException;
import io.corelane.benchmarks.Subjects;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code macro}: real software with Corelane and with its default executor, in turn, A B B A. */
@Command(
        name = "macro",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Runs real software with Corelane and with its default executor in turn, checks that the results are"
                        + " the same, and prints the ratio.")
public final class MacroCommand implements Callable<Integer> {
    @Parameters(paramLabel = "WORKLOAD", description = "lucene, json or http.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String name;

    @Option(names = "--files", paramLabel = "DIR", description = "Directory of real files; needed for lucene and json.")
    private @Nullable Path files;

    @Option(names = "--ending", description = "Which of them (default: .txt, for json .json).", defaultValue = "")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String ending;

    @Option(
            names = "--most",
            description = "How many of them at most (default: ${DEFAULT-VALUE}).",
            defaultValue = "5000")
    private int most;

    @Option(names = "--requests", description = "For http (default: ${DEFAULT-VALUE}).", defaultValue = "10000")
    private int requests;

    @Option(names = "--rate", description = "Requests a second (default: ${DEFAULT-VALUE}).", defaultValue = "1000")
    private int rate;

    @Option(names = "--workers", description = "Threads (default: ${DEFAULT-VALUE}).", defaultValue = "2")
    private int workers;

    @Option(
            names = "--rounds",
            description = "Pairs after one to warm up (default: ${DEFAULT-VALUE}).",
            defaultValue = "6")
    private int rounds;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** Creates the command; picocli fills it. */
    public MacroCommand() {}

    @Override
    public Integer call() throws Exception {
        expectPositive("--most", most);
        expectPositive("--requests", requests);
        expectPositive("--rate", rate);
        expectPositive("--workers", workers);
        expectPositive("--rounds", rounds);
        Workload workload = workload();
        List<String> subjects = List.of("corelane", workload.defaultSubject());
        List<List<Double>> millis = List.of(new ArrayList<>(), new ArrayList<>());
        List<Histogram> late = List.of(new Histogram(3), new Histogram(3));
        String expected = "";
        for (int round = 0; round <= rounds; round++) {
            for (int place = 0; place < 2; place++) {
                int which = round % 2 == 0 ? place : 1 - place;
                long start = System.nanoTime();
                String result = runOnce(workload, subjects.get(which));
                double took = (System.nanoTime() - start) / 1e6;
                if (!expected.isEmpty() && !result.equals(expected)) {
                    throw new IllegalStateException(
                            subjects.get(which) + ": " + result + " (expected " + expected + ")");
                }
                expected = result;
                if (round > 0) {
                    millis.get(which).add(took);
                    if (workload instanceof HttpWorkload http) {
                        late.get(which).add(http.lateness());
                    }
                }
            }
        }
        print(workload, subjects, millis, late, expected);
        return 0;
    }

    private void expectPositive(String option, int value) {
        if (value < 1) {
            throw new ParameterException(spec.commandLine(), option + "=" + value + " (expected at least 1)");
        }
    }

    private String runOnce(Workload workload, String subject) throws Exception {
        ExecutorService executor = Subjects.create(subject, workers);
        try {
            return workload.run(executor);
        } finally {
            executor.shutdownNow();
        }
    }

    private Workload workload() throws CommandException {
        return switch (name) {
            case "lucene" -> new LuceneWorkload(texts(".txt"));
            case "json" -> new JsonWorkload(texts(".json"));
            case "http" -> new HttpWorkload(requests, rate);
            default ->
                throw new ParameterException(
                        spec.commandLine(), "workload=" + name + " (expected lucene, json or http)");
        };
    }

    private List<String> texts(String usualEnding) throws CommandException {
        if (files == null) {
            throw new ParameterException(
                    spec.commandLine(), "--files is missing (expected a directory for " + name + ")");
        }
        if (!Files.isDirectory(files)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--files=" + files + (Files.exists(files) ? " is a file" : " does not exist")
                            + " (expected a directory; an archive has to be unpacked)");
        }
        try {
            return Corpus.read(files, ending.isEmpty() ? usualEnding : ending, most);
        } catch (IOException e) {
            throw CommandException.of("--files=" + files + ": cannot be used", e);
        }
    }

    private void print(
            Workload workload, List<String> subjects, List<List<Double>> millis, List<Histogram> late, String result) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(name + ": " + result + ", each time");
        for (int which = 0; which < 2; which++) {
            if (workload instanceof HttpWorkload) {
                out.println(percentiles(subjects.get(which), late.get(which)));
            } else {
                out.printf(
                        Locale.ROOT,
                        "%-10s %.1f ms, median of %d%n",
                        subjects.get(which),
                        median(millis.get(which)),
                        rounds);
            }
        }
        double ours = workload instanceof HttpWorkload ? late.get(0).getValueAtPercentile(99) : median(millis.get(0));
        double theirs = workload instanceof HttpWorkload ? late.get(1).getValueAtPercentile(99) : median(millis.get(1));
        out.printf(
                Locale.ROOT,
                "corelane is %.2f times as good as %s%s%n",
                theirs / ours,
                subjects.get(1),
                workload instanceof HttpWorkload ? " at p99" : "");
        out.flush();
    }

    private static String percentiles(String subject, Histogram late) {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "%-10s", subject));
        for (double percentile : new double[] {50, 90, 99, 99.9, 100}) {
            text.append(String.format(
                    Locale.ROOT, " p%s %.0f us", percentile, late.getValueAtPercentile(percentile) / 1e3));
        }
        return text.toString();
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
