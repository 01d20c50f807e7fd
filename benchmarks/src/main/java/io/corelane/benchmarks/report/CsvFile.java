// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Every round of every fork, one to a line. */
final class CsvFile {
    private CsvFile() {}

    /** A line; the names are the header. */
    @JsonPropertyOrder({"row", "subject", "repetition", "status", "figure", "value", "unit", "message"})
    record Entry(
            String row,
            String subject,
            int repetition,
            String status,
            String figure,
            String value,
            String unit,
            String message) {}

    static void write(Path file, Report report) throws IOException {
        CsvMapper mapper = new CsvMapper();
        WholeFile.write(
                file, mapper.writer(mapper.schemaFor(Entry.class).withHeader()).writeValueAsString(entries(report)));
    }

    private static List<Entry> entries(Report report) {
        List<Entry> entries = new ArrayList<>();
        for (ForkResult result : report.results()) {
            Row.Kind kind = kind(report, result);
            String unit = kind.unit();
            for (int round = 0; round < result.values().size(); round++) {
                entries.add(entry(result, "round " + round, result.values().get(round), unit));
            }
            result.curve().forEach(point -> entries.add(entry(result, "p" + point.percentile(), point.micros(), "us")));
            result.costs()
                    .forEach((cost, value) -> entries.add(
                            entry(result, cost.name().toLowerCase(Locale.ROOT), value, cost.heading(kind))));
            result.named().forEach((name, value) -> entries.add(entry(result, name, value, unit)));
            if (result.status() != ForkResult.Status.OK) {
                entries.add(new Entry(
                        result.row(),
                        result.subject(),
                        result.repetition(),
                        result.status().name(),
                        "",
                        "",
                        unit,
                        result.message()));
            }
        }
        return entries;
    }

    private static Entry entry(ForkResult result, String figure, double value, String unit) {
        return new Entry(
                result.row(),
                result.subject(),
                result.repetition(),
                result.status().name(),
                figure,
                String.valueOf(value),
                unit,
                "");
    }

    private static Row.Kind kind(Report report, ForkResult result) {
        return report.profile().rows().stream()
                .filter(row -> row.id().equals(result.row()))
                .findFirst()
                .map(Row::kind)
                .orElse(Row.Kind.RAW);
    }
}
