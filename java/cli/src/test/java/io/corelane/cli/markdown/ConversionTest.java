// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.PinnedScheduler;
import io.corelane.affinity.Pinning;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ConversionTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private final PageCollector collector = new PageCollector();
    private final StopSignal stop = new StopSignal(Thread.currentThread());

    private void add(String path, PageContent content) throws IOException {
        collector.addEntry("in!/" + path, new Location("in!", path), path, 0, content);
    }

    private Report run(int compareRounds) throws IOException {
        try (PinnedScheduler scheduler = PinnedScheduler.builder()
                        .workers(2)
                        .pinning(Pinning.OFF)
                        .failureHandler((job, failure) -> {})
                        .build();
                OutputDirectory out = OutputDirectory.open(dir)) {
            return new Conversion(scheduler, collector, stop).run(out, compareRounds);
        }
    }

    @Test
    void pageThatRanOutOfHeapIsTriedOnceMoreAlone() throws IOException {
        AtomicInteger tries = new AtomicInteger();
        AtomicInteger hopeless = new AtomicInteger();
        add("a.html", () -> {
            if (tries.incrementAndGet() == 1) {
                throw new OutOfMemoryError("of another page");
            }
            return "<p>a".getBytes(UTF_8);
        });
        add("b.html", () -> {
            throw new OutOfMemoryError("try " + hopeless.incrementAndGet());
        });

        Report report = run(0);

        assertThat(dir.resolve("a.md")).content().endsWith("\na\n");
        assertThat(report.totals().converted()).isEqualTo(1);
        assertThat(report.failures())
                .containsExactly(new Failure("in!/b.html", "OutOfMemoryError: try 2 (give java a larger -Xmx)"));
    }

    @Test
    void failuresOfInputsAndOfPagesAndSkippedFilesAreInTheReport() throws IOException {
        collector.collect(List.of(dir.resolve("missing")));
        collector.skip();
        add("binary.html", () -> new byte[100]);
        add("deep.html", () -> {
            throw new StackOverflowError();
        });
        add("good.html", () -> "<p>good".getBytes(UTF_8));

        Report report = run(2);

        assertThat(report.totals().converted()).isEqualTo(1);
        assertThat(report.totals().failed()).isEqualTo(2);
        assertThat(report.totals().skipped()).isEqualTo(2);
        assertThat(report.failures())
                .extracting(Failure::name)
                .containsExactly(dir.resolve("missing") + "", "in!/deep.html");
        assertThat(report.comparison()).isNotNull();
        assertThat(report.interrupted()).isFalse();
        assertThat(dir.toFile().list()).containsExactly("good.md");
    }

    @Test
    void interruptedConversionSaysSoAndIsNotCompared() throws IOException {
        add("a.html", () -> {
            stop.request();
            return "<p>a".getBytes(UTF_8);
        });
        for (int i = 0; i < 1000; i++) {
            add(i + ".html", () -> "<p>b".getBytes(UTF_8));
        }

        Report report = run(2);

        assertThat(report.interrupted()).isTrue();
        assertThat(report.comparison()).isNull();
        assertThat(report.totals().converted() + report.totals().dropped()).isEqualTo(1001);
        assertThat(dir.toFile().list()).hasSize(report.totals().converted());
    }
}
