// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import io.corelane.WorkerStats;
import io.corelane.cli.JsonWriter;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes a report as one JSON document. */
final class JsonReport {
    private JsonReport() {}

    static String of(Report report) {
        Map<String, Object> document = new LinkedHashMap<>();
        Totals totals = report.totals();
        document.put("documents", totals.converted());
        document.put("failed", totals.failed());
        document.put("skipped", totals.skipped());
        document.put("dropped", totals.dropped());
        document.put("interrupted", report.interrupted());
        document.put("bytesRead", totals.bytesRead());
        document.put("bytesWritten", totals.bytesWritten());
        document.put("seconds", report.seconds());
        document.put("documentsPerSecond", report.documentsPerSecond());
        document.put("megabytesPerSecond", report.megabytesPerSecond());
        document.put("note", report.stats().note());
        document.put(
                "workers",
                report.stats().workers().stream().map(JsonReport::worker).toList());
        document.put(
                "failures", report.failures().stream().map(JsonReport::failure).toList());
        Comparison comparison = report.comparison();
        if (comparison != null) {
            document.put("comparison", comparison(comparison));
        }
        return JsonWriter.write(document);
    }

    private static Map<String, Object> worker(WorkerStats worker) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("index", worker.index());
        map.put("cpuAsked", worker.cpuAsked());
        map.put("cpu", worker.cpu());
        map.put("jobsRun", worker.jobsRun());
        map.put("jobsFailed", worker.jobsFailed());
        map.put("jobsStolen", worker.jobsStolen());
        map.put("injectorBatches", worker.injectorBatches());
        map.put("parks", worker.parks());
        map.put("busyShare", worker.busyShare());
        return map;
    }

    private static Map<String, Object> failure(Failure failure) {
        return Map.of("name", failure.name(), "reason", failure.reason());
    }

    private static Map<String, Object> comparison(Comparison comparison) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("measured", "read, parse and write to a string, nothing to disk");
        map.put("workers", comparison.workers());
        map.put("documents", comparison.documents());
        map.put("sameWork", comparison.sameWork());
        map.put(
                "ways",
                comparison.ways().stream().map(way -> way(way, comparison)).toList());
        return map;
    }

    private static Map<String, Object> way(Comparison.Way way, Comparison comparison) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", way.name());
        map.put("seconds", way.seconds());
        map.put("medianSeconds", way.median());
        map.put("documentsPerSecond", comparison.documentsPerSecond(way));
        map.put("corelaneTimesAsFast", comparison.ratio(way));
        return map;
    }
}
