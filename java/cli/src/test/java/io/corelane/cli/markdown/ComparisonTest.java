// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.PinnedScheduler;
import io.corelane.affinity.Pinning;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    @Test
    void medianIsTheMiddleOrTheMeanOfTheTwoInTheMiddle() {
        assertThat(new Comparison.Way("w", List.of(3.0, 1.0, 100.0)).median()).isEqualTo(3.0);
        assertThat(new Comparison.Way("w", List.of(4.0, 1.0, 2.0, 100.0)).median())
                .isEqualTo(3.0);
    }

    @Test
    void ratioIsBelowOneWhereCorelaneLoses() {
        Comparison.Way corelane = new Comparison.Way("corelane", List.of(2.0));
        Comparison.Way pool = new Comparison.Way("ForkJoinPool", List.of(1.0));
        Comparison.Way sequential = new Comparison.Way("sequential", List.of(3.0));
        Comparison comparison = new Comparison(2, 10, true, List.of(corelane, pool, sequential));

        assertThat(comparison.ratio(corelane)).isEqualTo(1.0);
        assertThat(comparison.ratio(pool)).isEqualTo(0.5);
        assertThat(comparison.ratio(sequential)).isEqualTo(1.5);
        assertThat(comparison.documentsPerSecond(corelane)).isEqualTo(5.0);
    }

    @Test
    void roundsGoForwardsAndBackwardsInTurn() {
        assertThat(IntStream.range(0, 12).map(ComparisonRun::index))
                .containsExactly(0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0);
    }

    @Test
    void everyWayIsMeasuredInEveryRoundOnTheSameWork() {
        StopSignal stop = new StopSignal(Thread.currentThread());
        Page page =
                new Page("a", new Location("", "a"), "a.md", 0, false, () -> "<p>x".getBytes(StandardCharsets.UTF_8));
        PageJob job = new PageJob(page, new PageConverter(new LinkIndex(List.of())), MarkdownSink.NOWHERE, stop);
        try (PinnedScheduler scheduler =
                PinnedScheduler.builder().workers(1).pinning(Pinning.OFF).build()) {
            Comparison comparison =
                    Objects.requireNonNull(new ComparisonRun(List.of(job, job, job), 4, stop).run(scheduler));

            assertThat(comparison.sameWork()).isTrue();
            assertThat(comparison.documents()).isEqualTo(3);
            assertThat(comparison.workers()).isEqualTo(1);
            assertThat(comparison.ways())
                    .extracting(Comparison.Way::name)
                    .containsExactly("corelane", "ForkJoinPool", "sequential");
            assertThat(comparison.ways())
                    .allSatisfy(way -> assertThat(way.seconds()).hasSize(4));
        }
    }
}
