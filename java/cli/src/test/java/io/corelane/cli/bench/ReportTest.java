// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Test;

class ReportTest {
    private static final MachineFacts MACHINE =
            new MachineFacts("AMD EPYC", CpuSet.of(0, 1), 2, "Linux 6.18", "OpenJDK 17.0.15+6", "G1", 1024, 0.25);

    @Test
    void comparedEmptyJobs() {
        String expected = """
                1,000,000 jobs, each empty, 3 rounds, one submitting thread
                AMD EPYC, CPUs allowed: 0-1 (the JVM uses 2), Linux 6.18, load average 0.25 before the run
                OpenJDK 17.0.15+6, G1 GC, heap up to 1,024 MiB
                Corelane: 2 workers
                ForkJoinPool: 2 workers
                thread-per-job: scaled down

                                           jobs  total ms                         GC  million jobs/s              Corelane / it
                Corelane              1,000,000  100.0 (80.0 - 200.0)              7  10.000 (5.000 - 12.500)
                ForkJoinPool          1,000,000  50.0 (40.0 - 100.0)               7  20.000 (10.000 - 25.000)    0.50 (0.50 - 0.50)
                thread-per-job           10,000  1,000.0 (1,000.0 - 1,000.0)       7  0.01000 (0.01000 - 0.01000) 1000 (500 - 1250)

                Medians (smallest - largest). The clock runs from the first submission until the last job has run;
                its resolution was 0.10 ms (0.10 - 0.10). GC: milliseconds of it that collections took.
                Corelane / it: jobs/s of Corelane over the peer's in the same round; below 1 the peer is faster.
                Every job of every round ran exactly once.
                """;
        assertThat(TextReport.of(compared())).isEqualToNormalizingNewlines(expected);
    }

    @Test
    void jobsThatWorkAreSetAgainstTheBound() {
        assertThat(TextReport.of(working()).lines())
                .contains(
                        "1,000 jobs, each a spin of 1,000 ns (490 steps, measured 1,010 ns), 1 round, one submitting"
                                + " thread",
                        "Bound: 1.980 million jobs/s, CPUs / measured work; the submitting thread needs a part of"
                                + " them.")
                .anyMatch(line -> line.startsWith("Corelane ") && line.endsWith(" 50.5 %"))
                .noneMatch(line -> line.contains("Corelane / it"));
    }

    @Test
    void jsonHasTheSameNumbers() {
        JsonObject document = JsonParser.parseString(JsonReport.of(compared())).getAsJsonObject();
        assertThat(document.get("jobs").getAsInt()).isEqualTo(1_000_000);
        assertThat(document.get("everyJobRanOnce").getAsBoolean()).isTrue();
        assertThat(document.get("resolutionNanos")).hasToString("{\"median\":100000,\"min\":100000,\"max\":100000}");
        JsonArray subjects = document.getAsJsonArray("subjects");
        assertThat(subjects).hasSize(3);
        assertThat(subjects.get(0).getAsJsonObject().has("corelaneRatio")).isFalse();
        assertThat(subjects.get(1).toString())
                .contains("\"name\":\"ForkJoinPool\"")
                .contains("\"corelaneRatio\":{\"median\":0.5,\"min\":0.5,\"max\":0.5}")
                .contains("\"gcMillis\":{\"median\":7,\"min\":7,\"max\":7}")
                .contains("\"totalNanos\":{\"median\":50000000,\"min\":40000000,\"max\":100000000}")
                .doesNotContain("shareOfBound");
    }

    @Test
    void jsonOfJobsThatWorkHasTheBound() {
        String json = JsonParser.parseString(JsonReport.of(working())).toString();
        assertThat(json)
                .contains("\"measuredWorkNanos\":1010,\"workSteps\":490")
                .contains("\"boundJobsPerSecond\":1980200,\"shareOfBound\":0.505");
    }

    private static BenchResult compared() {
        return new BenchResult(
                settings(1_000_000, 0, 3, true),
                MACHINE,
                0,
                0,
                List.of(
                        result(subject("Corelane", "2 workers", 2), 1_000_000, 100, 80, 200),
                        result(subject("ForkJoinPool", "2 workers", 2), 1_000_000, 50, 40, 100),
                        result(subject("thread-per-job", "scaled down", 0), 10_000, 1000, 1000, 1000)));
    }

    private static BenchResult working() {
        return new BenchResult(
                settings(1000, 1000, 1, false),
                MACHINE,
                490,
                1010,
                List.of(result(subject("Corelane", "2 workers", 2), 1000, 1)));
    }

    private static BenchSettings settings(int jobs, long workNanos, int rounds, boolean compare) {
        return new BenchSettings(jobs, workNanos, rounds, compare, new SchedulerSettings(null, null, Pinning.REQUIRED));
    }

    private static Subject subject(String name, String setup, int threads) {
        return new Subject(name, setup, threads, 2, 1, ForkJoinPool::new);
    }

    private static SubjectResult result(Subject subject, int jobs, long... millis) {
        List<RoundTime> rounds = Arrays.stream(millis)
                .mapToObj(ms -> new RoundTime(ms * 1_000_000, 100_000, 7, true))
                .toList();
        return new SubjectResult(subject, jobs, rounds);
    }
}
