// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import io.corelane.cli.JsonWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The report for programs: one JSON document; names carry their unit. */
final class JsonReport {
    private final BenchResult result;

    private JsonReport(BenchResult result) {
        this.result = result;
    }

    static String of(BenchResult result) {
        return JsonWriter.write(new JsonReport(result).document());
    }

    private Map<String, Object> document() {
        BenchSettings settings = result.settings();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("jobs", settings.jobs());
        document.put("workNanos", settings.workNanos());
        document.put("measuredWorkNanos", result.measuredWorkNanos());
        document.put("workSteps", result.workSteps());
        document.put("rounds", settings.rounds());
        document.put("pinning", settings.scheduler().pinning().toString());
        document.put("machine", machine());
        document.put("resolutionNanos", spread(result.resolutionNanos()));
        document.put("everyJobRanOnce", true);
        document.put("subjects", result.subjects().stream().map(this::subject).toList());
        return document;
    }

    private Map<String, Object> machine() {
        MachineFacts machine = result.machine();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("cpuModel", machine.cpuModel());
        facts.put("allowedCpus", machine.allowedCpus().toString());
        facts.put("jvmCpus", machine.jvmCpus());
        facts.put("system", machine.system());
        facts.put("jdk", machine.jdk());
        facts.put("gc", machine.gc());
        facts.put("maxHeapMebibytes", machine.maxHeapMebibytes());
        facts.put("loadAverage", machine.loadAverage());
        return facts;
    }

    private Map<String, Object> subject(SubjectResult subject) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("name", subject.subject().name());
        facts.put("setup", subject.subject().setup());
        facts.put("threads", subject.subject().threads());
        facts.put("cpus", subject.subject().cpus());
        facts.put("jobs", subject.jobs());
        facts.put("roundNanos", nanos(subject));
        facts.put("totalNanos", spread(subject.nanos()));
        facts.put("gcMillis", spread(subject.gcMillis()));
        facts.put("jobsPerSecond", spread(subject.jobsPerSecond()));
        if (!subject.equals(result.corelane())) {
            facts.put("corelaneRatio", spread(result.corelane().ratiosTo(subject)));
        }
        if (result.measuredWorkNanos() > 0) {
            facts.put("boundJobsPerSecond", result.boundJobsPerSecond(subject));
            facts.put("shareOfBound", result.shareOfBound(subject));
        }
        return facts;
    }

    private static List<Long> nanos(SubjectResult subject) {
        return subject.rounds().stream().map(RoundTime::nanos).toList();
    }

    private static Map<String, Object> spread(Spread spread) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("median", spread.median());
        values.put("min", spread.min());
        values.put("max", spread.max());
        return values;
    }
}
