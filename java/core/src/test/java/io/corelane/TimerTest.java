// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.Repetition.AfterFailure;
import io.corelane.affinity.Pinning;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Timed and repeated jobs, and deadlines. Clocks are asked only for what must not come too early. */
@Timeout(120)
class TimerTest {
    private static final Duration MILLISECOND = Duration.ofMillis(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final List<Throwable> told = new CopyOnWriteArrayList<>();
    private final List<Runnable> toldOf = new CopyOnWriteArrayList<>();

    private PinnedScheduler start(String name, int workers) {
        return PinnedScheduler.builder()
                .name(name)
                .workers(workers)
                .pinning(Pinning.OFF)
                .failureHandler((job, failure) -> {
                    toldOf.add(job);
                    told.add(failure);
                })
                .build();
    }

    private static void awaitCount(AtomicInteger count, int target, PinnedScheduler scheduler) {
        Stress.await(() -> count.get() >= target, () -> count + " of " + target + ": " + scheduler.dump());
    }

    private static void assertBooksBalance(SchedulerStats stats) {
        assertThat(stats.jobsRun() + stats.jobsFailed() + stats.jobsCancelled() + stats.jobsHandedBack())
                .as("%s", stats)
                .isEqualTo(stats.jobsSubmitted());
    }

    // ---- once ----------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aJobRunsOnceAndNotBeforeItIsDue(int workers) throws Exception {
        try (PinnedScheduler scheduler = start("once", workers)) {
            AtomicInteger runs = new AtomicInteger();
            long before = System.nanoTime();
            ScheduledJob<Long> handle = scheduler.schedule(
                    () -> {
                        runs.incrementAndGet();
                        return System.nanoTime();
                    },
                    20,
                    TimeUnit.MILLISECONDS);
            assertThat(handle.isPeriodic()).isFalse();
            assertThat(handle.getDelay(TimeUnit.NANOSECONDS)).isLessThanOrEqualTo(20_000_000);
            assertThat(handle.get() - before).isGreaterThanOrEqualTo(20_000_000);
            assertThat(handle.getDelay(TimeUnit.NANOSECONDS)).isNegative();
            assertThat(scheduler
                            .schedule(runs::incrementAndGet, -5, TimeUnit.DAYS)
                            .get())
                    .isEqualTo(2);
            assertThat(scheduler.schedule(() -> {}, 0, TimeUnit.DAYS).get()).isNull();
            assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(60))).isTrue();
            assertThat(runs).hasValue(2);
            assertThat(scheduler.stats().submissions()).isEqualTo(new Submissions(0, 0, 0, 3, 0));
            assertThat(scheduler.stats().jobsRun()).isEqualTo(3);
        }
    }

    @Test
    void jobsRunInTheOrderInWhichTheyAreDue() throws Exception {
        Random random = new Random(7);
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<ScheduledJob<?>> handles = new ArrayList<>();
        List<Integer> numbers = new ArrayList<>();
        try (PinnedScheduler scheduler = start("order", 1)) {
            for (int i = 0; i < 300; i++) {
                int number = i;
                numbers.add(number);
                handles.add(scheduler.schedule(
                        () -> {
                            order.add(number);
                        },
                        100_000 + random.nextInt(100_000),
                        TimeUnit.MICROSECONDS));
            }
            numbers.sort((a, b) -> handles.get(a).compareTo(handles.get(b)));
            for (ScheduledJob<?> handle : handles) {
                handle.get();
            }
        }
        assertThat(order).isEqualTo(numbers);
    }

    @Test
    void timesBeyondTheRangeOfTheClockMeanNever() throws Exception {
        PinnedScheduler scheduler = start("never", 1);
        for (TimeUnit unit : TimeUnit.values()) {
            scheduler.schedule(() -> {}, Long.MAX_VALUE, unit);
            scheduler.scheduleAtFixedRate(() -> {}, Long.MAX_VALUE, Long.MAX_VALUE, unit);
            scheduler.scheduleWithFixedDelay(() -> {}, Long.MAX_VALUE, Long.MAX_VALUE, unit);
        }
        Duration longest = Duration.ofSeconds(Long.MAX_VALUE);
        scheduler.repeat(() -> {}, Repetition.atFixedRate(longest).startingAfter(longest));
        scheduler.submitWithin(() -> 1, longest).get();
        scheduler.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).get(); // comes before them
        int timers = 3 * TimeUnit.values().length + 1;
        assertThat(scheduler.stats().timersWaiting()).isEqualTo(timers);
        assertThat(scheduler.shutdownNow()).hasSize(timers);
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertBooksBalance(scheduler.stats());
    }

    @Test
    void aFailedJobTellsItsHandleAndNotTheHandler() {
        try (PinnedScheduler scheduler = start("fails", 1)) {
            IllegalStateException failure = new IllegalStateException("once");
            ScheduledJob<?> handle = scheduler.schedule(
                    (Runnable) () -> {
                        throw failure;
                    },
                    0,
                    TimeUnit.SECONDS);
            assertThat(handle.outcome()).isEqualTo(new Outcome.Failed<>(failure));
        }
        assertThat(told).isEmpty();
    }

    // ---- again and again -----------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void atAFixedRateNoRunStartsBeforeItsTimeAndLateOnesAreMadeUpFor(int workers) throws Exception {
        int runs = 20;
        long periodNanos = 2_000_000;
        List<Long> starts = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch hold = new CountDownLatch(1);
        try (PinnedScheduler scheduler = start("rate", workers)) {
            long before = System.nanoTime();
            ScheduledJob<?> handle = scheduler.scheduleAtFixedRate(
                    () -> {
                        starts.add(System.nanoTime());
                        if (starts.size() == 3) {
                            Latches.uninterruptibly(hold);
                        }
                    },
                    2 * periodNanos,
                    periodNanos,
                    TimeUnit.NANOSECONDS);
            assertThat(handle.isPeriodic()).isTrue();
            Stress.await(() -> starts.size() == 3, scheduler::dump);
            Stress.await(() -> System.nanoTime() - before > 2L * runs * periodNanos, scheduler::dump);
            assertThat(starts).as("no run beside the late one").hasSize(3);
            hold.countDown();
            Stress.await(() -> starts.size() >= runs, scheduler::dump);
            handle.cancel(false);
            for (int i = 0; i < runs; i++) {
                assertThat(starts.get(i) - before).as("run %d", i).isGreaterThanOrEqualTo((i + 2) * periodNanos);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void withAFixedDelayARunStartsThatLongAfterTheEndOfTheOneBefore(int workers) {
        List<long[]> runs = Collections.synchronizedList(new ArrayList<>());
        try (PinnedScheduler scheduler = start("delay", workers)) {
            ScheduledJob<?> handle = scheduler.scheduleWithFixedDelay(
                    () -> {
                        long begin = System.nanoTime();
                        while (System.nanoTime() - begin < 1_000_000) {
                            Thread.onSpinWait();
                        }
                        runs.add(new long[] {begin, System.nanoTime()});
                    },
                    0,
                    2_000_000,
                    TimeUnit.NANOSECONDS);
            Stress.await(() -> runs.size() >= 10, scheduler::dump);
            handle.cancel(false);
        }
        for (int i = 1; i < runs.size(); i++) {
            assertThat(runs.get(i)[0] - runs.get(i - 1)[1]).as("run %d", i).isGreaterThanOrEqualTo(2_000_000);
        }
    }

    @Test
    void aPeriodMustBeMoreThanNothing() {
        try (PinnedScheduler scheduler = start("period", 1)) {
            for (long period : new long[] {0, -1, Long.MIN_VALUE}) {
                assertThatThrownBy(() -> scheduler.scheduleAtFixedRate(() -> {}, 0, period, TimeUnit.NANOSECONDS))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("expected more than 0");
                assertThatThrownBy(() -> scheduler.scheduleWithFixedDelay(() -> {}, 0, period, TimeUnit.SECONDS))
                        .isInstanceOf(IllegalArgumentException.class);
            }
            assertThat(scheduler.stats().submissions().total()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, true", "1, false", "2, true", "2, false"})
    void aFailedRunEndsTheJobUnlessItsRepetitionSaysOtherwise(int workers, boolean fixedRate) {
        try (PinnedScheduler scheduler = start("stop", workers)) {
            AtomicInteger runs = new AtomicInteger();
            IllegalStateException failure = new IllegalStateException("third");
            Runnable body = () -> {
                if (runs.incrementAndGet() == 3) {
                    throw failure;
                }
            };
            ScheduledJob<?> handle = fixedRate
                    ? scheduler.scheduleAtFixedRate(body, 0, 1, TimeUnit.MILLISECONDS)
                    : scheduler.scheduleWithFixedDelay(body, 0, 1, TimeUnit.MILLISECONDS);
            assertThat(handle.outcome()).isEqualTo(new Outcome.Failed<>(failure));
            Stress.await(() -> !told.isEmpty(), scheduler::dump);
            SchedulerStats stats = scheduler.stats();
            assertThat(stats.jobsRun()).isEqualTo(2);
            assertThat(stats.jobsFailed()).isEqualTo(1);
            assertThat(stats.submissions().timed()).isEqualTo(3);
            assertThat(stats.timersWaiting()).isZero();
            assertThat(handle.cancel(true)).isFalse();
            assertThat(runs).hasValue(3);
            assertThat(told).containsExactly(failure);
            assertThat(toldOf).containsExactly((Runnable) handle);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = AfterFailure.class,
            names = {"CONTINUE", "BACK_OFF"})
    void aJobThatGoesOnAfterFailuresTellsTheHandlerEachTime(AfterFailure policy) throws Exception {
        try (PinnedScheduler scheduler = start("on", 2)) {
            AtomicInteger runs = new AtomicInteger();
            ScheduledJob<?> handle = scheduler.repeat(
                    () -> {
                        int run = runs.incrementAndGet();
                        if (run % 2 == 0) {
                            throw new IllegalStateException("run " + run);
                        }
                    },
                    Repetition.withFixedDelay(MILLISECOND).onFailure(policy));
            awaitCount(runs, 11, scheduler);
            assertThat(handle.isDone()).isFalse();
            handle.cancel(false);
            assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(60))).isTrue();
            SchedulerStats stats = scheduler.stats();
            assertThat(stats.jobsCancelled()).isEqualTo(1);
            assertThat(stats.jobsFailed()).isEqualTo(told.size());
            assertThat(told.size()).isBetween((runs.get() - 1) / 2, runs.get() / 2);
            assertThat(told).allMatch(failure -> failure instanceof IllegalStateException);
            assertThat(stats.jobsRun() + stats.jobsFailed()).isBetween(runs.get() - 1L, (long) runs.get());
            assertBooksBalance(stats);
        }
    }

    @Test
    void eachFailureInARowDoublesThePauseAndASuccessEndsThat() {
        int failures = 5;
        List<Long> starts = Collections.synchronizedList(new ArrayList<>());
        List<Long> ends = Collections.synchronizedList(new ArrayList<>());
        try (PinnedScheduler scheduler = start("backoff", 1)) {
            ScheduledJob<?> handle = scheduler.repeat(
                    () -> {
                        starts.add(System.nanoTime());
                        ends.add(System.nanoTime());
                        if (starts.size() % (failures + 1) != 0) {
                            throw new IllegalStateException("run " + starts.size());
                        }
                    },
                    Repetition.atFixedRate(MILLISECOND).onFailure(AfterFailure.BACK_OFF));
            Stress.await(() -> starts.size() >= 2 * failures + 2, scheduler::dump);
            handle.cancel(false);
        }
        for (int i = 1; i < 2 * failures + 2; i++) {
            int inARow = i % (failures + 1);
            if (inARow > 0) {
                assertThat(starts.get(i) - ends.get(i - 1))
                        .as("before run %d", i)
                        .isGreaterThanOrEqualTo(1_000_000L << inARow);
            }
        }
    }

    @Test
    void aVirtualMachineErrorOfARepeatedJobIsToldOnce() {
        try (PinnedScheduler scheduler = start("vm", 1)) {
            ScheduledJob<?> handle = scheduler.repeat(
                    () -> {
                        throw new StackOverflowError();
                    },
                    Repetition.atFixedRate(MILLISECOND));
            assertThat(handle.outcome()).isInstanceOf(Outcome.Failed.class);
            scheduler.submit(() -> {}).join();
            assertThat(told).hasSize(1);
        }
    }

    @Test
    void aJobThatCancelsItselfRunsNoMore() throws Exception {
        try (PinnedScheduler scheduler = start("self", 2)) {
            AtomicInteger runs = new AtomicInteger();
            List<ScheduledJob<?>> self = new CopyOnWriteArrayList<>();
            CountDownLatch known = new CountDownLatch(1);
            self.add(scheduler.repeat(
                    () -> {
                        Latches.uninterruptibly(known);
                        if (runs.incrementAndGet() == 3) {
                            self.get(0).cancel(true);
                        }
                    },
                    Repetition.atFixedRate(MILLISECOND)));
            known.countDown();
            assertThat(self.get(0).outcome()).isEqualTo(new Outcome.Cancelled<>());
            assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(60))).isTrue();
            assertThat(runs).hasValue(3);
            assertThat(scheduler
                            .submit(() -> Thread.currentThread().isInterrupted())
                            .join())
                    .isFalse();
            assertBooksBalance(scheduler.stats());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cancelWhileAJobRunsEndsItWithThisRun(boolean interrupt) throws Exception {
        try (PinnedScheduler scheduler = start("cancel", 1)) {
            CountDownLatch running = new CountDownLatch(1);
            CountDownLatch end = new CountDownLatch(1);
            AtomicInteger runs = new AtomicInteger();
            AtomicBoolean interrupted = new AtomicBoolean();
            ScheduledJob<?> handle = scheduler.scheduleAtFixedRate(
                    () -> {
                        runs.incrementAndGet();
                        running.countDown();
                        try {
                            end.await();
                        } catch (InterruptedException e) {
                            interrupted.set(true);
                        }
                    },
                    0,
                    1,
                    TimeUnit.NANOSECONDS);
            running.await();
            assertThat(handle.cancel(interrupt)).isTrue();
            assertThat(handle.cancel(interrupt)).isFalse();
            if (!interrupt) {
                end.countDown();
            }
            assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(60))).isTrue();
            assertThat(interrupted.get()).isEqualTo(interrupt);
            assertThat(runs).hasValue(1);
            SchedulerStats stats = scheduler.stats();
            assertThat(stats.jobsCancelled()).isEqualTo(1);
            assertBooksBalance(stats);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTimerThatWasCancelledIsForgotten(boolean repeated) throws Exception {
        try (PinnedScheduler scheduler = start("forgotten", 1)) {
            AtomicInteger runs = new AtomicInteger();
            List<ScheduledJob<?>> handles = new ArrayList<>();
            List<WeakReference<Runnable>> bodies = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                byte[] load = new byte[100];
                Runnable body = () -> runs.addAndGet(load.length);
                bodies.add(new WeakReference<>(body));
                handles.add(
                        repeated
                                ? scheduler.scheduleAtFixedRate(body, 1, 1, TimeUnit.HOURS)
                                : scheduler.schedule(body, 1, TimeUnit.HOURS));
            }
            assertThat(scheduler.stats().timersWaiting()).isEqualTo(100);
            handles.forEach(handle -> assertThat(handle.cancel(false)).isTrue());
            assertThat(scheduler.stats().timersWaiting()).isZero();
            awaitCleared(bodies); // although the handles are kept
            List<WeakReference<Object>> cancelled = new ArrayList<>();
            handles.forEach(handle -> cancelled.add(new WeakReference<>(handle)));
            handles.clear();
            awaitCleared(cancelled); // although the scheduler is
            assertThat(runs).hasValue(0);
            assertThat(scheduler.stats().jobsCancelled()).isEqualTo(100);
        }
    }

    private static void awaitCleared(List<? extends WeakReference<?>> references) {
        Stress.await(
                () -> {
                    System.gc();
                    return references.stream().allMatch(reference -> reference.get() == null);
                },
                () -> "still reachable");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTimedJobThatSomebodyElseHasRunIsForgotten(boolean byWorker) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        AtomicInteger runs = new AtomicInteger();
        ScheduledJob<?> handle = scheduler.schedule(runs::incrementAndGet, 1, TimeUnit.DAYS);
        if (byWorker) {
            scheduler.execute(handle);
        } else {
            handle.run();
        }
        Schedulers.result(scheduler, handle);
        assertThat(runs).hasValue(1);
        assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(60))).isTrue();
        assertThat(scheduler.stats().timersWaiting()).isZero();
        Schedulers.end(scheduler);
    }

    /** A handle is a Runnable, so that anybody can run it: that is a run like any other, and the timer goes on. */
    @Test
    void aRepeatedJobThatSomebodyElseRunsStaysInTheTimersOnce() throws Exception {
        PinnedScheduler scheduler = start("stranger", 1);
        AtomicInteger runs = new AtomicInteger();
        ScheduledJob<?> handle = scheduler.repeat(
                runs::incrementAndGet, Repetition.atFixedRate(HOUR).startingAfter(HOUR));
        handle.run();
        handle.run();
        assertThat(runs).hasValue(2);
        assertThat(scheduler.stats().timersWaiting()).isEqualTo(1);
        assertThat(handle.cancel(false)).isTrue();
        assertThat(scheduler.stats().timersWaiting()).isZero();
        scheduler.shutdown();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS))
                .as("%s", scheduler.dump())
                .isTrue();
        assertBooksBalance(scheduler.stats());
    }

    // ---- deadlines -----------------------------------------------------------------------------------------------

    @Test
    void aDeadlineCancelsAJobThatHasNotStarted() throws Exception {
        try (PinnedScheduler scheduler = start("queued", 1)) {
            CountDownLatch hold = new CountDownLatch(1);
            scheduler.execute(() -> Latches.uninterruptibly(hold));
            AtomicBoolean ran = new AtomicBoolean();
            JobHandle<Boolean> handle = scheduler.submitWithin(() -> ran.getAndSet(true), Duration.ofMillis(5));
            try {
                assertThat(handle.outcome(Duration.ofSeconds(60))).isEqualTo(new Outcome.Cancelled<>());
            } finally {
                hold.countDown();
            }
            assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(60))).isTrue();
            assertThat(ran).isFalse();
            assertThat(scheduler.stats().jobsCancelled()).isEqualTo(1);
            assertBooksBalance(scheduler.stats());
        }
    }

    @Test
    void aDeadlineInterruptsTheJobThatRunsAndNoLaterOne() throws Exception {
        try (PinnedScheduler scheduler = start("running", 1)) {
            int interruptions = 0;
            for (int round = 0; round < Stress.scaled(50); round++) {
                AtomicBoolean interrupted = new AtomicBoolean();
                JobHandle<?> handle = scheduler.submitWithin(
                        () -> {
                            try {
                                Thread.sleep(60_000);
                            } catch (InterruptedException e) {
                                interrupted.set(true);
                            }
                            return null;
                        },
                        MILLISECOND);
                JobHandle<Boolean> next =
                        scheduler.submit(() -> Thread.currentThread().isInterrupted());
                assertThat(handle.outcome()).isEqualTo(new Outcome.Cancelled<>());
                assertThat(next.join()).isFalse();
                interruptions += interrupted.get() ? 1 : 0; // none if the deadline came before the job had started
            }
            assertThat(interruptions).isPositive();
            assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(60))).isTrue();
            assertBooksBalance(scheduler.stats());
        }
    }

    @Test
    void aDeadlineDoesNothingToAJobThatHasEnded() throws Exception {
        try (PinnedScheduler scheduler = start("ended", 1)) {
            JobHandle<String> handle = scheduler.submitWithin(() -> "value", Duration.ofSeconds(60));
            assertThat(handle.get()).isEqualTo("value");
            JobHandle<String> late = scheduler.submitWithin(() -> "value", Duration.ofMillis(10));
            Outcome<String> outcome = late.outcome();
            scheduler.schedule(() -> {}, 20, TimeUnit.MILLISECONDS).get(); // after that deadline
            assertThat(late.outcome()).isEqualTo(outcome);
            assertBooksBalance(scheduler.stats());
        }
    }

    @Test
    void aJobOfASchedulerThatWasShutDownMaySetADeadline() throws Exception {
        PinnedScheduler scheduler = start("late", 2);
        CountDownLatch isShutDown = new CountDownLatch(1);
        JobHandle<Outcome<String>> parent = scheduler.submit(() -> {
            isShutDown.await();
            return scheduler
                    .submitWithin(
                            () -> {
                                Thread.sleep(120_000);
                                return "slept";
                            },
                            Duration.ofMillis(5))
                    .outcome();
        });
        scheduler.shutdown();
        isShutDown.countDown();
        assertThat(parent.get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Cancelled<>());
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS))
                .as("%s", scheduler.dump())
                .isTrue();
        assertBooksBalance(scheduler.stats());
    }

    @Test
    void aDeadlineHoldsForAJobThatItsSubmitterRuns() throws Exception {
        CountDownLatch hold = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(1);
        try (PinnedScheduler scheduler = PinnedScheduler.builder()
                .workers(1)
                .pinning(Pinning.OFF)
                .injectorCapacity(1)
                .overflow(OverflowPolicy.CALLER_RUNS)
                .build()) {
            scheduler.execute(() -> {
                held.countDown();
                Latches.uninterruptibly(hold);
            });
            held.await();
            scheduler.execute(() -> {});
            JobHandle<?> handle;
            try {
                handle = scheduler.submitWithin(
                        () -> {
                            Thread.sleep(60_000);
                            return null;
                        },
                        Duration.ofMillis(5));
            } finally {
                hold.countDown();
            }
            assertThat(handle.outcome()).isEqualTo(new Outcome.Cancelled<>());
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(60))).isTrue();
            assertBooksBalance(scheduler.stats());
        }
    }

    // ---- the thread ----------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theTimerThreadComesWithTheFirstTimerAndGoesWithTheScheduler(boolean daemon) throws Exception {
        PinnedScheduler scheduler = PinnedScheduler.builder()
                .name("timed")
                .workers(1)
                .pinning(Pinning.OFF)
                .daemon(daemon)
                .build();
        scheduler.submit(() -> {}).get();
        scheduler.lane(0).submit(() -> {}).get();
        assertThat(PinnedSchedulerTest.threadsNamed("timed-timer")).isEmpty();
        scheduler.schedule(() -> {}, 1, TimeUnit.HOURS).cancel(false);
        scheduler.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).get();
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().equals("timed-timer"))
                .singleElement()
                .satisfies(thread -> assertThat(thread.isDaemon()).isEqualTo(daemon));
        scheduler.shutdown();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        Stress.await(() -> PinnedSchedulerTest.threadsNamed("timed-timer").isEmpty(), () -> "still there");
    }

    @Test
    void theTimerThreadKeepsNoClassLoaderOfWhoSetTheFirstTimer() throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (PinnedScheduler scheduler = start("loader", 1)) {
            Thread.currentThread().setContextClassLoader(new ClassLoader("first", before) {});
            scheduler.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).get();
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> thread.getName().equals("loader-timer"))
                    .singleElement()
                    .satisfies(
                            thread -> assertThat(thread.getContextClassLoader()).isSameAs(before));
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    /**
     * A listener that runs on the timers' thread sets a timer, and parks, as it would for a lock: that takes the
     * wake-up for the new timer. Another timer waits meanwhile, or none.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTimerThatIsSetWhileAListenerParksOnTheTimersThreadIsNotForgotten(boolean anotherWaits) throws Exception {
        PinnedScheduler scheduler = start("listened", 1);
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch ran = new CountDownLatch(1);
        try {
            if (anotherWaits) {
                scheduler.schedule(() -> {}, 1, TimeUnit.HOURS);
            }
            JobHandle<?> limited = scheduler.submitWithin(() -> Latches.isAwaited(never), Duration.ofMillis(50));
            limited.onComplete(outcome -> {
                scheduler.schedule(ran::countDown, 0, TimeUnit.SECONDS);
                LockSupport.parkNanos(1);
            });
            Schedulers.await(scheduler, ran);
        } finally {
            scheduler.shutdownNow();
        }
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    // ---- shutdown ------------------------------------------------------------------------------------------------

    @Test
    void aRepeatedJobThatIsDueAndHasNotStartedIsCancelledByShutdown() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        scheduler.execute(() -> {
            held.countDown();
            Latches.uninterruptibly(release);
        });
        Schedulers.await(scheduler, held);
        AtomicInteger runs = new AtomicInteger();
        ScheduledJob<?> repeated = scheduler.scheduleAtFixedRate(runs::incrementAndGet, 0, 1, TimeUnit.MILLISECONDS);
        Stress.awaitProgress(() -> scheduler.stats().queued(), 1, scheduler::dump);
        scheduler.shutdown();
        release.countDown();
        Schedulers.awaitEnd(scheduler);
        assertThat(runs).hasValue(0);
        assertThat(repeated.isCancelled()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void afterShutdownTimedJobsRunWhenTheyAreDueAndRepeatedOnesAreCancelled(int workers) throws Exception {
        PinnedScheduler scheduler = start("down", workers);
        long before = System.nanoTime();
        ScheduledJob<Long> once = scheduler.schedule(System::nanoTime, 50, TimeUnit.MILLISECONDS);
        ScheduledJob<?> repeated = scheduler.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.HOURS);
        ScheduledJob<?> cancelledLater = scheduler.schedule(() -> {}, 1, TimeUnit.HOURS);
        scheduler.shutdown();
        assertThat(repeated.isCancelled()).isTrue();
        assertThat(once.isDone() && System.nanoTime() - before < 50_000_000).isFalse();
        assertThatThrownBy(() -> scheduler.schedule(() -> {}, 0, TimeUnit.SECONDS))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("down is shut down");
        assertThatThrownBy(() -> scheduler.repeat(() -> {}, Repetition.atFixedRate(HOUR)))
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(once.get() - before).isGreaterThanOrEqualTo(50_000_000);
        assertThat(scheduler.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(cancelledLater.cancel(false)).isTrue();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.jobsRejected()).isEqualTo(2);
        assertThat(stats.jobsCancelled()).isEqualTo(2);
        assertBooksBalance(stats);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shutdownNowReturnsTheTimedJobsThatNeverRan(int workers) throws Exception {
        PinnedScheduler scheduler = start("now", workers);
        AtomicInteger runs = new AtomicInteger();
        ScheduledJob<?> ran = scheduler.schedule(() -> {}, 0, TimeUnit.SECONDS);
        ran.get();
        List<ScheduledJob<?>> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            waiting.add(scheduler.schedule(runs::incrementAndGet, 1 + i, TimeUnit.HOURS));
            waiting.add(scheduler.scheduleAtFixedRate(runs::incrementAndGet, 1 + i, 1, TimeUnit.HOURS));
        }
        ScheduledJob<?> cancelled = scheduler.schedule(runs::incrementAndGet, 1, TimeUnit.HOURS);
        cancelled.cancel(false);
        assertThat(scheduler.shutdownNow()).containsExactlyInAnyOrderElementsOf(asRunnables(waiting));
        assertThat(waiting).allMatch(ScheduledJob::isCancelled);
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(runs).hasValue(0);
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.timersWaiting()).isZero();
        assertThat(stats.jobsHandedBack()).isEqualTo(200);
        assertThat(stats.jobsCancelled()).isEqualTo(1);
        assertBooksBalance(stats);
    }

    private static List<Runnable> asRunnables(List<ScheduledJob<?>> jobs) {
        return new ArrayList<>(jobs);
    }

    @Test
    void aDeadlineHoldsAlsoForAJobThatTakesNoNoticeOfShutdownNow() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        CountDownLatch end = new CountDownLatch(1);
        try {
            JobHandle<Boolean> job = null;
            for (int millis = 200; job == null || job.isDone(); millis *= 2) { // long enough to see it run
                end.countDown(); // of the one before
                CountDownLatch runs = new CountDownLatch(1);
                CountDownLatch its = new CountDownLatch(1);
                end = its;
                JobHandle<Boolean> next = scheduler.submitWithin(
                        () -> {
                            runs.countDown();
                            Latches.uninterruptibly(its);
                            return true;
                        },
                        Duration.ofMillis(millis));
                Stress.await(() -> runs.getCount() == 0 || next.isDone(), scheduler::dump);
                job = next;
            }
            assertThat(scheduler.shutdownNow()).isEmpty();
            assertThat(Schedulers.outcome(scheduler, job)).isInstanceOf(Outcome.Cancelled.class);
        } finally {
            end.countDown();
        }
        Schedulers.end(scheduler);
    }

    @Test
    void theTimersThreadKnowsNothingOfWhoSubmitsFirst() throws Exception {
        InheritableThreadLocal<String> mine = new InheritableThreadLocal<>();
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        mine.set("first submitter's");
        try {
            AtomicReference<Thread> teller = new AtomicReference<>();
            AtomicReference<String> seen = new AtomicReference<>();
            for (int millis = 20; teller.get() == null || teller.get() == Thread.currentThread(); millis *= 2) {
                JobHandle<?> job = scheduler.submitWithin(
                        () -> Latches.isAwaited(new CountDownLatch(1)), Duration.ofMillis(millis));
                CountDownLatch told = new CountDownLatch(1);
                job.onComplete(outcome -> {
                    seen.set(mine.get());
                    teller.set(Thread.currentThread());
                    told.countDown();
                });
                Schedulers.await(scheduler, told);
            }
            assertThat(seen.get()).isNull();
        } finally {
            mine.remove();
            scheduler.shutdownNow();
        }
    }
}
