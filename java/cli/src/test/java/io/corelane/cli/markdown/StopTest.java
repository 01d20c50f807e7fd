// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.PinnedScheduler;
import io.corelane.affinity.Pinning;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to a run that is told to stop. */
@Timeout(60)
class StopTest {
    private static final int STOPPER = 30;
    private static final int JOBS = 10_000;

    private final StopSignal stop = new StopSignal(Thread.currentThread());
    private final AtomicInteger written = new AtomicInteger();

    private List<PageJob> jobs() {
        List<PageJob> jobs = new ArrayList<>();
        PageConverter converter = new PageConverter(new LinkIndex(List.of()));
        for (int i = 0; i < JOBS; i++) {
            boolean stopper = i == STOPPER;
            Page page = new Page(i + "", new Location("", i + ""), i + ".md", 0, false, () -> {
                if (stopper) {
                    stop.request();
                }
                return "<p>x".getBytes(StandardCharsets.UTF_8);
            });
            jobs.add(new PageJob(page, converter, (target, markdown) -> written.incrementAndGet(), stop));
        }
        return jobs;
    }

    @Test
    void noNewDocumentsStartAndTheReportMatchesWhatWasWritten() {
        try (PinnedScheduler scheduler =
                PinnedScheduler.builder().workers(2).pinning(Pinning.OFF).build()) {
            List<Ending> endings = new WindowedRunner(new CorelanePool(scheduler), 2).run(jobs(), stop, () -> {});

            Totals totals = Totals.of(endings);
            assertThat(endings).hasSize(JOBS);
            assertThat(endings.get(STOPPER)).as("runs to its end").isInstanceOf(Ending.Converted.class);
            assertThat(totals.converted()).isEqualTo(written.get()).isBetween(1, JOBS - 1);
            assertThat(totals.dropped()).isEqualTo(JOBS - totals.converted());
            assertThat(scheduler.isShutdown()).isTrue();
            assertThat(Thread.interrupted()).as("interrupt is taken").isFalse();
        }
    }

    @Test
    void interruptOfTheCommandIsARequestToStop() {
        try (PinnedScheduler scheduler =
                PinnedScheduler.builder().workers(1).pinning(Pinning.OFF).build()) {
            Thread.currentThread().interrupt();

            List<Ending> endings = new WindowedRunner(new CorelanePool(scheduler), 1).run(jobs(), stop, () -> {});

            assertThat(stop.requested()).isTrue();
            assertThat(endings).hasSize(JOBS).allMatch(Ending.Dropped.class::isInstance);
        }
    }

    @Test
    void documentThatDoesNotFinishInTimeIsDroppedAndNotWaitedFor() {
        CountDownLatch end = new CountDownLatch(1);
        Page page = new Page("slow", new Location("", "slow"), "slow.md", 0, false, () -> {
            stop.request();
            awaitUninterruptibly(end);
            return new byte[0];
        });
        PageJob job = new PageJob(page, new PageConverter(new LinkIndex(List.of())), MarkdownSink.NOWHERE, stop);
        try (PinnedScheduler scheduler =
                PinnedScheduler.builder().workers(1).pinning(Pinning.OFF).build()) {
            WindowedRunner runner = new WindowedRunner(new CorelanePool(scheduler), 1, Duration.ofMillis(1));

            assertThat(runner.run(List.of(job), stop, () -> {})).containsExactly(new Ending.Dropped());
            end.countDown();
        }
    }

    /** Waits as a conversion computes: an interrupt does not end it. */
    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void signalThatNobodySentLeavesNothingBehind() {
        StopSignal installed = StopSignal.install();
        installed.close();
        assertThat(installed.requested()).isFalse();
        assertThat(Thread.interrupted()).isFalse();
    }
}
