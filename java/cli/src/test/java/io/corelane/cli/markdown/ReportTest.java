// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.corelane.ForkCounts;
import io.corelane.PinStats;
import io.corelane.SchedulerStats;
import io.corelane.StealCounts;
import io.corelane.Submissions;
import io.corelane.WorkerStats;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReportTest {
    private static final Failure FAILURE = new Failure("a\u001b[31m\nb.html", "is \"bad\"\r\nindeed");

    private static Report report(boolean interrupted, String note, @Nullable Comparison comparison) {
        List<WorkerStats> workers = List.of(
                new WorkerStats(
                        0,
                        "t",
                        3,
                        3,
                        new PinStats(0, 0, 0, 0),
                        10,
                        1,
                        0,
                        4,
                        new StealCounts(0, 1, 0, 1),
                        5,
                        0,
                        6,
                        6,
                        0,
                        0,
                        0,
                        0,
                        Duration.ZERO,
                        0.755,
                        new ForkCounts(0, 0)),
                new WorkerStats(
                        1,
                        "t",
                        -1,
                        -1,
                        new PinStats(0, 0, 0, 0),
                        0,
                        0,
                        0,
                        0,
                        new StealCounts(0, 0, 0, 0),
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        Duration.ZERO,
                        0,
                        new ForkCounts(0, 0)));
        return new Report(
                new Totals(10, 1, 7, interrupted ? 5 : 0, 4_000_000, 1_000_000),
                2.0,
                new SchedulerStats(
                        "s",
                        note,
                        new Submissions(11, 0, 0, 0, 0),
                        10,
                        1,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        workers,
                        new ForkCounts(0, 0)),
                List.of(FAILURE),
                interrupted,
                comparison);
    }

    private static Comparison losing() {
        return new Comparison(
                2,
                10,
                false,
                List.of(
                        new Comparison.Way("corelane", List.of(2.0, 2.0)),
                        new Comparison.Way("ForkJoinPool", List.of(1.5, 1.5)),
                        new Comparison.Way("sequential", List.of(3.0, 4.0))));
    }

    @Test
    void textHasTotalsRatesAndOneLineForEachWorkerAndFailure() {
        assertThat(TextReport.of(report(false, "", null))).isEqualTo("""
                        10 documents converted in 2.000 s: 5.0 documents/s, 2.00 MB/s
                        4000000 bytes of HTML read, 1000000 bytes of Markdown written
                        1 failed, 7 skipped as no HTML

                        worker  CPU asked  CPU got     jobs   stolen  batches    parks   busy
                             0          3        3       11        4        5        6    76%
                             1          -        -        0        0        0        0     0%

                        failed:
                          a\\u001b[31m\\u000ab.html: is "bad"\\u000d\\u000aindeed
                        """);
    }

    @Test
    void textSaysThatItWasInterruptedAndWhyItRanUnpinned() {
        assertThat(TextReport.of(report(true, "pinning refused", null)))
                .startsWith("interrupted: 10 documents converted")
                .contains(
                        "1 failed, 7 skipped as no HTML, 5 not converted before the interruption\nnote: pinning refused\n");
    }

    @Test
    void textShowsLosingRatiosAsTheyAre() {
        assertThat(TextReport.of(report(false, "", losing())))
                .contains("2 workers; 2 rounds after a warm-up")
                .contains("ForkJoinPool      1.500      1.500      1.500          6.7  0.75 times as fast")
                .contains("sequential        3.500      3.000      4.000          2.9  1.75 times as fast")
                .contains("not comparable");
    }

    @Test
    void jsonHasEverythingAsValues() {
        JsonObject json = JsonParser.parseString(JsonReport.of(report(true, "n", losing())))
                .getAsJsonObject();

        assertThat(json.get("documents").getAsInt()).isEqualTo(10);
        assertThat(json.get("interrupted").getAsBoolean()).isTrue();
        assertThat(json.get("dropped").getAsInt()).isEqualTo(5);
        assertThat(json.get("documentsPerSecond").getAsDouble()).isEqualTo(5.0);
        assertThat(json.get("megabytesPerSecond").getAsDouble()).isEqualTo(2.0);
        assertThat(json.get("note").getAsString()).isEqualTo("n");
        JsonObject worker = json.getAsJsonArray("workers").get(0).getAsJsonObject();
        assertThat(worker.get("jobsStolen").getAsInt()).isEqualTo(4);
        assertThat(worker.get("busyShare").getAsDouble()).isEqualTo(0.755);
        JsonObject failure = json.getAsJsonArray("failures").get(0).getAsJsonObject();
        assertThat(failure.get("name").getAsString()).isEqualTo(FAILURE.name());
        assertThat(failure.get("reason").getAsString()).isEqualTo(FAILURE.reason());
        JsonObject comparison = json.getAsJsonObject("comparison");
        assertThat(comparison.get("sameWork").getAsBoolean()).isFalse();
        JsonObject pool = comparison.getAsJsonArray("ways").get(1).getAsJsonObject();
        assertThat(pool.get("corelaneTimesAsFast").getAsDouble()).isEqualTo(0.75);
    }

    @Test
    void jsonWithoutComparisonHasNone() {
        assertThat(JsonParser.parseString(JsonReport.of(report(false, "", null)))
                        .getAsJsonObject()
                        .has("comparison"))
                .isFalse();
    }
}
