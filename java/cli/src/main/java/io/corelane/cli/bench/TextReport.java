// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import java.util.Locale;

/** The report for people: a head, a line for each subject, and what the numbers mean. */
final class TextReport {
    private static final String ROW = "%-19s %11s  %-29s %5s  %-27s %-20s %s";

    private final BenchResult result;
    private final StringBuilder text = new StringBuilder();

    private TextReport(BenchResult result) {
        this.result = result;
    }

    static String of(BenchResult result) {
        TextReport report = new TextReport(result);
        report.head();
        report.table();
        report.notes();
        return report.text.toString();
    }

    private void head() {
        BenchSettings settings = result.settings();
        String rounds = settings.rounds() == 1 ? "1 round" : settings.rounds() + " rounds";
        line("%,d jobs, %s, %s, one submitting thread", settings.jobs(), work(), rounds);
        MachineFacts machine = result.machine();
        line(
                "%s, CPUs allowed: %s (the JVM uses %d), %s, load average %.2f before the run",
                machine.cpuModel(), machine.allowedCpus(), machine.jvmCpus(), machine.system(), machine.loadAverage());
        line("%s, %s GC, heap up to %,d MiB", machine.jdk(), machine.gc(), machine.maxHeapMebibytes());
        for (SubjectResult subject : result.subjects()) {
            line("%s: %s", subject.subject().name(), subject.subject().setup());
        }
        line("");
    }

    private String work() {
        if (isEmpty()) {
            return "each empty";
        }
        return format(
                "each a spin of %,d ns (%,d steps, measured %,.0f ns)",
                result.settings().workNanos(), result.workSteps(), result.measuredWorkNanos());
    }

    private void table() {
        row(
                "",
                "jobs",
                "total ms",
                "GC",
                "million jobs/s",
                compared() ? "Corelane / it" : "",
                isEmpty() ? "" : "of bound");
        for (SubjectResult subject : result.subjects()) {
            row(
                    subject.subject().name(),
                    format("%,d", subject.jobs()),
                    format("%,.1f (%,.1f - %,.1f)", millis(subject.nanos())),
                    format("%,.0f", subject.gcMillis().median()),
                    rate(subject.jobsPerSecond()),
                    ratio(subject),
                    isEmpty() ? "" : format("%.1f %%", 100 * result.shareOfBound(subject)));
        }
        line("");
    }

    private String ratio(SubjectResult peer) {
        if (!compared() || peer.equals(result.corelane())) {
            return "";
        }
        Spread ratio = result.corelane().ratiosTo(peer);
        String format = ratio.median() < 100 ? "%.2f (%.2f - %.2f)" : "%.0f (%.0f - %.0f)";
        return format(format, ratio.median(), ratio.min(), ratio.max());
    }

    private static String rate(Spread jobsPerSecond) {
        String format = jobsPerSecond.median() < 1e5 ? "%.5f (%.5f - %.5f)" : "%.3f (%.3f - %.3f)";
        return format(format, jobsPerSecond.median() / 1e6, jobsPerSecond.min() / 1e6, jobsPerSecond.max() / 1e6);
    }

    private void notes() {
        line("Medians (smallest - largest). The clock runs from the first submission until the last job has run;");
        line(
                "its resolution was %.2f ms (%.2f - %.2f). GC: milliseconds of it that collections took.",
                millis(result.resolutionNanos()));
        if (compared()) {
            line("Corelane / it: jobs/s of Corelane over the peer's in the same round; below 1 the peer is faster.");
        }
        if (!isEmpty()) {
            line(
                    "Bound: %.3f million jobs/s, CPUs / measured work; the submitting thread needs a part of them.",
                    result.boundJobsPerSecond(result.corelane()) / 1e6);
        }
        line("Every job of every round ran exactly once.");
    }

    private static Object[] millis(Spread nanos) {
        return new Object[] {nanos.median() / 1e6, nanos.min() / 1e6, nanos.max() / 1e6};
    }

    private boolean compared() {
        return result.subjects().size() > 1;
    }

    private boolean isEmpty() {
        return result.measuredWorkNanos() == 0;
    }

    private void row(Object... cells) {
        text.append(format(ROW, cells).stripTrailing()).append(System.lineSeparator());
    }

    private void line(String format, Object... arguments) {
        text.append(format(format, arguments)).append(System.lineSeparator());
    }

    private static String format(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }
}
