// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The report as Markdown: facts, raw costs, ratios, and a table for each row. */
final class MarkdownPage {
    private static final String[] COLUMNS = {"p50", "p90", "p99", "p99.9", "p99.99", "max"};
    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99, 100};

    private final Report report;
    private final StringBuilder text = new StringBuilder();

    private MarkdownPage(Report report) {
        this.report = report;
    }

    static String of(Report report) {
        MarkdownPage page = new MarkdownPage(report);
        page.write();
        return page.text.toString();
    }

    private void write() {
        line("# Executors side by side (profile " + report.profile().name() + ")");
        line("");
        for (Map.Entry<String, String> fact : report.machine().entrySet()) {
            line("- " + fact.getKey() + ": " + fact.getValue());
        }
        line("- repeat with: `" + report.command() + "`");
        line("");
        line("## Raw costs of this machine");
        line("");
        line("| step | ns |");
        line("| --- | ---: |");
        report.rawCosts().forEach((step, nanos) -> line("| " + step + " | " + number(nanos) + " |"));
        line("");
        ratios();
        for (Line line : report.lines()) {
            row(line);
        }
    }

    private void ratios() {
        line("## Ours against the best peer");
        line("");
        line("| row | ours | best peer | ratio | of direct | |");
        line("| --- | --- | --- | ---: | ---: | --- |");
        for (Line line : report.lines()) {
            String peer = line.bestPeer().isEmpty() ? "–" : line.bestPeer();
            line("| " + line.row().title() + " | " + line.row().ours() + " | " + peer + " | "
                    + ratio(line.ratio()) + " | " + ratio(line.ofDirect()) + " | "
                    + line.verdict() + " |");
        }
        line("");
        line(
                "Figures are medians over JVMs of the median over the rounds of each. Level: the spreads over the JVMs overlap. One JVM: there is no spread."
                        + " Of direct: ours against the same without a scheduler, that is plain"
                        + " loops on as many threads as there are workers (no pool can have more than 1), an open loop that runs"
                        + " its jobs itself, or plain sequential Java.");
        line("");
    }

    private void row(Line line) {
        boolean latency = line.row().kind().hasCurve();
        List<String> head = new ArrayList<>(List.of(line.row().kind().unit(), "lowest – highest JVM"));
        if (latency) {
            head.addAll(List.of(COLUMNS));
        }
        head.addAll(line.costs().values());
        boolean direct = line.row().subjects().contains(Row.DIRECT);
        if (direct) {
            head.add("of direct");
        }
        head.add("JVMs");
        line("## " + line.row().title());
        line("");
        line("| subject | " + String.join(" | ", head) + " | |");
        line("| --- | " + "---: | ".repeat(head.size()) + "--- |");
        for (Line.Entry entry : line.subjects()) {
            line("| " + entry.subject() + " | " + (entry.hasFigure() ? number(entry.median()) : "–") + " | "
                    + (entry.hasFigure() ? number(entry.lowest()) + " – " + number(entry.highest()) : "–") + " | "
                    + (latency ? percentiles(entry) : "")
                    + costs(entry, line.costs().keySet())
                    + (direct ? ratio(entry.ofDirect()) + " | " : "") + entry.forks() + " | "
                    + cell(entry.trouble()) + " |");
        }
        line("");
    }

    private static String ratio(double ratio) {
        return ratio == 0 ? "–" : String.format(Locale.ROOT, "%.2f", ratio);
    }

    private static String costs(Line.Entry entry, Set<Cost> costs) {
        StringBuilder cells = new StringBuilder();
        for (Cost cost : costs) {
            Double value = entry.costs().get(cost);
            cells.append(value == null ? "–" : number(value)).append(" | ");
        }
        return cells.toString();
    }

    private static String percentiles(Line.Entry entry) {
        StringBuilder cells = new StringBuilder();
        for (double percentile : PERCENTILES) {
            cells.append(entry.curve().stream()
                            .filter(point -> point.percentile() == percentile)
                            .findFirst()
                            .map(point -> number(point.micros()))
                            .orElse("–"))
                    .append(" | ");
        }
        return cells.toString();
    }

    private static String cell(String text) {
        return text.replace('\n', ' ').replace("|", "\\|");
    }

    /** Three significant digits, and no more zeros than needed. */
    static String number(double value) {
        if (value == 0) {
            return "0";
        }
        int decimals = (int) Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
        return String.format(Locale.ROOT, "%." + Math.min(6, decimals) + "f", value);
    }

    private void line(String line) {
        text.append(line).append('\n');
    }
}
