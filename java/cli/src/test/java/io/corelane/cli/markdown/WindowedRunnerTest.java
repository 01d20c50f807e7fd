// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WindowedRunnerTest {
    private final StopSignal stop = new StopSignal(Thread.currentThread());
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger mostWaiting = new AtomicInteger();

    private PageJob job(int number) {
        Page page = new Page(number + "", new Location("", number + ""), number + ".md", 0, false, () -> {
            waiting.decrementAndGet();
            return "<p>x".getBytes(StandardCharsets.UTF_8);
        });
        return new PageJob(page, new PageConverter(new LinkIndex(List.of())), MarkdownSink.NOWHERE, stop);
    }

    @Test
    void noMoreThanEightDocumentsForEachWorkerAreSubmittedAhead() {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        List<PageJob> jobs = IntStream.range(0, 2000).mapToObj(this::job).toList();

        List<Ending> endings = new WindowedRunner(new CountingPool(thread), 2).run(jobs, stop, () -> {});

        thread.shutdown();
        assertThat(Totals.of(endings).converted()).isEqualTo(2000);
        assertThat(mostWaiting.get()).isBetween(1, 16);
    }

    /** A pool that counts the jobs it was given and has not started. */
    private final class CountingPool implements JobPool {
        private final ExecutorService thread;

        CountingPool(ExecutorService thread) {
            this.thread = thread;
        }

        @Override
        public PendingJob submit(Callable<Ending> job) {
            mostWaiting.accumulateAndGet(waiting.incrementAndGet(), Math::max);
            Future<Ending> future = thread.submit(job);
            return new PendingJob() {
                @Override
                public Ending ending() {
                    return Ending.of(future::get);
                }

                @Override
                public boolean isDone() {
                    return future.isDone();
                }
            };
        }

        @Override
        public void stop(Duration grace) {
            throw new AssertionError("nobody asked to stop");
        }
    }
}
