// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.Repetition.AfterFailure;
import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimerStressTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static PinnedScheduler start(int workers) {
        return PinnedScheduler.builder()
                .workers(workers)
                .pinning(Pinning.OFF)
                .failureHandler((job, failure) -> {})
                .build();
    }

    private static void assertBooksBalance(SchedulerStats stats) {
        assertThat(stats.jobsRun() + stats.jobsFailed() + stats.jobsCancelled() + stats.jobsHandedBack())
                .as("%s", stats)
                .isEqualTo(stats.jobsSubmitted());
    }

    /** A body that notices when it runs beside itself, or begins when it must not. */
    private static final class Watched implements Runnable {
        final AtomicInteger inside = new AtomicInteger();
        final AtomicLong runs = new AtomicLong();
        final AtomicInteger wrong = new AtomicInteger();
        volatile boolean over;
        private int plain; // by one run at a time, each of which sees what the last one did

        @Override
        public void run() {
            if (inside.getAndIncrement() != 0 || over) {
                wrong.incrementAndGet();
            }
            plain++;
            if (runs.incrementAndGet() != plain) {
                wrong.incrementAndGet();
            }
            inside.decrementAndGet();
            if (plain % 3 == 0) {
                throw new IllegalStateException("expected");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, true", "1, false", "2, true", "2, false", "4, true"})
    void repeatedJobsNeverOverlapAndNeverBeginAfterTheirCancellation(int workers, boolean fixedRate) throws Exception {
        AtomicLong runs = new AtomicLong();
        try (PinnedScheduler scheduler = start(workers)) {
            Repetition repetition = new Repetition(
                    Duration.ZERO, Duration.ofNanos(fixedRate ? 1 : 2000), fixedRate, AfterFailure.CONTINUE);
            Stress.Threads threads = new Stress.Threads();
            for (int t = 0; t < 3; t++) {
                threads.start("canceller-" + t, () -> {
                    for (int round = 0; round < Stress.scaled(300); round++) {
                        Watched body = new Watched();
                        ScheduledJob<?> handle = scheduler.repeat(body, repetition);
                        int before = ThreadLocalRandom.current().nextInt(6);
                        Stress.await(() -> body.runs.get() >= before, scheduler::dump);
                        assertThat(handle.cancel(false)).isTrue();
                        Stress.await(() -> body.inside.get() == 0, scheduler::dump); // one that had begun
                        runs.addAndGet(body.runs.get());
                        assertThat(body.wrong).hasValue(0);
                        assertThat(handle.isCancelled()).isTrue();
                    }
                });
            }
            threads.join(scheduler::dump);
            assertThat(scheduler.awaitQuiescence(MINUTE))
                    .as("%s", scheduler.dump())
                    .isTrue();
            SchedulerStats stats = scheduler.stats();
            assertThat(stats.timersWaiting()).isZero();
            assertThat(stats.jobsCancelled()).isEqualTo(3L * Stress.scaled(300));
            assertBooksBalance(stats);
        }
        assertThat(runs.get()).isPositive();
    }

    /** After a cancellation and a job behind it on the only worker nothing is left that could begin. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aJobThatWasCancelledBetweenTwoRunsNeverRunsAgain(boolean interrupt) {
        try (PinnedScheduler scheduler = start(1)) {
            for (int round = 0; round < Stress.scaled(1_000); round++) {
                Watched body = new Watched();
                ScheduledJob<?> handle = scheduler.repeat(
                        body, new Repetition(Duration.ZERO, Duration.ofNanos(1), true, AfterFailure.CONTINUE));
                int before = round % 5;
                Stress.await(() -> body.runs.get() >= before, scheduler::dump);
                assertThat(handle.cancel(interrupt)).isTrue();
                scheduler
                        .submit(() -> {
                            body.over = true;
                        })
                        .join();
                scheduler.submit(() -> {}).join();
                assertThat(body.wrong).hasValue(0);
            }
        }
    }

    /** One that was left would keep a scheduler that is shut down from ending for an hour. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aCancellationThatRacesWithTheEndOfARunLeavesNoTimer(int workers) throws Exception {
        PinnedScheduler scheduler = start(workers);
        try {
            for (int round = 0; round < Stress.scaled(3_000); round++) {
                AtomicBoolean ran = new AtomicBoolean();
                ScheduledJob<?> handle =
                        scheduler.repeat(() -> ran.set(true), Repetition.withFixedDelay(Duration.ofHours(1)));
                while (!ran.get()) {
                    Thread.onSpinWait();
                }
                for (int i = round % 64; i > 0; i--) {
                    Thread.onSpinWait();
                }
                assertThat(handle.cancel(false)).isTrue();
            }
            assertThat(scheduler.awaitQuiescence(Duration.ofMinutes(1))).isTrue();
            assertThat(scheduler.stats().timersWaiting()).isZero();
        } finally {
            scheduler.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void cancelThatRacesWithTheEndOfARunNeverInterruptsALaterJob(int workers) throws Exception {
        AtomicInteger leaks = new AtomicInteger();
        try (PinnedScheduler scheduler = start(workers)) {
            AtomicBoolean stop = new AtomicBoolean();
            Stress.Threads threads = new Stress.Threads();
            threads.start("others", () -> {
                while (!stop.get()) {
                    scheduler
                            .submit(() -> {
                                for (int i = 0; i < 200; i++) {
                                    if (Thread.interrupted()) {
                                        leaks.incrementAndGet();
                                    }
                                }
                            })
                            .join();
                }
            });
            threads.start("canceller", () -> {
                for (int round = 0; round < Stress.scaled(4_000); round++) {
                    AtomicInteger runs = new AtomicInteger();
                    ScheduledJob<?> handle = scheduler.repeat(
                            runs::incrementAndGet,
                            new Repetition(Duration.ZERO, Duration.ofNanos(1), true, AfterFailure.CONTINUE));
                    Stress.await(() -> runs.get() > 0, scheduler::dump);
                    handle.cancel(true);
                }
                stop.set(true);
            });
            threads.join(scheduler::dump);
        }
        assertThat(leaks).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void eachTimedJobRunsOnceUnlessItsCancellationSaysSo(int workers) throws Exception {
        try (PinnedScheduler scheduler = start(workers)) {
            Stress.Threads threads = new Stress.Threads();
            AtomicLong cancelled = new AtomicLong();
            for (int t = 0; t < 3; t++) {
                threads.start("user-" + t, () -> {
                    ThreadLocalRandom random = ThreadLocalRandom.current();
                    for (int round = 0; round < Stress.scaled(40); round++) {
                        List<AtomicInteger> runs = new ArrayList<>();
                        List<ScheduledJob<?>> handles = new ArrayList<>();
                        for (int i = 0; i < 100; i++) {
                            AtomicInteger count = new AtomicInteger();
                            runs.add(count);
                            handles.add(scheduler.schedule(
                                    count::incrementAndGet, random.nextInt(1000), TimeUnit.MICROSECONDS));
                        }
                        for (int i = 0; i < 100; i++) {
                            ScheduledJob<?> handle = handles.get(i);
                            boolean won = random.nextInt(3) == 0 && handle.cancel(random.nextBoolean());
                            Outcome<?> outcome = handle.outcome();
                            if (won) {
                                cancelled.incrementAndGet();
                                assertThat(outcome).isInstanceOf(Outcome.Cancelled.class);
                                assertThat(runs.get(i).get()).isLessThanOrEqualTo(1); // it may just have run
                            } else {
                                assertThat(outcome).isInstanceOf(Outcome.Done.class);
                                assertThat(runs.get(i)).hasValue(1);
                            }
                        }
                    }
                });
            }
            threads.join(scheduler::dump);
            assertThat(scheduler.awaitQuiescence(MINUTE)).isTrue();
            SchedulerStats stats = scheduler.stats();
            assertThat(stats.jobsCancelled()).isEqualTo(cancelled.get());
            assertThat(stats.submissions().timed()).isEqualTo(3L * 100 * Stress.scaled(40));
            assertBooksBalance(stats);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void deadlinesThatRaceWithTheEndsOfTheirJobsEndEachJobOnce(int workers) throws Exception {
        try (PinnedScheduler scheduler = start(workers)) {
            AtomicInteger leaks = new AtomicInteger();
            Stress.Threads threads = new Stress.Threads();
            for (int t = 0; t < 2; t++) {
                threads.start("user-" + t, () -> {
                    for (int i = 0; i < Stress.scaled(3_000); i++) {
                        int spins = i % 200;
                        JobHandle<Integer> handle = scheduler.submitWithin(
                                () -> {
                                    for (int k = 0; k < spins; k++) {
                                        Thread.onSpinWait();
                                    }
                                    return spins;
                                },
                                Duration.ofNanos(i % 7 * 10_000L));
                        JobHandle<?> next = scheduler.submit(() -> {
                            if (Thread.currentThread().isInterrupted()) {
                                leaks.incrementAndGet();
                            }
                        });
                        try {
                            assertThat(handle.join()).isEqualTo(spins);
                        } catch (CancellationException inTime) {
                            assertThat(handle.isCancelled()).isTrue();
                        }
                        next.join();
                    }
                });
            }
            threads.join(scheduler::dump);
            assertThat(leaks).hasValue(0);
            assertThat(scheduler.awaitQuiescence(MINUTE)).isTrue();
            assertBooksBalance(scheduler.stats());
        }
    }

    /** Timers fire, are set and are cancelled while the scheduler ends. */
    @ParameterizedTest
    @CsvSource({"1, false", "1, true", "2, false", "2, true"})
    void timersThatFireWhileTheSchedulerEndsRunOrAreHandedBack(int workers, boolean now) throws Exception {
        for (int round = 0; round < Stress.scaled(40); round++) {
            PinnedScheduler scheduler = start(workers);
            Set<ScheduledJob<?>> once = Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
            List<ScheduledJob<?>> repeated = Collections.synchronizedList(new ArrayList<>());
            AtomicInteger runs = new AtomicInteger();
            Stress.Threads threads = new Stress.Threads();
            for (int t = 0; t < 2; t++) {
                threads.start("user-" + t, () -> {
                    try {
                        for (int i = 0; ; i++) {
                            once.add(scheduler.schedule(runs::incrementAndGet, i % 200, TimeUnit.MICROSECONDS));
                            if (i % 10 == 0) {
                                repeated.add(scheduler.repeat(
                                        () -> {}, Repetition.withFixedDelay(Duration.ofNanos(50_000))));
                            }
                            if (i % 10 == 5) {
                                repeated.get(0).cancel(true);
                            }
                            while (scheduler.stats().timersWaiting() > 500 && !scheduler.isShutdown()) {
                                Thread.onSpinWait();
                            }
                        }
                    } catch (RejectedExecutionException expected) {
                        assertThat(scheduler.isShutdown()).isTrue();
                    }
                });
            }
            int head = 1 + round % 10 * 20;
            Stress.await(() -> once.size() >= head, scheduler::dump);
            List<Runnable> handedBack = List.of();
            if (now) {
                handedBack = scheduler.shutdownNow();
            } else {
                scheduler.shutdown();
            }
            threads.join(scheduler::dump);
            assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS))
                    .as("%s", scheduler.dump())
                    .isTrue();
            assertThat(once).allMatch(ScheduledJob::isDone);
            assertThat(repeated).allMatch(ScheduledJob::isCancelled);
            Set<Runnable> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
            distinct.addAll(handedBack);
            assertThat(distinct).as("each is handed back once").hasSize(handedBack.size());
            long backOnce = handedBack.stream().filter(once::contains).count();
            assertThat(once.stream().filter(ScheduledJob::isCancelled).count()).isEqualTo(backOnce);
            assertThat(runs.get() + backOnce).isEqualTo(once.size());
            SchedulerStats stats = scheduler.stats();
            assertThat(stats.jobsHandedBack()).isEqualTo(handedBack.size());
            assertThat(stats.timersWaiting()).isZero();
            assertBooksBalance(stats);
        }
    }
}
