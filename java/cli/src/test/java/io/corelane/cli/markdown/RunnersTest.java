// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.PinnedScheduler;
import io.corelane.affinity.Pinning;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What all three ways to run jobs have in common. */
@Timeout(60)
class RunnersTest {
    private static final PinnedScheduler SCHEDULER = PinnedScheduler.builder()
            .name("runners-test")
            .workers(2)
            .pinning(Pinning.OFF)
            .failureHandler((job, failure) -> {})
            .build();
    private static final ForkJoinPool POOL = new ForkJoinPool(2);

    private final StopSignal stop = new StopSignal(Thread.currentThread());
    private final Map<String, byte[]> written = new ConcurrentHashMap<>();
    private final List<PageJob> jobs = new ArrayList<>();

    static Stream<ConversionRunner> runners() {
        return Stream.of(
                new SequentialRunner(),
                new WindowedRunner(new ForkJoinJobPool(POOL), 2),
                new WindowedRunner(new CorelanePool(SCHEDULER), 2));
    }

    @AfterAll
    static void shutdown() {
        SCHEDULER.close();
        POOL.shutdownNow();
    }

    private void add(PageContent content) {
        String name = jobs.size() + ".html";
        Page page = new Page(name, new Location("", name), jobs.size() + ".md", 0, false, content);
        jobs.add(new PageJob(page, new PageConverter(new LinkIndex(List.of())), written::put, stop));
    }

    private static byte[] html(String text) {
        return ("<p>" + text).getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @MethodSource("runners")
    void everyJobRunsOnceAndEndingsComeInOrder(ConversionRunner runner) {
        AtomicInteger steps = new AtomicInteger();
        for (int i = 0; i < 500; i++) {
            int size = i;
            add(() -> html("x".repeat(size)));
        }

        List<Ending> endings = runner.run(jobs, stop, steps::incrementAndGet);

        assertThat(steps).hasValue(500);
        assertThat(written).hasSize(500);
        for (int i = 0; i < 500; i++) {
            assertThat(endings.get(i)).isInstanceOf(Ending.Converted.class);
            assertThat(((Ending.Converted) endings.get(i)).bytesRead()).isEqualTo(i + 3);
        }
    }

    @ParameterizedTest
    @MethodSource("runners")
    void whateverAJobThrowsIsHowItEndedAndTheRestIsConverted(ConversionRunner runner) {
        List<Error> thrown =
                List.of(new StackOverflowError("so"), new OutOfMemoryError("oom"), new LinkageError("defect"));
        for (Error failure : thrown) {
            add(() -> {
                throw failure;
            });
        }
        add(() -> {
            throw new NoSuchFileException("gone");
        });
        add(() -> html("good"));

        List<Ending> endings = runner.run(jobs, stop, () -> {});

        for (int i = 0; i < thrown.size(); i++) {
            assertFailed(endings.get(i), thrown.get(i).getClass(), thrown.get(i).getMessage());
        }
        assertFailed(endings.get(3), NoSuchFileException.class, "gone");
        assertThat(endings.get(4)).isInstanceOf(Ending.Converted.class);
        assertThat(written).containsOnlyKeys("4.md");
    }

    private static void assertFailed(Ending ending, Class<?> type, @Nullable String message) {
        assertThat(ending).isInstanceOf(Ending.Failed.class);
        assertThat(((Ending.Failed) ending).cause()).isInstanceOf(type).hasMessage(message);
    }

    @ParameterizedTest
    @MethodSource("runners")
    void realStackOverflowIsOneFailure(ConversionRunner runner) {
        add(() -> html("x".repeat(depth(0))));
        add(() -> html("good"));

        List<Ending> endings = runner.run(jobs, stop, () -> {});

        assertThat(endings.get(0)).isInstanceOf(Ending.Failed.class);
        assertThat(((Ending.Failed) endings.get(0)).cause()).isInstanceOf(StackOverflowError.class);
        assertThat(endings.get(1)).isInstanceOf(Ending.Converted.class);
    }

    @SuppressWarnings("InfiniteRecursion")
    private static int depth(int from) {
        return depth(from + 1) + 1;
    }
}
