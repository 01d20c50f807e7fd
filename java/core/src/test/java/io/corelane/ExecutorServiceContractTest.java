// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.affinity.Pinning;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
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

/** The clauses of {@code Executor} and {@code ExecutorService}, with {@code close} as from JDK 19 on. */
@SuppressWarnings("try") // a Holding acts by being open
@ParameterizedClass(name = "{0} workers")
@ValueSource(ints = {1, 2})
@Timeout(120)
class ExecutorServiceContractTest {
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Runnable> onFailure = new AtomicReference<>(() -> {});
    private final PinnedScheduler scheduler;

    ExecutorServiceContractTest(int workers) {
        scheduler = builder(workers).build();
    }

    private PinnedScheduler.Builder builder(int workers) {
        return PinnedScheduler.builder()
                .workers(workers)
                .pinning(Pinning.OFF)
                .daemon(true)
                .failureHandler((job, failure) -> {
                    failures.add(failure);
                    onFailure.get().run();
                });
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

    private static void await(CountDownLatch latch, PinnedScheduler scheduler) throws InterruptedException {
        assertThat(latch.await(60, TimeUnit.SECONDS)).as(() -> scheduler.dump()).isTrue();
    }

    /** Throws anything. */
    static void sneak(Throwable failure) {
        ExecutorServiceContractTest.<RuntimeException>sneaking(failure);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Throwable> void sneaking(Throwable failure) throws X {
        throw (X) failure;
    }

    private interface Call {
        void on(PinnedScheduler scheduler) throws Exception;
    }

    // ---- null ------------------------------------------------------------------------------------------------------

    @Test
    void aNullArgumentIsRefusedAndNothingIsQueued() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        Runnable run = ran::incrementAndGet;
        Callable<Integer> call = ran::incrementAndGet;
        Map<String, Call> calls = new LinkedHashMap<>();
        calls.put("execute", s -> s.execute(null));
        calls.put("tryExecute", s -> s.tryExecute(null));
        calls.put("timed tryExecute", s -> s.tryExecute(null, Duration.ZERO));
        calls.put("tryExecute without time", s -> s.tryExecute(run, null));
        calls.put("executeAll", s -> s.executeAll(null));
        calls.put("executeAll with null", s -> s.executeAll(Arrays.asList(run, null)));
        calls.put("submit Runnable", s -> s.submit((Runnable) null));
        calls.put("submit Runnable and result", s -> s.submit(null, "result"));
        calls.put("submit Callable", s -> s.submit((Callable<Object>) null));
        calls.put("submitWithin", s -> s.submitWithin((Callable<Object>) null, Duration.ofDays(1)));
        calls.put("submitWithin without time", s -> s.submitWithin(call, null));
        calls.put("invokeAll", s -> s.invokeAll((Collection<Callable<Object>>) null));
        calls.put("invokeAll with null", s -> s.invokeAll(Arrays.asList(call, null)));
        calls.put("timed invokeAll", s -> s.invokeAll((Collection<Callable<Object>>) null, 1, TimeUnit.DAYS));
        calls.put("timed invokeAll with null", s -> s.invokeAll(Arrays.asList(call, null), 1, TimeUnit.DAYS));
        calls.put("invokeAll without unit", s -> s.invokeAll(List.of(call), 1, null));
        calls.put("invokeAny", s -> s.invokeAny((Collection<Callable<Object>>) null));
        calls.put("invokeAny with null", s -> s.invokeAny(Arrays.asList(call, null)));
        calls.put("timed invokeAny", s -> s.invokeAny((Collection<Callable<Object>>) null, 1, TimeUnit.DAYS));
        calls.put("timed invokeAny with null", s -> s.invokeAny(Arrays.asList(call, null), 1, TimeUnit.DAYS));
        calls.put("invokeAny without unit", s -> s.invokeAny(List.of(call), 1, null));
        calls.put("schedule Runnable", s -> s.schedule((Runnable) null, 0, TimeUnit.DAYS));
        calls.put("schedule Runnable without unit", s -> s.schedule(run, 0, null));
        calls.put("schedule Callable", s -> s.schedule((Callable<Object>) null, 0, TimeUnit.DAYS));
        calls.put("schedule Callable without unit", s -> s.schedule(call, 0, null));
        calls.put("scheduleAtFixedRate", s -> s.scheduleAtFixedRate(null, 0, 1, TimeUnit.DAYS));
        calls.put("scheduleAtFixedRate without unit", s -> s.scheduleAtFixedRate(run, 0, 1, null));
        calls.put("scheduleWithFixedDelay", s -> s.scheduleWithFixedDelay(null, 0, 1, TimeUnit.DAYS));
        calls.put("scheduleWithFixedDelay without unit", s -> s.scheduleWithFixedDelay(run, 0, 1, null));
        calls.put("repeat", s -> s.repeat(null, Repetition.atFixedRate(Duration.ofDays(1))));
        calls.put("repeat without repetition", s -> s.repeat(run, null));
        calls.put("laneFor", s -> s.laneFor(null));
        calls.put("forEachLane", s -> s.forEachLane(null));
        calls.put("execute on lane", s -> s.lane(0).execute(null));
        calls.put("submit Runnable to lane", s -> s.lane(0).submit((Runnable) null));
        calls.put("submit Callable to lane", s -> s.lane(0).submit((Callable<Object>) null));
        calls.put("blocking", s -> s.blocking((Callable<Object>) null));
        calls.put("blocking with blocker", s -> s.blocking((ForkJoinPool.ManagedBlocker) null));
        calls.put("awaitTermination", s -> s.awaitTermination(1, null));
        calls.put("awaitQuiescence", s -> s.awaitQuiescence(null));
        for (Map.Entry<String, Call> entry : calls.entrySet()) {
            assertThatThrownBy(() -> entry.getValue().on(scheduler))
                    .as("%s, from outside", entry.getKey())
                    .isInstanceOf(NullPointerException.class);
        }
        assertThat(scheduler.stats().jobsSubmitted()).isZero();
        assertThat(scheduler.stats().timersWaiting()).isZero();

        scheduler
                .submit(() -> calls.forEach((name, body) -> assertThatThrownBy(() -> body.on(scheduler))
                        .as("%s, from a job", name)
                        .isInstanceOf(NullPointerException.class)))
                .join();
        assertThat(scheduler.stats().jobsSubmitted()).isEqualTo(1);
        assertThat(ran).hasValue(0);
    }

    // ---- memory effects --------------------------------------------------------------------------------------------

    private static final class Box {
        int before;
        int seen;
        int after;
    }

    @Test
    void theJobSeesWhatWasWrittenBeforeAndWhoLearnsOfItsEndSeesWhatItWrote() throws Exception {
        List<Call> ways = new ArrayList<>();
        AtomicReference<JobHandle<?>> current = new AtomicReference<>();
        ways.add(s -> current.get().get());
        ways.add(s -> current.get().get(60, TimeUnit.SECONDS));
        ways.add(s -> current.get().join());
        ways.add(s -> current.get().outcome(Duration.ofMinutes(1)));
        ways.add(s -> Stress.await(() -> current.get().isDone(), s::toString));
        ways.add(s -> current.get().toCompletableFuture().get(60, TimeUnit.SECONDS));
        ways.add(s -> {
            CountDownLatch told = new CountDownLatch(1);
            current.get().onComplete(outcome -> told.countDown());
            await(told, s);
        });
        for (int i = 1; i <= Stress.scaled(7_000); i++) {
            Box box = new Box();
            int number = i;
            box.before = number;
            current.set(scheduler.submit(() -> {
                box.seen = box.before;
                box.after = number;
            }));
            ways.get(i % ways.size()).on(scheduler);
            assertThat(box.seen).isEqualTo(number);
            assertThat(box.after).isEqualTo(number);
        }
    }

    @Test
    void whatJobsWroteIsVisibleAfterTermination() throws Exception {
        int[] written = new int[Stress.scaled(20_000)];
        for (int i = 0; i < written.length; i++) {
            int index = i;
            scheduler.execute(() -> written[index] = index + 1);
        }
        scheduler.shutdown();
        assertTerminates(scheduler);
        for (int i = 0; i < written.length; i++) {
            assertThat(written[i]).isEqualTo(i + 1);
        }
    }

    @Test
    void jobsOfALaneSeeWhatEarlierOnesWroteAndNeedNoLock() throws Exception {
        Lane lane = scheduler.lane(scheduler.workers() - 1);
        Box box = new Box();
        int each = Stress.scaled(5_000);
        Stress.Threads threads = new Stress.Threads();
        for (int i = 0; i < 4; i++) {
            threads.start("submitter-" + i, () -> {
                for (int k = 0; k < each; k++) {
                    lane.execute(() -> box.after++);
                }
            });
        }
        threads.join(scheduler::toString);
        assertThat(lane.submit(() -> box.after).join()).isEqualTo(4 * each);
    }

    // ---- execute ---------------------------------------------------------------------------------------------------

    @Test
    void aHandleMayBeExecutedByItsOwnSchedulerOrByAnotherOneAndRunsOnce() throws Exception {
        PinnedScheduler other = builder(1).build();
        AtomicInteger runs = new AtomicInteger();
        JobHandle<Integer> handle;
        JobHandle<Integer> failing;
        JobHandle<Integer> cancelled;
        try (Holding held = Holding.workersOf(scheduler)) {
            handle = scheduler.submit(runs::incrementAndGet);
            failing = scheduler.submit(() -> {
                throw new IOException("broken");
            });
            cancelled = scheduler.submit(runs::incrementAndGet);
            cancelled.cancel(false);
            for (JobHandle<?> each : List.of(handle, failing, cancelled)) {
                scheduler.execute((Runnable) each);
                scheduler.executeAll(List.of((Runnable) each, (Runnable) each));
                assertThat(scheduler.tryExecute((Runnable) each)).isTrue();
                scheduler.lane(0).execute((Runnable) each);
                other.execute((Runnable) each);
                assertThat(other.submit((Runnable) each).join()).isNull();
            }
            assertThat(handle.resultNow()).as("run by the other scheduler").isEqualTo(1);
            assertThat(failing.exceptionNow()).hasMessage("broken");
        }
        scheduler.shutdown();
        assertTerminates(scheduler);
        other.shutdown();
        assertTerminates(other);
        assertThat(runs).hasValue(1);
        assertThat(cancelled.isCancelled()).isTrue();
        assertThat(failures).as("the handle tells").isEmpty();
        assertBooksBalance(scheduler.stats());
        assertBooksBalance(other.stats());
    }

    private static void assertBooksBalance(SchedulerStats stats) {
        assertThat(stats.jobsRun() + stats.jobsFailed() + stats.jobsCancelled() + stats.jobsHandedBack())
                .as("%s", stats)
                .isEqualTo(stats.jobsSubmitted());
    }

    @Test
    void whatAnExecutedJobThrowsIsReportedWhateverItIs() throws Exception {
        List<Throwable> thrown =
                List.of(new IllegalStateException("a"), new AssertionError("b"), new LinkageError("c"));
        for (Throwable failure : thrown) {
            scheduler.execute(() -> sneak(failure));
            scheduler.lane(0).execute(() -> sneak(failure));
        }
        scheduler.executeAll(List.of(() -> sneak(new IOException("d"))));
        scheduler.shutdown();
        assertTerminates(scheduler);
        assertThat(failures)
                .extracting(Throwable::getMessage)
                .containsExactlyInAnyOrder("a", "a", "b", "b", "c", "c", "d");
        assertThat(scheduler.stats().jobsFailed()).isEqualTo(7);
    }

    // ---- invokeAll -------------------------------------------------------------------------------------------------

    private enum Form {
        UNTIMED,
        TIMED
    }

    private static <T> List<Future<T>> invokeAll(
            PinnedScheduler scheduler, Form form, Collection<? extends Callable<T>> jobs) throws Exception {
        return form == Form.UNTIMED
                ? scheduler.invokeAll(jobs)
                : scheduler.invokeAll(jobs, Long.MAX_VALUE, TimeUnit.DAYS);
    }

    private static <T> T invokeAny(PinnedScheduler scheduler, Form form, Collection<? extends Callable<T>> jobs)
            throws Exception {
        return form == Form.UNTIMED
                ? scheduler.invokeAny(jobs)
                : scheduler.invokeAny(jobs, Long.MAX_VALUE, TimeUnit.DAYS);
    }

    @ParameterizedTest
    @EnumSource
    void invokeAllReturnsAllHandlesInOrderAndEnded(Form form) throws Exception {
        CountDownLatch last = new CountDownLatch(1);
        List<Callable<Integer>> jobs = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            int number = i;
            jobs.add(() -> {
                if (number % 5 == 3) {
                    throw new IOException("job " + number);
                }
                if (number == 0 && scheduler.workers() > 1) {
                    last.await();
                }
                if (number == 19) {
                    last.countDown();
                }
                return number == 7 ? null : number;
            });
        }
        List<Future<Integer>> handles = invokeAll(scheduler, form, jobs);
        assertThat(handles).hasSize(20).allMatch(Future::isDone).noneMatch(Future::isCancelled);
        for (int i = 0; i < 20; i++) {
            Future<Integer> handle = handles.get(i);
            if (i % 5 == 3) {
                assertThatThrownBy(handle::get)
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(IOException.class)
                        .hasMessageEndingWith("job " + i);
            } else {
                assertThat(handle.get()).isEqualTo(i == 7 ? null : i);
            }
        }
        assertThat(failures).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void invokeAllOfNothingReturnsNothing(Form form) throws Exception {
        assertThat(invokeAll(scheduler, form, List.<Callable<Object>>of())).isEmpty();
        assertThat(scheduler.stats().jobsSubmitted()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void invokeAllWithoutTimeCancelsWhatHasNotEnded(long timeout) throws Exception {
        AtomicInteger ran = new AtomicInteger();
        try (Holding held = Holding.workersOf(scheduler)) {
            for (TimeUnit unit : List.of(TimeUnit.NANOSECONDS, TimeUnit.DAYS)) {
                Stress.Threads caller = new Stress.Threads();
                caller.start("caller", () -> {
                    List<Callable<Integer>> jobs = List.of(ran::incrementAndGet, ran::incrementAndGet);
                    assertThat(scheduler.invokeAll(jobs, timeout, unit))
                            .hasSize(2)
                            .allMatch(Future::isDone)
                            .allMatch(Future::isCancelled);
                });
                caller.join(scheduler::dump);
            }
        }
        scheduler.shutdown();
        assertTerminates(scheduler);
        assertThat(ran).hasValue(0);
    }

    @Test
    void invokeAllInterruptsWhatRunsWhenTheTimeIsOver() throws Exception {
        AtomicInteger started = new AtomicInteger();
        AtomicInteger interrupted = new AtomicInteger();
        List<Callable<String>> jobs = new ArrayList<>();
        jobs.add(() -> "quick");
        for (int i = 0; i < 3; i++) {
            jobs.add(() -> untilInterrupted(started, interrupted));
        }
        List<Future<String>> handles = scheduler.invokeAll(jobs, 50, TimeUnit.MILLISECONDS);
        assertThat(handles).hasSize(4).allMatch(Future::isDone);
        assertThat(handles.subList(1, 4)).allMatch(Future::isCancelled);
        scheduler.shutdown();
        assertTerminates(scheduler);
        assertThat(interrupted.get()).isEqualTo(started.get());
    }

    private static String untilInterrupted(AtomicInteger started, AtomicInteger interrupted) {
        started.incrementAndGet();
        try {
            Thread.sleep(120_000);
        } catch (InterruptedException e) {
            interrupted.incrementAndGet();
        }
        return "ended";
    }

    /** Both invocations, in both forms. */
    private enum Invocation {
        ALL(Form.UNTIMED),
        TIMED_ALL(Form.TIMED),
        ANY(Form.UNTIMED),
        TIMED_ANY(Form.TIMED);

        private final Form form;

        Invocation(Form form) {
            this.form = form;
        }

        void on(PinnedScheduler scheduler, List<Callable<String>> jobs) throws Exception {
            if (this == ALL || this == TIMED_ALL) {
                invokeAll(scheduler, form, jobs);
            } else {
                invokeAny(scheduler, form, jobs);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void whoIsInterruptedWhileItWaitsForAllOrAnyCancelsTheRest(Invocation invocation) throws Exception {
        AtomicInteger started = new AtomicInteger();
        AtomicInteger interrupted = new AtomicInteger();
        List<Callable<String>> jobs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            jobs.add(() -> untilInterrupted(started, interrupted));
        }
        Stress.Threads threads = new Stress.Threads();
        Thread caller = threads.start("caller", () -> {
            assertThatThrownBy(() -> invocation.on(scheduler, jobs)).isInstanceOf(InterruptedException.class);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
        Stress.await(() -> started.get() == scheduler.workers(), scheduler::dump);
        caller.interrupt();
        threads.join(scheduler::dump);
        scheduler.shutdown();
        assertTerminates(scheduler);
        assertThat(interrupted.get()).isEqualTo(started.get()).isGreaterThanOrEqualTo(scheduler.workers());
        assertThat(scheduler.stats().jobsCancelled()).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource
    void aJobThatIsInterruptedWhileItWaitsForAnyCancelsTheRest(Form form) throws Exception {
        AtomicInteger started = new AtomicInteger();
        AtomicInteger interrupted = new AtomicInteger();
        Callable<String> job = () -> untilInterrupted(started, interrupted);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        JobHandle<?> caller = scheduler.submit(() -> {
            try {
                invokeAny(scheduler, form, List.of(job, job, job, job));
            } catch (Throwable t) {
                thrown.set(t);
            }
        });
        Stress.await(() -> started.get() >= 1, scheduler::dump);
        assertThat(caller.cancel(true)).isTrue();
        scheduler.shutdown();
        assertTerminates(scheduler);
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        assertThat(interrupted.get()).isEqualTo(started.get());
        assertThat(scheduler.stats().jobsCancelled()).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource
    void aJobThatRunsTheFirstOfAllItselfIsInterruptedAfterIt(Form form) throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicBoolean innerSaw = new AtomicBoolean();
        AtomicInteger laterRan = new AtomicInteger();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Callable<Integer> first = () -> {
            runs.countDown();
            Latches.uninterruptibly(release);
            innerSaw.set(Thread.currentThread().isInterrupted());
            return 0;
        };
        PinnedScheduler one = builder(1).build();
        JobHandle<?> caller = one.submit(() -> {
            try {
                invokeAll(one, form, List.of(first, laterRan::incrementAndGet, laterRan::incrementAndGet));
            } catch (Throwable t) {
                thrown.set(t);
            }
        });
        await(runs, one);
        assertThat(caller.cancel(true)).isTrue();
        release.countDown();
        one.shutdown();
        assertTerminates(one);
        assertThat(innerSaw).isFalse();
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        assertThat(laterRan).hasValue(0);
        assertThat(one.stats().jobsCancelled()).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource
    void aRejectionInTheMiddleCancelsWhatWasAccepted(Invocation invocation) throws Exception {
        AtomicInteger ran = new AtomicInteger();
        Callable<String> job = () -> "ran " + ran.incrementAndGet();
        try (PinnedScheduler bounded =
                builder(scheduler.workers()).injectorCapacity(2).build()) {
            try (Holding held = Holding.workersOf(bounded)) {
                assertThatThrownBy(() -> invocation.on(bounded, List.of(job, job, job, job)))
                        .isInstanceOf(RejectedExecutionException.class)
                        .hasMessageContaining("the injector is full");
                assertThat(bounded.stats().jobsCancelled()).isEqualTo(2);
            }
            bounded.shutdown();
            assertTerminates(bounded);
            assertThat(ran).hasValue(0);
            assertBooksBalance(bounded.stats());
        }
    }

    @ParameterizedTest
    @EnumSource
    void invokeAllNestsOnTheOnlyWorker(Form form) {
        assertThat(scheduler.submit(() -> leaves(form, 5)).join()).isEqualTo(243);
    }

    private int leaves(Form form, int depth) throws Exception {
        if (depth == 0) {
            return 1;
        }
        Callable<Integer> job = () -> leaves(form, depth - 1);
        int sum = 0;
        for (Future<Integer> handle : invokeAll(scheduler, form, List.of(job, job, job))) {
            sum += handle.get();
        }
        return sum;
    }

    // ---- invokeAny -------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void invokeAnyReturnsAResultAlthoughOthersFail(Form form) throws Exception {
        Callable<String> failing = () -> {
            throw new IOException("broken");
        };
        assertThat(invokeAny(scheduler, form, List.of(failing, failing, () -> "good", failing)))
                .isEqualTo("good");
        assertThat(ExecutorServiceContractTest.<Object>invokeAny(scheduler, form, List.of(() -> null)))
                .isNull();
        assertThat(failures).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void whenAllFailInvokeAnyThrowsOneOfTheFailuresAsTheCause(Form form) {
        List<Throwable> causes = List.of(
                new IOException("a"),
                new CancellationException("b"),
                new CompletionException(new IOException("c")),
                new InterruptedException("d"),
                new AssertionError("e"));
        for (Throwable cause : causes) {
            Callable<String> failing = () -> {
                sneak(cause);
                return "";
            };
            assertThatThrownBy(() -> invokeAny(scheduler, form, List.of(failing, failing)))
                    .as("%s", cause)
                    .isInstanceOf(ExecutionException.class)
                    .hasCause(cause);
        }
    }

    @ParameterizedTest
    @EnumSource
    void invokeAnyOfNothingIsRefused(Form form) {
        assertThatThrownBy(() -> invokeAny(scheduler, form, List.<Callable<Object>>of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no jobs (expected at least one)");
    }

    @ParameterizedTest
    @EnumSource
    void invokeAnyCancelsTheOthersWhenOneHasSucceeded(Form form) throws Exception {
        AtomicInteger started = new AtomicInteger();
        AtomicInteger interrupted = new AtomicInteger();
        Callable<String> good = () -> {
            Stress.await(() -> started.get() == scheduler.workers() - 1, scheduler::dump);
            return "good";
        };
        Callable<String> other = () -> untilInterrupted(started, interrupted);
        assertThat(invokeAny(scheduler, form, List.of(good, other, other))).isEqualTo("good");
        scheduler.shutdown();
        assertTerminates(scheduler);
        assertThat(interrupted.get()).isEqualTo(started.get()).isGreaterThanOrEqualTo(scheduler.workers() - 1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, 1})
    void invokeAnyThatIsOutOfTimeCancelsAll(long timeout) throws Exception {
        AtomicInteger ran = new AtomicInteger();
        try (Holding held = Holding.workersOf(scheduler)) {
            assertThatThrownBy(() -> scheduler.invokeAny(
                            List.of(ran::incrementAndGet, ran::incrementAndGet), timeout, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            assertThat(scheduler.stats().jobsCancelled()).isEqualTo(2);
        }
        scheduler.shutdown();
        assertTerminates(scheduler);
        assertThat(ran).hasValue(0);
    }

    @Test
    void invokeAnyInAJobThatIsOutOfTimeCancelsWhatRunsOnItsOwnWorker() throws Exception {
        AtomicInteger started = new AtomicInteger();
        AtomicInteger interrupted = new AtomicInteger();
        Callable<String> job = () -> untilInterrupted(started, interrupted);
        JobHandle<String> caller =
                scheduler.submit(() -> scheduler.invokeAny(List.of(job, job, job), 50, TimeUnit.MILLISECONDS));
        assertThat(caller.outcome(Duration.ofMinutes(1))).isInstanceOf(Outcome.Failed.class);
        assertThat(caller.exceptionNow()).isInstanceOf(TimeoutException.class);
        scheduler.shutdown();
        assertTerminates(scheduler);
        assertThat(interrupted.get()).isEqualTo(started.get());
        assertThat(scheduler.stats().jobsCancelled()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 0})
    void invokeAnyFromAJobNeedsNoOtherWorkerAndNoSpareThread(int spareThreads) throws Exception {
        PinnedScheduler own =
                builder(scheduler.workers()).spareThreads(spareThreads).build();
        Callable<String> failing = () -> {
            throw new IOException("broken");
        };
        List<JobHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < own.workers(); i++) {
            handles.add(own.submit(() -> own.invokeAny(List.of(failing, () -> "good"))));
            handles.add(own.lane(i).submit(() -> own.invokeAny(List.of(failing, () -> "good"), 1, TimeUnit.DAYS)));
        }
        for (JobHandle<String> handle : handles) {
            assertThat(handle.outcome(Duration.ofMinutes(1))).isEqualTo(new Outcome.Done<>("good"));
        }
        own.close();
    }

    @Test
    void whoWaitsForAnyLearnsOfShutdownNow() throws Exception {
        try (Holding held = Holding.workersOf(scheduler)) {
            Stress.Threads threads = new Stress.Threads();
            threads.start("caller", () -> assertThatThrownBy(() -> scheduler.invokeAny(List.of(() -> 1, () -> 2)))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(CancellationException.class));
            Stress.await(() -> scheduler.stats().queued() == 2, scheduler::dump);
            assertThat(scheduler.shutdownNow()).hasSize(2);
            threads.join(scheduler::dump);
        }
    }

    @Test
    void whoWaitsForAllLearnsOfShutdownNow() throws Exception {
        try (Holding held = Holding.workersOf(scheduler)) {
            Stress.Threads threads = new Stress.Threads();
            threads.start("caller", () -> assertThat(scheduler.invokeAll(List.of(() -> 1, () -> 2)))
                    .allMatch(Future::isCancelled));
            Stress.await(() -> scheduler.stats().queued() == 2, scheduler::dump);
            assertThat(scheduler.shutdownNow()).hasSize(2);
            threads.join(scheduler::dump);
        }
    }

    // ---- the end ---------------------------------------------------------------------------------------------------

    @Test
    void aNewSchedulerIsNeitherShutDownNorTerminated() throws Exception {
        assertThat(scheduler.isShutdown()).isFalse();
        assertThat(scheduler.isTerminated()).isFalse();
        for (long timeout : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThat(scheduler.awaitTermination(timeout, TimeUnit.DAYS)).isFalse();
        }
    }

    @Test
    void shutdownRunsWhatWasAcceptedAndWhatThatSubmits() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        try (Holding held = Holding.workersOf(scheduler)) {
            class Splitting implements Runnable {
                private final int depth;

                Splitting(int depth) {
                    this.depth = depth;
                }

                @Override
                public void run() {
                    ran.incrementAndGet();
                    if (depth > 0) {
                        scheduler.execute(new Splitting(depth - 1));
                        scheduler.submit(new Splitting(depth - 1));
                        scheduler.lane(0).execute(new Splitting(depth - 1));
                    }
                }
            }
            scheduler.execute(new Splitting(5));
            scheduler.shutdown();
            assertThat(scheduler.isShutdown()).isTrue();
            assertThat(scheduler.isTerminated()).isFalse();
        }
        assertTerminates(scheduler);
        assertThat(scheduler.isTerminated()).isTrue();
        assertThat(ran).hasValue((729 - 1) / 2);
        assertBooksBalance(scheduler.stats());
        scheduler.shutdown();
        assertThat(scheduler.shutdownNow()).isEmpty();
        scheduler.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void afterShutdownEveryWayInRejectsAndNothingRuns(boolean now) throws Exception {
        AtomicInteger ran = new AtomicInteger();
        Runnable run = ran::incrementAndGet;
        Callable<Integer> call = ran::incrementAndGet;
        Lane asked = scheduler.lane(0);
        Map<String, Call> calls = new LinkedHashMap<>();
        calls.put("execute", s -> s.execute(run));
        calls.put("tryExecute", s -> s.tryExecute(run));
        calls.put("timed tryExecute", s -> s.tryExecute(run, Duration.ofDays(1)));
        calls.put("executeAll", s -> s.executeAll(List.of(run)));
        calls.put("submit Runnable", s -> s.submit(run));
        calls.put("submit Runnable and result", s -> s.submit(run, 1));
        calls.put("submit Callable", s -> s.submit(call));
        calls.put("submitWithin", s -> s.submitWithin(call, Duration.ofDays(1)));
        calls.put("invokeAll", s -> s.invokeAll(List.of(call)));
        calls.put("timed invokeAll", s -> s.invokeAll(List.of(call), 1, TimeUnit.DAYS));
        calls.put("invokeAny", s -> s.invokeAny(List.of(call)));
        calls.put("timed invokeAny", s -> s.invokeAny(List.of(call), 1, TimeUnit.DAYS));
        calls.put("schedule Runnable", s -> s.schedule(run, 0, TimeUnit.DAYS));
        calls.put("schedule Callable", s -> s.schedule(call, 0, TimeUnit.DAYS));
        calls.put("scheduleAtFixedRate", s -> s.scheduleAtFixedRate(run, 0, 1, TimeUnit.DAYS));
        calls.put("scheduleWithFixedDelay", s -> s.scheduleWithFixedDelay(run, 0, 1, TimeUnit.DAYS));
        calls.put("lane", s -> asked.execute(run));
        calls.put("new lane", s -> s.lane(s.workers() - 1).submit(call));
        calls.put("forEachLane", s -> s.forEachLane(run));
        try (Holding held = Holding.workersOf(scheduler)) {
            if (now) {
                scheduler.shutdownNow();
            } else {
                scheduler.shutdown();
            }
            assertRejected(calls);
        }
        assertTerminates(scheduler);
        assertRejected(calls);
        assertThat(scheduler.stats().jobsRejected()).isEqualTo(2L * calls.size());
        assertThat(ran).hasValue(0);
        assertBooksBalance(scheduler.stats());
    }

    private void assertRejected(Map<String, Call> calls) {
        calls.forEach((name, call) ->
                assertThatThrownBy(() -> call.on(scheduler)).as(name).isInstanceOf(RejectedExecutionException.class));
    }

    @Test
    void awaitTerminationIsInterruptible() throws Exception {
        Stress.Threads threads = new Stress.Threads();
        Thread waiter = threads.start("waiter", () -> {
            assertThatThrownBy(() -> scheduler.awaitTermination(Long.MAX_VALUE, TimeUnit.DAYS))
                    .isInstanceOf(InterruptedException.class);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
        waiter.interrupt();
        threads.join(scheduler::dump);
    }

    @Test
    void everyThreadThatWaitsForTheEndLearnsOfIt() throws Exception {
        Stress.Threads threads = new Stress.Threads();
        AtomicInteger waiting = new AtomicInteger();
        try (Holding held = Holding.workersOf(scheduler)) {
            for (int i = 0; i < 8; i++) {
                boolean closes = i % 2 == 0;
                threads.start("waiter-" + i, () -> {
                    waiting.incrementAndGet();
                    if (closes) {
                        scheduler.close();
                    } else {
                        assertThat(scheduler.awaitTermination(Long.MAX_VALUE, TimeUnit.DAYS))
                                .isTrue();
                    }
                    assertThat(scheduler.isTerminated()).isTrue();
                });
            }
            Stress.await(() -> waiting.get() == 8 && scheduler.isShutdown(), scheduler::dump);
            assertThat(scheduler.isTerminated()).isFalse();
        }
        threads.join(scheduler::dump);
    }

    @Test
    void closeRunsWhatIsQueuedFirst() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        Stress.Threads threads = new Stress.Threads();
        try (Holding held = Holding.workersOf(scheduler)) {
            for (int i = 0; i < 10; i++) {
                scheduler.execute(ran::incrementAndGet);
            }
            threads.start("closer", () -> {
                scheduler.close();
                assertThat(ran).hasValue(10);
            });
            Stress.await(scheduler::isShutdown, scheduler::dump);
        }
        threads.join(scheduler::dump);
    }

    @Test
    void closeThatIsInterruptedHandsBackInterruptsAndStillWaits() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger interrupted = new AtomicInteger();
        AtomicInteger running = new AtomicInteger();
        for (int i = 0; i < scheduler.workers(); i++) {
            scheduler.execute(() -> {
                running.incrementAndGet();
                try {
                    Thread.sleep(120_000);
                } catch (InterruptedException e) {
                    interrupted.incrementAndGet();
                }
                Latches.uninterruptibly(release);
            });
        }
        Stress.await(() -> running.get() == scheduler.workers(), scheduler::dump);
        JobHandle<String> queued = scheduler.submit(() -> "ran");
        AtomicBoolean returned = new AtomicBoolean();
        Stress.Threads threads = new Stress.Threads();
        Thread closer = threads.start("closer", () -> {
            scheduler.close();
            returned.set(true);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            assertThat(scheduler.isTerminated()).isTrue();
        });
        Stress.await(scheduler::isShutdown, scheduler::dump);
        assertThat(queued.isDone()).isFalse();
        closer.interrupt();
        Stress.await(() -> interrupted.get() == scheduler.workers(), scheduler::dump);
        closer.interrupt();
        assertThat(queued.outcome()).isEqualTo(new Outcome.Cancelled<>());
        assertThat(returned).isFalse();
        release.countDown();
        threads.join(scheduler::dump);
    }

    @Test
    void closeOfATerminatedSchedulerKeepsTheInterruptFlag() {
        scheduler.close();
        Thread.currentThread().interrupt();
        scheduler.close();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void shutdownNowOfAnIdleSchedulerReturnsNothing() throws Exception {
        assertThat(scheduler.shutdownNow()).isEmpty();
        assertTerminates(scheduler);
        assertThat(scheduler.isShutdown()).isTrue();
    }

    @Test
    void shutdownNowAfterShutdownTakesBackWhatIsQueued() throws Exception {
        Runnable job = () -> {};
        JobHandle<Integer> handle;
        try (Holding held = Holding.workersOf(scheduler)) {
            scheduler.execute(job);
            handle = scheduler.submit(() -> 1);
            scheduler.shutdown();
            assertThat(scheduler.shutdownNow()).containsExactlyInAnyOrder(job, (Runnable) handle);
            assertThat(handle.isCancelled()).isTrue();
            assertThat(scheduler.isTerminated()).isFalse();
        }
        assertTerminates(scheduler);
    }

    /** A place of a scheduler's own from which its end may be asked for. */
    private enum Place {
        JOB,
        SUBMITTED_JOB,
        JOINED_JOB,
        LANE,
        TIMED_JOB,
        REPEATED_JOB,
        BLOCKING_SECTION,
        LISTENER,
        DEPENDENT_OF_A_FUTURE,
        LISTENER_OF_AN_EXPIRED_JOB,
        FAILURE_HANDLER
    }

    private void runAt(Place place, Runnable action) throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        switch (place) {
            case JOB -> scheduler.execute(action);
            case SUBMITTED_JOB -> scheduler.submit(action);
            case JOINED_JOB -> scheduler.execute(() -> scheduler.submit(action).outcome());
            case LANE -> scheduler.lane(0).execute(action);
            case TIMED_JOB -> scheduler.schedule(action, 1, TimeUnit.MICROSECONDS);
            case REPEATED_JOB -> scheduler.scheduleAtFixedRate(action, 0, 1, TimeUnit.DAYS);
            case BLOCKING_SECTION ->
                scheduler.submit(() -> scheduler.blocking(() -> {
                    action.run();
                    return true;
                }));
            case LISTENER ->
                scheduler.submit(() -> Latches.uninterruptibly(gate)).onComplete(outcome -> action.run());
            case DEPENDENT_OF_A_FUTURE ->
                scheduler
                        .submit(() -> Latches.uninterruptibly(gate))
                        .toCompletableFuture()
                        .thenRun(action);
            case LISTENER_OF_AN_EXPIRED_JOB ->
                scheduler
                        .submitWithin(() -> untilInterrupted(new AtomicInteger(), new AtomicInteger()), EXPIRY)
                        .onComplete(outcome -> action.run());
            case FAILURE_HANDLER -> {
                onFailure.set(action);
                scheduler.execute(() -> {
                    throw new IllegalStateException("expected by this test");
                });
            }
        }
        gate.countDown();
    }

    /** Long enough for a listener to be added meanwhile. */
    private static final Duration EXPIRY = Duration.ofMillis(100);

    @ParameterizedTest
    @EnumSource
    void closeFromWithinShutsDownAndReturns(Place place) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        runAt(place, () -> {
            scheduler.close();
            over.countDown();
        });
        await(over, scheduler);
        assertThat(scheduler.isShutdown()).isTrue();
        assertTerminates(scheduler);
        scheduler.close();
    }

    @ParameterizedTest
    @EnumSource
    void awaitTerminationFromWithinReturnsAtOnce(Place place) throws Exception {
        AtomicInteger no = new AtomicInteger();
        CountDownLatch over = new CountDownLatch(1);
        runAt(place, () -> {
            try {
                no.addAndGet(scheduler.awaitTermination(Long.MAX_VALUE, TimeUnit.DAYS) ? 0 : 1);
                scheduler.shutdown();
                no.addAndGet(scheduler.awaitTermination(Long.MAX_VALUE, TimeUnit.DAYS) ? 0 : 1);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                over.countDown();
            }
        });
        await(over, scheduler);
        assertThat(no).hasValue(2);
        assertTerminates(scheduler);
    }

    @ParameterizedTest
    @EnumSource
    void shutdownNowFromWithinHandsBackTheOthersAndReturns(Place place) throws Exception {
        AtomicReference<List<Runnable>> handedBack = new AtomicReference<>();
        CountDownLatch over = new CountDownLatch(1);
        runAt(place, () -> {
            JobHandle<Integer> later = scheduler.schedule(() -> 1, 1, TimeUnit.DAYS);
            handedBack.set(scheduler.shutdownNow());
            assertThat(later.isCancelled()).isTrue();
            over.countDown();
        });
        await(over, scheduler);
        assertThat(handedBack.get()).hasSize(1);
        assertTerminates(scheduler);
        assertBooksBalance(scheduler.stats());
    }

    // ---- with the rest of java.util.concurrent ----------------------------------------------------------------------

    @Test
    void stagesOfCompletableFuturesRunOnWorkersAndPassFailuresOn() throws Exception {
        IOException cause = new IOException("broken");
        CompletableFuture<String> failed = CompletableFuture.supplyAsync(
                        () -> {
                            sneak(cause);
                            return 1;
                        },
                        scheduler)
                .thenApplyAsync(x -> x + 1, scheduler)
                .handleAsync((x, failure) -> String.valueOf(failure.getCause()), scheduler);
        assertThat(failed.get(60, TimeUnit.SECONDS)).isEqualTo(cause.toString());
        CompletableFuture<Boolean> onWorker = CompletableFuture.runAsync(() -> {}, scheduler)
                .thenCompose(x -> CompletableFuture.supplyAsync(
                        () -> Thread.currentThread().getName().contains("-worker-"), scheduler));
        assertThat(onWorker.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(CompletableFuture.supplyAsync(
                                () -> 42, CompletableFuture.delayedExecutor(1, TimeUnit.MICROSECONDS, scheduler))
                        .get(60, TimeUnit.SECONDS))
                .isEqualTo(42);
        assertThat(failures).isEmpty();
        scheduler.shutdown();
        assertThatThrownBy(() -> CompletableFuture.supplyAsync(() -> 1, scheduler))
                .isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void aCompletionServiceTellsEndsInTheOrderInWhichTheyCome() throws Exception {
        ExecutorCompletionService<String> service = new ExecutorCompletionService<>(scheduler);
        CountDownLatch gate = new CountDownLatch(1);
        Future<String> never;
        try (Holding held = Holding.workersOf(scheduler)) {
            never = service.submit(() -> "never");
            assertThat(service.poll()).isNull();
            assertThat(never.cancel(false)).isTrue();
        }
        assertThat(service.poll(60, TimeUnit.SECONDS)).isSameAs(never);
        Future<String> failing = service.submit(() -> {
            throw new IOException("broken");
        });
        assertThat(service.poll(60, TimeUnit.SECONDS)).isSameAs(failing);
        assertThatThrownBy(failing::get).hasCauseInstanceOf(IOException.class);
        if (scheduler.workers() > 1) {
            Future<String> slow = service.submit(() -> {
                gate.await();
                return "slow";
            });
            Future<String> quick = service.submit(() -> "quick");
            assertThat(service.take()).isSameAs(quick);
            gate.countDown();
            assertThat(service.take()).isSameAs(slow);
        }
    }

    @Test
    void sixteenThreadsMayUseItAtTheSameTime() throws Exception {
        AtomicInteger executed = new AtomicInteger();
        int rounds = Stress.scaled(150);
        Stress.Threads threads = new Stress.Threads();
        for (int t = 0; t < 16; t++) {
            int thread = t;
            threads.start("user-" + t, () -> {
                for (int i = 0; i < rounds; i++) {
                    useOnce(thread, i, executed);
                }
            });
        }
        threads.join(scheduler::dump);
        scheduler.shutdown();
        assertTerminates(scheduler);
        assertThat(executed).hasValue(16 * rounds * 4);
        assertThat(failures).isEmpty();
        assertBooksBalance(scheduler.stats());
    }

    private void useOnce(int thread, int round, AtomicInteger executed) throws Exception {
        scheduler.execute(executed::incrementAndGet);
        scheduler.executeAll(List.of(executed::incrementAndGet, executed::incrementAndGet));
        scheduler.laneFor(thread).execute(executed::incrementAndGet);
        int number = 1000 * thread + round;
        Callable<Integer> job = () -> number;
        switch (round % 6) {
            case 0 ->
                assertThat(scheduler.submit(job).get(60, TimeUnit.SECONDS)).isEqualTo(number);
            case 1 ->
                assertThat(scheduler.invokeAll(List.of(job, job)))
                        .extracting(future -> future.get())
                        .containsExactly(number, number);
            case 2 ->
                assertThat(scheduler.invokeAny(List.of(job, job), 60, TimeUnit.SECONDS))
                        .isEqualTo(number);
            case 3 ->
                assertThat(scheduler.schedule(job, 1, TimeUnit.MICROSECONDS).get(60, TimeUnit.SECONDS))
                        .isEqualTo(number);
            case 4 -> {
                JobHandle<Integer> handle = scheduler.submit(job);
                boolean cancelled = handle.cancel(true);
                assertThat(handle.isCancelled()).isEqualTo(cancelled);
            }
            default ->
                assertThat(scheduler
                                .submit(() -> scheduler.submit(job).join()
                                        + scheduler.submit(job).join())
                                .join())
                        .isEqualTo(2 * number);
        }
    }
}
