// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.affinity.Pinning;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The clauses of {@code ScheduledExecutorService}, {@code Delayed} and {@code RunnableScheduledFuture}. */
@SuppressWarnings("try") // a Holding acts by being open
@ParameterizedClass(name = "{0} workers")
@ValueSource(ints = {1, 2})
@Timeout(120)
class ScheduledExecutorServiceContractTest {
    private record Failure(Runnable job, Throwable thrown) {}

    private final ConcurrentLinkedQueue<Failure> failures = new ConcurrentLinkedQueue<>();
    private final PinnedScheduler scheduler;

    ScheduledExecutorServiceContractTest(int workers) {
        scheduler = builder(workers).build();
    }

    private PinnedScheduler.Builder builder(int workers) {
        return PinnedScheduler.builder()
                .workers(workers)
                .pinning(Pinning.OFF)
                .daemon(true)
                .failureHandler((job, failure) -> failures.add(new Failure(job, failure)));
    }

    @AfterEach
    void end() throws Exception {
        scheduler.shutdownNow();
        assertTerminates(scheduler);
    }

    private static void assertTerminates(PinnedScheduler scheduler) throws InterruptedException {
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS))
                .as(() -> scheduler.dump())
                .isTrue();
    }

    private static void assertBooksBalance(SchedulerStats stats) {
        assertThat(stats.jobsRun() + stats.jobsFailed() + stats.jobsCancelled() + stats.jobsHandedBack())
                .as("%s", stats)
                .isEqualTo(stats.jobsSubmitted());
        assertThat(stats.timersWaiting()).isZero();
    }

    /** The two kinds of repetition. */
    private enum Kind {
        FIXED_RATE,
        FIXED_DELAY;

        ScheduledJob<?> start(PinnedScheduler scheduler, Runnable job, long delay, long period, TimeUnit unit) {
            return this == FIXED_RATE
                    ? scheduler.scheduleAtFixedRate(job, delay, period, unit)
                    : scheduler.scheduleWithFixedDelay(job, delay, period, unit);
        }
    }

    // ---- once ------------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 3, -1, Long.MIN_VALUE})
    void aDelayedJobRunsOnceAndNeverEarly(long millis) throws Exception {
        AtomicInteger ran = new AtomicInteger();
        long before = System.nanoTime();
        ScheduledJob<Long> timed = scheduler.schedule(
                () -> {
                    ran.incrementAndGet();
                    return System.nanoTime();
                },
                millis,
                TimeUnit.MILLISECONDS);
        ScheduledJob<?> plain = scheduler.schedule((Runnable) ran::incrementAndGet, millis, TimeUnit.MILLISECONDS);
        assertThat(timed.get(60, TimeUnit.SECONDS) - before)
                .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(Math.max(0, millis)));
        assertThat(plain.get(60, TimeUnit.SECONDS)).isNull();
        assertThat(ran).hasValue(2);
        assertThat(timed.isPeriodic()).isFalse();
        assertThat(timed.getDelay(TimeUnit.NANOSECONDS)).isNotPositive();
        assertThat(timed.cancel(true)).isFalse();
    }

    @Test
    void delayedJobsOfASingleWorkerRunInTheOrderOfTheirTimes() throws Exception {
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        try (PinnedScheduler one = builder(1).build()) {
            Map<ScheduledJob<?>, Integer> jobs = new TreeMap<>();
            try (Holding held = Holding.workersOf(one)) {
                for (int i : new int[] {5, 2, 8, 1, 9, 3, 7, 4, 6, 0}) {
                    jobs.put(one.schedule(() -> order.add(i), 10 + 2L * i, TimeUnit.MILLISECONDS), i);
                }
                Stress.await(() -> one.stats().timersWaiting() == 0, one::dump);
            }
            jobs.keySet().forEach(JobHandle::join);
            assertThat(order).hasSize(10).containsExactlyElementsOf(jobs.values());
        }
    }

    @Test
    void jobsThatAreDueAtOnceRunInTheOrderOfTheirComing() throws Exception {
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        try (PinnedScheduler one = builder(1).build();
                Holding held = Holding.workersOf(one)) {
            ScheduledJob<?> last = null;
            for (int i = 0; i < 300; i++) {
                int number = i;
                last = one.schedule(() -> order.add(number), i % 2 == 0 ? 0 : -i, TimeUnit.DAYS);
            }
            held.close();
            last.join();
        }
        assertThat(order).hasSize(300).isSorted();
    }

    @Test
    void aDelayedJobThatFailsTellsItsHandleAlone() {
        IOException cause = new IOException("broken");
        ScheduledJob<String> job = scheduler.schedule(
                () -> {
                    throw cause;
                },
                1,
                TimeUnit.MICROSECONDS);
        assertThat(job.outcome()).isEqualTo(new Outcome.Failed<>(cause));
        assertThat(scheduler.submit(() -> 1).join()).isEqualTo(1);
        assertThat(failures).isEmpty();
    }

    @Test
    void aJobMayWaitForADelayedOneOnTheOnlyWorker() throws Exception {
        for (int spareThreads : new int[] {256, 0}) {
            PinnedScheduler one = builder(1).spareThreads(spareThreads).build();
            JobHandle<Integer> waiter = one.submit(
                    () -> one.schedule(() -> 20, 1, TimeUnit.MILLISECONDS).join()
                            + one.schedule(() -> 22, 1, TimeUnit.MILLISECONDS).get(1, TimeUnit.DAYS));
            assertThat(waiter.outcome(Duration.ofMinutes(1))).isEqualTo(new Outcome.Done<>(42));
            one.close();
        }
    }

    // ---- extreme times ---------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void theLongestDelayIsNotDueBeforeAnyOther(TimeUnit unit) throws Exception {
        AtomicInteger ran = new AtomicInteger();
        List<ScheduledJob<?>> never = List.of(
                scheduler.schedule((Runnable) ran::incrementAndGet, Long.MAX_VALUE, unit),
                scheduler.schedule((Callable<Integer>) ran::incrementAndGet, Long.MAX_VALUE, unit),
                scheduler.scheduleAtFixedRate(ran::incrementAndGet, Long.MAX_VALUE, 1, unit),
                scheduler.scheduleWithFixedDelay(ran::incrementAndGet, Long.MAX_VALUE, Long.MAX_VALUE, unit));
        ScheduledJob<Integer> due = scheduler.schedule(() -> 1, Long.MIN_VALUE, unit);
        ScheduledJob<Integer> soon = scheduler.schedule(() -> 2, 1, TimeUnit.MILLISECONDS);
        assertThat(due.get(60, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(soon.get(60, TimeUnit.SECONDS)).isEqualTo(2);
        assertThat(ran).hasValue(0);
        for (ScheduledJob<?> job : never) {
            assertThat(job.getDelay(TimeUnit.DAYS)).isGreaterThan(365 * 100);
            assertThat(job.compareTo(due)).isPositive();
            assertThat(due.compareTo(job)).isNegative();
            assertThat(job.cancel(false)).isTrue();
        }
        assertThat(scheduler.stats().timersWaiting()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void theLongestPeriodIsNotOverBeforeTheScheduler(Kind kind) throws Exception {
        for (TimeUnit unit : TimeUnit.values()) {
            AtomicInteger ran = new AtomicInteger();
            ScheduledJob<?> job = kind.start(scheduler, ran::incrementAndGet, Long.MIN_VALUE, Long.MAX_VALUE, unit);
            Stress.await(() -> job.getDelay(TimeUnit.DAYS) > 365 * 100, scheduler::dump);
            assertThat(ran).hasValue(1);
            assertThat(job.isDone()).isFalse();
            assertThat(job.cancel(true)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPeriodThatIsNotPositiveIsRefused(Kind kind) {
        for (long period : new long[] {0, -1, Long.MIN_VALUE}) {
            for (TimeUnit unit : TimeUnit.values()) {
                assertThatThrownBy(() -> kind.start(scheduler, () -> {}, 0, period, unit))
                        .as("%s %s", period, unit)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("expected more than 0");
            }
        }
        assertThatThrownBy(() -> Repetition.atFixedRate(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(scheduler.stats().jobsSubmitted()).isZero();
    }

    // ---- Delayed ---------------------------------------------------------------------------------------------------

    @Test
    void handlesTellTheirDelayAndAreOrderedByIt() {
        ScheduledJob<?> first = scheduler.schedule(() -> {}, 1, TimeUnit.DAYS);
        ScheduledJob<?> second = scheduler.schedule(() -> 1, 2, TimeUnit.DAYS);
        ScheduledJob<?> third = scheduler.scheduleAtFixedRate(() -> {}, 3, 1, TimeUnit.DAYS);
        ScheduledJob<?> fourth = scheduler.scheduleWithFixedDelay(() -> {}, 4, 1, TimeUnit.DAYS);
        List<ScheduledJob<?>> jobs = new ArrayList<>(List.of(third, first, fourth, second));
        Collections.sort(jobs);
        assertThat(jobs).containsExactly(first, second, third, fourth);
        assertThat(first.compareTo(jobs.get(0))).isZero();
        assertThat(first.getDelay(TimeUnit.HOURS)).isEqualTo(23);
        assertThat(fourth.getDelay(TimeUnit.DAYS)).isEqualTo(3);
        assertThat(first.getDelay(TimeUnit.NANOSECONDS)).isLessThanOrEqualTo(TimeUnit.DAYS.toNanos(1));
        assertThat(first.isPeriodic()).isFalse();
        assertThat(second.isPeriodic()).isFalse();
        assertThat(third.isPeriodic()).isTrue();
        assertThat(fourth.isPeriodic()).isTrue();
        assertThatThrownBy(() -> first.getDelay(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> first.compareTo(null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void aHandleComparesItselfWithDelayedThingsOfOthers() {
        ScheduledJob<?> job = scheduler.schedule(() -> {}, 2, TimeUnit.DAYS);
        assertThat(job.compareTo(delayed(1))).isPositive();
        assertThat(job.compareTo(delayed(3))).isNegative();
    }

    private static Delayed delayed(long days) {
        return new Delayed() {
            @Override
            public long getDelay(TimeUnit unit) {
                return unit.convert(days, TimeUnit.DAYS);
            }

            @Override
            public int compareTo(Delayed other) {
                throw new AssertionError("not asked");
            }
        };
    }

    // ---- again and again -------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void runsFollowEachOtherWithoutOverlapAndSeeWhatEarlierOnesWrote(Kind kind) {
        int[] plain = {0};
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        ScheduledJob<?> job = kind.start(
                scheduler,
                () -> {
                    overlaps.addAndGet(inside.getAndIncrement());
                    plain[0]++;
                    Thread.yield();
                    inside.decrementAndGet();
                    runs.incrementAndGet();
                },
                0,
                1,
                TimeUnit.NANOSECONDS);
        int enough = Stress.scaled(2_000);
        Stress.await(() -> runs.get() >= enough, scheduler::dump);
        assertThat(job.isDone()).isFalse();
        assertThatThrownBy(() -> job.get(1, TimeUnit.MICROSECONDS)).isInstanceOf(TimeoutException.class);
        assertThatThrownBy(job::resultNow).isInstanceOf(IllegalStateException.class);
        assertThat(job.cancel(false)).isTrue();
        Stress.await(() -> inside.get() == 0, scheduler::dump);
        scheduler.close();
        assertThat(overlaps).hasValue(0);
        assertThat(plain[0]).isEqualTo(runs.get());
        assertBooksBalance(scheduler.stats());
    }

    @Test
    void atAFixedRateTheTimesDoNotDependOnHowLongARunTakes() throws Exception {
        long period = TimeUnit.MILLISECONDS.toNanos(1);
        AtomicReference<ScheduledJob<?>> self = new AtomicReference<>();
        CountDownLatch known = new CountDownLatch(1);
        List<Long> delays = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch enough = new CountDownLatch(3);
        self.set(scheduler.scheduleAtFixedRate(
                () -> {
                    Latches.uninterruptibly(known);
                    if (delays.isEmpty()) {
                        long start = System.nanoTime();
                        Stress.await(() -> System.nanoTime() - start >= 5 * period, () -> "");
                    }
                    delays.add(self.get().getDelay(TimeUnit.NANOSECONDS));
                    enough.countDown();
                },
                0,
                period,
                TimeUnit.NANOSECONDS));
        known.countDown();
        assertThat(enough.await(60, TimeUnit.SECONDS)).as(scheduler.dump()).isTrue();
        self.get().cancel(false);
        assertThat(delays.get(0)).isLessThanOrEqualTo(-5 * period);
        assertThat(delays.get(1)).as("due one period after the first").isLessThanOrEqualTo(-4 * period);
        assertThat(delays.get(2)).as("due two periods after the first").isLessThanOrEqualTo(-3 * period);
    }

    @Test
    void withAFixedDelayTheNextRunIsDueAPeriodAfterTheEnd() throws Exception {
        long period = TimeUnit.MILLISECONDS.toNanos(1);
        AtomicReference<ScheduledJob<?>> self = new AtomicReference<>();
        CountDownLatch known = new CountDownLatch(1);
        List<Long> ends = Collections.synchronizedList(new ArrayList<>());
        List<Long> dues = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch enough = new CountDownLatch(3);
        self.set(scheduler.scheduleWithFixedDelay(
                () -> {
                    Latches.uninterruptibly(known);
                    long delay = self.get().getDelay(TimeUnit.NANOSECONDS);
                    long start = System.nanoTime();
                    dues.add(start + delay);
                    Stress.await(() -> System.nanoTime() - start >= 3 * period, () -> "");
                    ends.add(System.nanoTime());
                    enough.countDown();
                },
                0,
                period,
                TimeUnit.NANOSECONDS));
        known.countDown();
        assertThat(enough.await(60, TimeUnit.SECONDS)).as(scheduler.dump()).isTrue();
        self.get().cancel(false);
        for (int run = 1; run < 3; run++) {
            assertThat(dues.get(run)).isGreaterThanOrEqualTo(ends.get(run - 1) + period);
        }
    }

    @ParameterizedTest
    @EnumSource
    void noRunStartsBeforeItsTime(Kind kind) throws Exception {
        long period = TimeUnit.MICROSECONDS.toNanos(200);
        List<Long> starts = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch enough = new CountDownLatch(50);
        long before = System.nanoTime();
        ScheduledJob<?> job = kind.start(
                scheduler,
                () -> {
                    starts.add(System.nanoTime());
                    enough.countDown();
                },
                3 * period,
                period,
                TimeUnit.NANOSECONDS);
        assertThat(enough.await(60, TimeUnit.SECONDS)).as(scheduler.dump()).isTrue();
        job.cancel(false);
        for (int run = 0; run < 50; run++) {
            assertThat(starts.get(run) - before).isGreaterThanOrEqualTo((3 + run) * period);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRunThatThrowsIsTheLastAndIsReportedAndEndsTheHandle(Kind kind) throws Exception {
        IllegalStateException cause = new IllegalStateException("third run");
        AtomicInteger runs = new AtomicInteger();
        ScheduledJob<?> job = kind.start(
                scheduler,
                () -> {
                    if (runs.incrementAndGet() == 3) {
                        throw cause;
                    }
                },
                0,
                1,
                TimeUnit.MICROSECONDS);
        assertThatThrownBy(() -> job.get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCause(cause);
        assertThat(job.isDone()).isTrue();
        assertThat(job.isCancelled()).isFalse();
        assertThat(job.exceptionNow()).isSameAs(cause);
        assertThat(job.cancel(true)).isFalse();
        scheduler.close();
        assertThat(runs).hasValue(3);
        assertThat(failures).containsExactly(new Failure(job, cause));
        assertBooksBalance(scheduler.stats());
        assertThat(scheduler.stats().jobsFailed()).isEqualTo(1);
        assertThat(scheduler.stats().jobsRun()).isEqualTo(2);
    }

    @Test
    void aRepetitionThatContinuesReportsEachFailureAndGoesOn() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        ScheduledJob<?> job = scheduler.repeat(
                () -> ExecutorServiceContractTest.sneak(new IOException("run " + runs.incrementAndGet())),
                Repetition.withFixedDelay(Duration.ofNanos(1)).onFailure(Repetition.AfterFailure.CONTINUE));
        Stress.await(() -> failures.size() >= 5, scheduler::dump);
        assertThat(job.isDone()).isFalse();
        job.cancel(false);
        scheduler.close();
        assertThat(failures).hasSize(runs.get()).allMatch(failure -> failure.job() == job);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRepeatedJobThatIsCancelledBetweenRunsRunsNoMore(boolean interrupt) throws Exception {
        AtomicInteger runs = new AtomicInteger();
        ScheduledJob<?> job = scheduler.scheduleAtFixedRate(runs::incrementAndGet, 0, 1, TimeUnit.DAYS);
        Stress.await(() -> job.getDelay(TimeUnit.HOURS) > 0 && scheduler.stats().timersWaiting() == 1, scheduler::dump);
        assertThat(job.cancel(interrupt)).isTrue();
        assertThat(job.cancel(interrupt)).isFalse();
        assertThat(scheduler.stats().timersWaiting()).as("forgotten").isZero();
        assertThat(job.isCancelled()).isTrue();
        assertThatThrownBy(job::get).isInstanceOf(CancellationException.class);
        scheduler.close();
        assertThat(runs).hasValue(1);
        assertBooksBalance(scheduler.stats());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRepeatedJobThatIsCancelledWhileItRunsIsInterruptedOnlyIfAskedAndRunsNoMore(boolean interrupt)
            throws Exception {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        AtomicBoolean sawInterrupt = new AtomicBoolean();
        ScheduledJob<?> job = scheduler.scheduleWithFixedDelay(
                () -> {
                    runs.incrementAndGet();
                    running.countDown();
                    Latches.uninterruptibly(cancelled);
                    sawInterrupt.set(Thread.currentThread().isInterrupted());
                },
                0,
                1,
                TimeUnit.NANOSECONDS);
        assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(job.cancel(interrupt)).isTrue();
        assertThat(job.outcome()).isEqualTo(new Outcome.Cancelled<>());
        cancelled.countDown();
        scheduler.close();
        assertThat(runs).hasValue(1);
        assertThat(sawInterrupt.get()).isEqualTo(interrupt);
        assertBooksBalance(scheduler.stats());
    }

    @ParameterizedTest
    @EnumSource
    void aRepeatedJobMayCancelItself(Kind kind) throws Exception {
        AtomicReference<ScheduledJob<?>> self = new AtomicReference<>();
        CountDownLatch known = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        self.set(kind.start(
                scheduler,
                () -> {
                    Latches.uninterruptibly(known);
                    if (runs.incrementAndGet() == 3) {
                        self.get().cancel(true);
                    }
                },
                0,
                1,
                TimeUnit.NANOSECONDS));
        known.countDown();
        assertThat(self.get().outcome(Duration.ofMinutes(1))).isEqualTo(new Outcome.Cancelled<>());
        scheduler.close();
        assertThat(runs).hasValue(3);
    }

    @Test
    void aRepeatedJobThatWaitsForItselfIsTold() throws Exception {
        AtomicReference<ScheduledJob<?>> self = new AtomicReference<>();
        CountDownLatch known = new CountDownLatch(1);
        self.set(scheduler.scheduleAtFixedRate(
                () -> {
                    Latches.uninterruptibly(known);
                    self.get().join();
                },
                0,
                1,
                TimeUnit.DAYS));
        known.countDown();
        assertThatThrownBy(() -> self.get().get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void aRepeatedJobThatIsRunByHandStaysOneJob() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        ScheduledJob<?> job = scheduler.scheduleWithFixedDelay(
                () -> {
                    overlaps.addAndGet(inside.getAndIncrement());
                    runs.incrementAndGet();
                    inside.decrementAndGet();
                },
                0,
                1,
                TimeUnit.DAYS);
        Stress.await(() -> job.getDelay(TimeUnit.HOURS) > 0, scheduler::dump);
        for (int i = 0; i < 10; i++) {
            ((RunnableScheduledFuture<?>) job).run();
            scheduler.submit((Runnable) job).join();
        }
        assertThat(overlaps).hasValue(0);
        assertThat(runs.get()).isEqualTo(21);
        assertThat(scheduler.stats().timersWaiting()).isEqualTo(1);
        assertThat(job.cancel(false)).isTrue();
        assertThat(scheduler.stats().timersWaiting()).isZero();
        scheduler.shutdown();
        assertTerminates(scheduler);
        assertBooksBalance(scheduler.stats());
    }

    // ---- shutdown --------------------------------------------------------------------------------------------------

    @Test
    void afterShutdownDelayedJobsRunAndRepeatedOnesAreCancelled() throws Exception {
        AtomicInteger repeatedRuns = new AtomicInteger();
        List<ScheduledJob<?>> repeated = List.of(
                scheduler.scheduleAtFixedRate(repeatedRuns::incrementAndGet, 1, 1, TimeUnit.DAYS),
                scheduler.scheduleWithFixedDelay(repeatedRuns::incrementAndGet, 1, 1, TimeUnit.DAYS));
        ScheduledJob<String> delayed = scheduler.schedule(() -> "ran", 20, TimeUnit.MILLISECONDS);
        ScheduledJob<Object> submitting =
                scheduler.schedule(() -> scheduler.submit(() -> "from inside").join(), 21, TimeUnit.MILLISECONDS);
        scheduler.shutdown();
        for (ScheduledJob<?> job : repeated) {
            assertThat(job.isCancelled()).isTrue();
        }
        assertThatThrownBy(() -> scheduler.schedule(() -> 1, 1, TimeUnit.DAYS))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("is shut down");
        assertTerminates(scheduler);
        assertThat(delayed.resultNow()).isEqualTo("ran");
        assertThat(submitting.resultNow()).isEqualTo("from inside");
        assertThat(repeatedRuns).hasValue(0);
        assertBooksBalance(scheduler.stats());
    }

    @ParameterizedTest
    @EnumSource
    void aRepeatedJobThatRunsDuringShutdownEndsItsRunAndIsCancelled(Kind kind) throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicBoolean sawInterrupt = new AtomicBoolean(true);
        AtomicInteger runs = new AtomicInteger();
        ScheduledJob<?> job = kind.start(
                scheduler,
                () -> {
                    runs.incrementAndGet();
                    running.countDown();
                    Latches.uninterruptibly(release);
                    sawInterrupt.set(Thread.currentThread().isInterrupted());
                },
                0,
                1,
                TimeUnit.NANOSECONDS);
        assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
        scheduler.shutdown();
        assertThat(scheduler.isTerminated()).isFalse();
        release.countDown();
        assertTerminates(scheduler);
        assertThat(job.isCancelled()).isTrue();
        assertThat(sawInterrupt).isFalse();
        assertThat(runs).hasValue(1);
        assertBooksBalance(scheduler.stats());
    }

    @Test
    void repeatedJobsThatAreCancelledByShutdownDoNotHoldUpTermination() throws Exception {
        for (int round = 0; round < Stress.scaled(100); round++) {
            PinnedScheduler own = builder(scheduler.workers()).build();
            AtomicInteger runs = new AtomicInteger();
            List<ScheduledJob<?>> jobs = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                jobs.add(own.scheduleAtFixedRate(runs::incrementAndGet, 0, 1, TimeUnit.MICROSECONDS));
                jobs.add(own.scheduleWithFixedDelay(runs::incrementAndGet, 0, 1, TimeUnit.MICROSECONDS));
            }
            int until = round;
            Stress.await(() -> runs.get() >= until, own::dump);
            own.shutdown();
            assertTerminates(own);
            assertThat(jobs).allMatch(job -> job.isCancelled());
            assertBooksBalance(own.stats());
        }
    }

    @Test
    void shutdownNowHandsBackDelayedAndRepeatedJobs() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        ScheduledJob<?> far = scheduler.schedule((Runnable) ran::incrementAndGet, 1, TimeUnit.DAYS);
        ScheduledJob<?> repeated = scheduler.scheduleAtFixedRate(ran::incrementAndGet, 1, 1, TimeUnit.DAYS);
        ScheduledJob<?> cancelled = scheduler.schedule((Runnable) ran::incrementAndGet, 1, TimeUnit.DAYS);
        cancelled.cancel(false);
        List<Runnable> unstarted;
        ScheduledJob<?> due;
        try (Holding held = Holding.workersOf(scheduler)) {
            due = scheduler.schedule((Runnable) ran::incrementAndGet, 0, TimeUnit.DAYS);
            Stress.await(() -> scheduler.stats().timersWaiting() == 2, scheduler::dump);
            unstarted = scheduler.shutdownNow();
        }
        assertThat(unstarted).containsExactlyInAnyOrder(far, repeated, due);
        assertThat(unstarted).allMatch(job -> job instanceof ScheduledJob<?> handle && handle.isCancelled());
        assertThatThrownBy(far::join).isInstanceOf(CancellationException.class);
        unstarted.forEach(Runnable::run);
        assertTerminates(scheduler);
        assertThat(ran).hasValue(0);
        assertThat(scheduler.stats().jobsHandedBack()).isEqualTo(3);
        assertBooksBalance(scheduler.stats());
    }

    @Test
    void schedulingThatRacesWithTheEndIsRunCancelledHandedBackOrRejected() throws Exception {
        for (int round = 0; round < Stress.scaled(100); round++) {
            boolean now = round % 2 == 0;
            PinnedScheduler own = builder(scheduler.workers()).build();
            ConcurrentLinkedQueue<ScheduledJob<?>> jobs = new ConcurrentLinkedQueue<>();
            Stress.Threads threads = new Stress.Threads();
            AtomicInteger accepted = new AtomicInteger();
            for (int t = 0; t < 2; t++) {
                threads.start("scheduling", () -> {
                    try {
                        for (int i = 0; true; i++) {
                            jobs.add(own.schedule(() -> "ran", i % 3, TimeUnit.MICROSECONDS));
                            jobs.add(own.scheduleAtFixedRate(() -> {}, 0, 1, TimeUnit.MILLISECONDS));
                            accepted.incrementAndGet();
                        }
                    } catch (RejectedExecutionException expected) {
                        assertThat(own.isShutdown()).isTrue();
                    }
                });
            }
            int until = round % 10;
            Stress.await(() -> accepted.get() >= until, own::dump);
            if (now) {
                own.shutdownNow();
            } else {
                own.shutdown();
            }
            threads.join(own::dump);
            assertTerminates(own);
            assertThat(jobs).allMatch(job -> job.isDone());
            assertBooksBalance(own.stats());
        }
    }

    // ---- deadlines -------------------------------------------------------------------------------------------------

    @Test
    void aJobThatOutlivesItsDeadlineIsCancelledWithAnInterrupt() throws Exception {
        AtomicBoolean started = new AtomicBoolean();
        AtomicBoolean interrupted = new AtomicBoolean();
        for (long millis = 5; !started.get(); millis *= 2) { // on a busy machine it may be over before the start
            JobHandle<String> late =
                    scheduler.submitWithin(() -> sleep(started, interrupted), Duration.ofMillis(millis));
            assertThat(late.outcome(Duration.ofMinutes(1))).isEqualTo(new Outcome.Cancelled<>());
        }
        JobHandle<String> intime = scheduler.submitWithin(() -> "in time", Duration.ofSeconds(Long.MAX_VALUE));
        assertThat(intime.join()).isEqualTo("in time");
        scheduler.close();
        assertThat(interrupted).isTrue();
    }

    private static String sleep(AtomicBoolean started, AtomicBoolean interrupted) {
        started.set(true);
        try {
            Thread.sleep(120_000);
        } catch (InterruptedException e) {
            interrupted.set(true);
        }
        return "slept";
    }

    @Test
    void aDeadlineHoldsAlsoForAJobThatAnAcceptedOneSubmitsAfterShutdown() throws Exception {
        AtomicBoolean started = new AtomicBoolean();
        AtomicBoolean interrupted = new AtomicBoolean();
        CountDownLatch shutDown = new CountDownLatch(1);
        JobHandle<Outcome<String>> outer = scheduler.submit(() -> {
            Latches.uninterruptibly(shutDown);
            Outcome<String> outcome = new Outcome.Done<>("never started");
            for (long millis = 5; !started.get(); millis *= 2) {
                outcome = scheduler
                        .submitWithin(() -> sleep(started, interrupted), Duration.ofMillis(millis))
                        .outcome();
            }
            return outcome;
        });
        scheduler.shutdown();
        shutDown.countDown();
        assertThat(outer.outcome(Duration.ofMinutes(1))).isEqualTo(new Outcome.Done<>(new Outcome.Cancelled<String>()));
        assertTerminates(scheduler);
        assertThat(interrupted).isTrue();
    }
}
