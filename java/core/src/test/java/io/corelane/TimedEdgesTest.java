// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Timed jobs and deadlines where they meet strangers, cancellations and the end of the scheduler. */
@Timeout(300)
class TimedEdgesTest {
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final PinnedScheduler scheduler = PinnedScheduler.builder()
            .name("timed")
            .workers(1)
            .pinning(Pinning.OFF)
            .daemon(true)
            .build();

    @Test
    void aRepeatedJobThatAStrangerRunsWaitsForItsTimeOnce() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        ScheduledJob<?> job = scheduler.scheduleAtFixedRate(runs::incrementAndGet, 1, 1, TimeUnit.HOURS);
        job.run();
        job.run();
        assertThat(runs).hasValue(2);
        assertThat(scheduler.stats().timersWaiting()).isEqualTo(1);
        assertThat(job.cancel(false)).isTrue();
        assertThat(scheduler.stats().timersWaiting()).isZero();
        closeAndCheckBooks();
    }

    @Test
    void anInterruptForARepeatedJobDoesNotOutliveItsRun() throws Exception {
        AtomicReference<ScheduledJob<?>> present = new AtomicReference<>();
        ScheduledJob<?> before = scheduler.schedule(() -> {}, 1, TimeUnit.MINUTES); // lets the timers' thread sleep
        int rounds = Stress.scaled(2_000);
        Stress.Threads threads = new Stress.Threads();
        threads.start("canceller", () -> {
            ScheduledJob<?> last = null;
            for (int round = 0; round < rounds; round++) {
                while (present.get() == last) {
                    Thread.onSpinWait();
                }
                last = present.get();
                for (int i = ThreadLocalRandom.current().nextInt(50); i > 0; i--) {
                    Thread.onSpinWait();
                }
                assertThat(last.cancel(true)).isTrue();
            }
        });
        threads.start("runner", () -> {
            for (int round = 0; round < rounds; round++) {
                ScheduledJob<?> job = scheduler.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.HOURS);
                present.set(job);
                while (!job.isDone()) {
                    job.run();
                }
                long until = System.nanoTime() + 2_000; // for an interrupt that is on its way
                while (System.nanoTime() - until < 0) {
                    assertThat(Thread.currentThread().isInterrupted())
                            .as("round %s", round)
                            .isFalse();
                }
            }
        });
        threads.join(scheduler::dump);
        assertThat(before.cancel(false)).isTrue();
        closeAndCheckBooks();
    }

    @Test
    void aListenerOnTheTimersThreadMayCloseTheScheduler() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        scheduler
                .submitWithin(
                        () -> {
                            never.await();
                            return true;
                        },
                        Duration.ofMillis(20))
                .onComplete(outcome -> {
                    scheduler.close();
                    closed.countDown();
                });
        assertThat(closed.await(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(scheduler.awaitTermination(DEADLINE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
    }

    @Test
    void aDeadlineHoldsForAJobThatAJobSubmitsAfterShutdown() throws Exception {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        JobHandle<JobHandle<Boolean>> outer = scheduler.submit(() -> {
            mayGoOn.await();
            return scheduler.submitWithin(
                    () -> {
                        never.await();
                        return true;
                    },
                    Duration.ofMillis(20));
        });
        scheduler.shutdown();
        mayGoOn.countDown();
        JobHandle<Boolean> inner = outer.join(DEADLINE);
        assertThatThrownBy(() -> inner.join(DEADLINE)).isInstanceOf(CancellationException.class);
        closeAndCheckBooks();
    }

    @Test
    void aWaitForQuiescenceEndsWithTheScheduler() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        scheduler.execute(() -> {
            started.countDown();
            awaitThroughInterrupts(mayEnd, interrupted);
        });
        started.await();
        Stress.Threads threads = new Stress.Threads();
        Thread watcher = threads.start("watcher", () -> assertThat(scheduler.awaitQuiescence(Duration.ofHours(1)))
                .isTrue());
        scheduler.shutdownNow();
        interrupted.await();
        Stress.await(() -> watcher.getState() == Thread.State.TIMED_WAITING, scheduler::dump);
        mayEnd.countDown();
        threads.join(scheduler::dump);
    }

    private static void awaitThroughInterrupts(CountDownLatch latch, CountDownLatch interrupted) {
        while (latch.getCount() != 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        }
    }

    private void closeAndCheckBooks() throws InterruptedException {
        scheduler.shutdown();
        assertThat(scheduler.awaitTermination(DEADLINE.toSeconds(), TimeUnit.SECONDS))
                .as(scheduler::dump)
                .isTrue();
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.jobsSubmitted())
                .as(stats::toString)
                .isEqualTo(stats.jobsRun() + stats.jobsFailed() + stats.jobsCancelled() + stats.jobsHandedBack());
    }

    @Test
    void aDeadlineHoldsAlthoughTheSchedulerWasShutDownBefore() throws Exception {
        PinnedScheduler scheduler =
                PinnedScheduler.builder().workers(1).pinning(Pinning.OFF).build();
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch shutDown = new CountDownLatch(1);
        JobHandle<JobHandle<Integer>> submitter = scheduler.submit(() -> {
            started.countDown();
            Latches.uninterruptibly(shutDown);
            return scheduler.submitWithin(
                    () -> {
                        new CountDownLatch(1).await();
                        return 1;
                    },
                    Duration.ofMillis(1));
        });
        assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
        scheduler.shutdown();
        shutDown.countDown();
        assertThat(submitter.join(Duration.ofMinutes(1)).outcome(Duration.ofMinutes(1)))
                .isInstanceOf(Outcome.Cancelled.class);
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }
}
