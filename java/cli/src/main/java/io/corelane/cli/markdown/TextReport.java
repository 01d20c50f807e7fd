// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import io.corelane.WorkerStats;
import java.util.Locale;

/** Writes a report for people. */
final class TextReport {
    private final Report report;
    private final StringBuilder out = new StringBuilder();

    private TextReport(Report report) {
        this.report = report;
    }

    static String of(Report report) {
        TextReport text = new TextReport(report);
        text.totals();
        text.workers();
        text.comparison();
        text.failures();
        return text.out.toString();
    }

    private void totals() {
        Totals totals = report.totals();
        line(
                "%s%d documents converted in %.3f s: %.1f documents/s, %.2f MB/s",
                report.interrupted() ? "interrupted: " : "",
                totals.converted(),
                report.seconds(),
                report.documentsPerSecond(),
                report.megabytesPerSecond());
        line("%d bytes of HTML read, %d bytes of Markdown written", totals.bytesRead(), totals.bytesWritten());
        line(
                "%d failed, %d skipped as no HTML%s",
                totals.failed(),
                totals.skipped(),
                report.interrupted() ? ", " + totals.dropped() + " not converted before the interruption" : "");
        if (!report.stats().note().isEmpty()) {
            line("note: %s", oneLine(report.stats().note()));
        }
    }

    private void workers() {
        out.append('\n');
        row("worker", "CPU asked", "CPU got", "jobs", "stolen", "batches", "parks", "busy");
        for (WorkerStats worker : report.stats().workers()) {
            row(
                    worker.index(),
                    worker.cpuAsked() < 0 ? "-" : worker.cpuAsked(),
                    worker.cpu() < 0 ? "-" : worker.cpu(),
                    worker.jobsRun() + worker.jobsFailed(),
                    worker.jobsStolen(),
                    worker.injectorBatches(),
                    worker.parks(),
                    String.format(Locale.ROOT, "%.0f%%", worker.busyShare() * 100));
        }
    }

    private void comparison() {
        Comparison comparison = report.comparison();
        if (comparison == null) {
            return;
        }
        out.append('\n');
        line(
                "compared: reading, parsing and writing to memory, nothing to disk; %d workers; %d rounds after a warm-up,"
                        + " forwards and backwards in turn",
                comparison.workers(), comparison.ways().get(0).seconds().size());
        line(
                "%-12s  %9s  %9s  %9s  %11s  %s",
                "way", "median s", "fastest s", "slowest s", "documents/s", "corelane is");
        for (Comparison.Way way : comparison.ways()) {
            line(
                    "%-12s  %9.3f  %9.3f  %9.3f  %11.1f  %.2f times as fast",
                    way.name(),
                    way.median(),
                    way.fastest(),
                    way.slowest(),
                    comparison.documentsPerSecond(way),
                    comparison.ratio(way));
        }
        if (!comparison.sameWork()) {
            line("not comparable: not every round converted the same documents to the same number of bytes");
        }
    }

    private void failures() {
        if (!report.failures().isEmpty()) {
            out.append('\n');
            line("failed:");
        }
        for (Failure failure : report.failures()) {
            line("  %s: %s", oneLine(failure.name()), oneLine(failure.reason()));
        }
    }

    private void line(String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private void row(Object... values) {
        line("%6s  %9s  %7s  %7s  %7s  %7s  %7s  %5s", values);
    }

    /** Escapes control characters: a file's name must not break the line or steer the terminal. */
    static String oneLine(String text) {
        StringBuilder line = new StringBuilder(text.length());
        text.chars().forEach(c -> {
            if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
                line.append(String.format("\\u%04x", c));
            } else {
                line.append((char) c);
            }
        });
        return line.toString();
    }
}
