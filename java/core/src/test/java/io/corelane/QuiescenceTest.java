// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code awaitQuiescence}. */
@Timeout(120)
class QuiescenceTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(20);

    private final CountDownLatch end = new CountDownLatch(1);

    private static PinnedScheduler start(int workers) {
        return PinnedScheduler.builder().workers(workers).pinning(Pinning.OFF).build();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void anIdleSchedulerIsQuietAtOnce(int workers) throws Exception {
        try (PinnedScheduler scheduler = start(workers)) {
            assertThat(scheduler.awaitQuiescence(MINUTE)).isTrue();
            assertThat(scheduler.awaitQuiescence(Duration.ZERO)).isTrue();
            assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(-1))).isTrue();
            assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(Long.MAX_VALUE)))
                    .isTrue();
            assertThat(scheduler.isShutdown()).isFalse();
            assertThat(scheduler.submit(() -> 1).join()).isEqualTo(1);
        }
    }

    @Test
    void aTimerThatIsDueKeepsItFromBeingQuiet() throws Exception {
        try (PinnedScheduler scheduler = start(2)) {
            for (int i = 0; i < 5_000; i++) {
                AtomicBoolean ran = new AtomicBoolean();
                ScheduledJob<?> job = scheduler.schedule(() -> ran.set(true), i % 2, TimeUnit.MICROSECONDS);
                while (job.getDelay(TimeUnit.NANOSECONDS) > 0) {
                    Thread.onSpinWait();
                }
                assertThat(scheduler.awaitQuiescence(MINUTE)).isTrue();
                assertThat(ran).as("round %s", i).isTrue();
            }
        }
    }

    /** Who waits learns of it from workers that park. */
    @Test
    void workersThatNeverParkGoOnSpinningAfterwards() throws Exception {
        try (PinnedScheduler scheduler = PinnedScheduler.builder()
                .workers(2)
                .pinning(Pinning.OFF)
                .idle(IdlePolicy.busySpin())
                .build()) {
            assertThat(scheduler.awaitQuiescence(MINUTE)).isTrue();
            Stress.await(() -> !scheduler.dump().contains("parked"), scheduler::dump);
            CountDownLatch running = new CountDownLatch(1);
            scheduler.execute(() -> {
                running.countDown();
                Latches.uninterruptibly(end);
            });
            Schedulers.await(scheduler, running);
            try {
                int rounds = Stress.scaled(5_000);
                for (int i = 0; i < rounds; i++) { // the other worker may be about to park when a wait is over
                    assertThat(scheduler.awaitQuiescence(Duration.ofNanos(10L * i)))
                            .isFalse();
                    Stress.await(() -> !scheduler.dump().contains("parked"), scheduler::dump);
                }
            } finally {
                end.countDown();
            }
        }
    }

    /** Each kind of job that runs or waits keeps the scheduler from being quiet, and its end makes it so. */
    @ParameterizedTest
    @CsvSource({
        "1, running",
        "2, running",
        "1, queued",
        "1, lane",
        "2, lane",
        "1, blocking",
        "2, blocking",
        "1, blockingLane",
        "1, joining",
        "2, joining",
        "1, joiningTimed",
        "1, deque"
    })
    void itIsNotQuietWhileAJob(int workers, String does) throws Exception {
        try (PinnedScheduler scheduler = start(workers)) {
            AtomicInteger ran = new AtomicInteger();
            CountDownLatch begun = new CountDownLatch(1);
            Runnable body = () -> {
                begun.countDown();
                Latches.uninterruptibly(end);
                ran.incrementAndGet();
            };
            switch (does) {
                case "running" -> scheduler.execute(body);
                case "queued" -> {
                    scheduler.execute(body);
                    scheduler.execute(() -> {});
                }
                case "lane" -> scheduler.lane(workers - 1).execute(body);
                case "blocking" -> scheduler.execute(() -> blocking(scheduler, body));
                case "blockingLane" -> {
                    scheduler.lane(0).execute(() -> blocking(scheduler, body));
                    scheduler.lane(0).execute(() -> {});
                }
                case "joining" -> {
                    JobHandle<?> awaited = scheduler.lane(0).submit(body);
                    scheduler.execute(awaited::join);
                }
                case "joiningTimed" -> {
                    JobHandle<?> awaited = scheduler.schedule(body, 1, TimeUnit.MILLISECONDS);
                    scheduler.execute(awaited::join);
                }
                default ->
                    scheduler.execute(() -> {
                        scheduler.execute(() -> {});
                        body.run();
                    });
            }
            begun.await();
            boolean quiet = scheduler.awaitQuiescence(SHORT);
            end.countDown(); // before what may fail: close waits for the job
            assertThat(quiet).isFalse();
            assertThat(scheduler.awaitQuiescence(MINUTE))
                    .as("%s", scheduler.dump())
                    .isTrue();
            assertThat(ran).hasValue(1);
            SchedulerStats stats = scheduler.stats();
            assertThat(stats.jobsRun()).isEqualTo(stats.jobsSubmitted());
            assertThat(stats.queued()).isZero();
            assertThat(stats.threadsAway()).isZero();
        } finally {
            end.countDown();
        }
    }

    private static void blocking(PinnedScheduler scheduler, Runnable section) {
        try {
            scheduler.blocking(() -> {
                section.run();
                return null;
            });
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void timedJobsThatAreNotDueDoNotCount() throws Exception {
        PinnedScheduler scheduler = start(1);
        scheduler.schedule(() -> {}, 1, TimeUnit.HOURS);
        scheduler.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.HOURS);
        assertThat(scheduler.awaitQuiescence(MINUTE)).isTrue();
        assertThat(scheduler.shutdownNow()).hasSize(2);
    }

    @Test
    void fromAJobItIsFalseAtOnce() throws Exception {
        try (PinnedScheduler scheduler = start(2)) {
            assertThat(scheduler.submit(() -> scheduler.awaitQuiescence(MINUTE)).get())
                    .isFalse();
            assertThat(scheduler
                            .submit(() -> scheduler.blocking(() -> scheduler.awaitQuiescence(MINUTE)))
                            .get())
                    .isFalse();
            assertThat(scheduler
                            .lane(0)
                            .submit(() -> scheduler.awaitQuiescence(MINUTE))
                            .get())
                    .isFalse();
        }
    }

    @Test
    void aJobOfAnotherSchedulerMayWait() throws Exception {
        try (PinnedScheduler scheduler = start(1);
                PinnedScheduler other = start(1)) {
            assertThat(other.submit(() -> scheduler.awaitQuiescence(MINUTE)).get())
                    .isTrue();
        }
    }

    @Test
    void anInterruptEndsTheWait() throws Exception {
        try (PinnedScheduler scheduler = start(1)) {
            CountDownLatch begun = new CountDownLatch(1);
            scheduler.execute(() -> {
                begun.countDown();
                Latches.uninterruptibly(end);
            });
            begun.await();
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Stress.Threads threads = new Stress.Threads();
            Thread waiter = threads.start("waiter", () -> {
                try {
                    scheduler.awaitQuiescence(MINUTE);
                } catch (InterruptedException e) {
                    thrown.set(e);
                }
            });
            Stress.await(() -> waiter.getState() == Thread.State.TIMED_WAITING, scheduler::dump);
            waiter.interrupt();
            threads.join(scheduler::dump);
            Thread.currentThread().interrupt();
            Throwable atOnce = catchThrowable(() -> scheduler.awaitQuiescence(MINUTE));
            end.countDown();
            assertThat(atOnce).isInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted()).isFalse();
            assertThat(thrown.get()).isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSchedulerThatHasTerminatedIsQuiet(boolean now) throws Exception {
        PinnedScheduler scheduler = start(1);
        if (now) {
            scheduler.shutdownNow();
        } else {
            scheduler.shutdown();
        }
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(scheduler.awaitQuiescence(Duration.ZERO)).isTrue();
    }

    /** The wait is an hour, so one that nobody ends would miss the deadline of the threads. */
    @ParameterizedTest
    @CsvSource({"1, false", "1, true", "2, false", "2, true"})
    void theEndOfTheSchedulerEndsTheWait(int workers, boolean now) throws Exception {
        for (int round = 0; round < Stress.scaled(100); round++) {
            PinnedScheduler scheduler = start(workers);
            CountDownLatch begun = new CountDownLatch(1);
            AtomicBoolean stopped = new AtomicBoolean();
            scheduler.execute(() -> {
                begun.countDown();
                Stress.await(stopped::get, () -> "not stopped");
            });
            begun.await();
            AtomicBoolean quiet = new AtomicBoolean();
            Stress.Threads threads = new Stress.Threads();
            Thread waiter = threads.start("waiter", () -> quiet.set(scheduler.awaitQuiescence(Duration.ofHours(1))));
            Stress.await(() -> waiter.getState() == Thread.State.TIMED_WAITING, scheduler::dump);
            if (now) {
                scheduler.shutdownNow();
            } else {
                scheduler.shutdown();
            }
            stopped.set(true);
            threads.join(scheduler::dump);
            assertThat(quiet).isTrue();
            assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** One client: when its jobs are all there are, a quiet scheduler has run them all. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatWasSubmittedBeforeHasEndedWhenItIsQuiet(int workers) throws Exception {
        try (PinnedScheduler scheduler = start(workers)) {
            AtomicInteger ran = new AtomicInteger();
            int expected = 0;
            for (int round = 0; round < Stress.scaled(3_000); round++) {
                scheduler.execute(() -> {
                    scheduler.execute(ran::incrementAndGet);
                    scheduler.lane(0).execute(ran::incrementAndGet);
                    scheduler.submit(ran::incrementAndGet).join();
                });
                expected += 3;
                if (round % 3 == 0) {
                    scheduler.execute(() -> blocking(scheduler, ran::incrementAndGet));
                    expected++;
                }
                if (round % 5 == 0) {
                    scheduler.executeAll(List.of(ran::incrementAndGet, ran::incrementAndGet));
                    expected += 2;
                }
                assertThat(scheduler.awaitQuiescence(MINUTE))
                        .as("%s", scheduler.dump())
                        .isTrue();
                assertThat(ran).hasValue(expected);
            }
        }
    }

    @Test
    void severalThreadsMayWaitAtATime() throws Exception {
        try (PinnedScheduler scheduler = start(2)) {
            CountDownLatch begun = new CountDownLatch(1);
            scheduler.execute(() -> {
                begun.countDown();
                Latches.uninterruptibly(end);
            });
            begun.await();
            AtomicInteger quiet = new AtomicInteger();
            Stress.Threads threads = new Stress.Threads();
            for (int i = 0; i < 5; i++) {
                Thread waiter = threads.start("waiter-" + i, () -> {
                    if (scheduler.awaitQuiescence(Duration.ofHours(1))) {
                        quiet.incrementAndGet();
                    }
                });
                Stress.await(() -> waiter.getState() == Thread.State.TIMED_WAITING, scheduler::dump);
            }
            end.countDown();
            threads.join(scheduler::dump);
            assertThat(quiet).hasValue(5);
        } finally {
            end.countDown();
        }
    }

    @Test
    void whoAwaitsQuiescenceReturnsWhenTheSchedulerTerminates() throws Exception {
        PinnedScheduler scheduler = start(2);
        scheduler.execute(() -> Stress.await(() -> end.getCount() == 0, scheduler::dump));
        Stress.Threads waiter = new Stress.Threads();
        Thread thread = waiter.start("waiter", () -> assertThat(scheduler.awaitQuiescence(Duration.ofDays(1)))
                .isTrue());
        Stress.await(() -> LockSupport.getBlocker(thread) != null, scheduler::dump);
        scheduler.shutdownNow();
        end.countDown();
        waiter.join(scheduler::dump);
    }

    @Test
    void quiescenceIsSeenAlthoughWorkersSpin() throws Exception {
        try (PinnedScheduler scheduler = PinnedScheduler.builder()
                .workers(2)
                .pinning(Pinning.OFF)
                .idle(IdlePolicy.busySpin())
                .build()) {
            scheduler.execute(() -> {});
            assertThat(scheduler.awaitQuiescence(MINUTE)).as(scheduler::dump).isTrue();
        }
    }
}
