// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A full injector, under each policy. Its one worker takes a job for each permit. */
@Timeout(120)
class OverflowTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Semaphore permits = new Semaphore(0);
    private final List<String> order = Collections.synchronizedList(new ArrayList<>());
    private final List<Throwable> told = new CopyOnWriteArrayList<>();
    private final AtomicReference<Runnable> toldOf = new AtomicReference<>();
    private final Stress.Threads threads = new Stress.Threads();
    private PinnedScheduler scheduler = start(1, OverflowPolicy.BLOCK);

    private PinnedScheduler start(int capacity, OverflowPolicy policy) {
        if (scheduler != null) {
            scheduler.close();
        }
        scheduler = PinnedScheduler.builder()
                .name("full")
                .workers(1)
                .pinning(Pinning.OFF)
                .injectorCapacity(capacity)
                .overflow(policy)
                .failureHandler((job, failure) -> {
                    toldOf.set(job);
                    told.add(failure);
                })
                .build();
        return scheduler;
    }

    @AfterEach
    void end() throws Exception {
        permits.release(1_000_000);
        scheduler.close();
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.jobsRun() + stats.jobsFailed() + stats.jobsCancelled() + stats.jobsHandedBack())
                .as("%s", stats)
                .isEqualTo(stats.jobsSubmitted());
    }

    private Runnable job(String name) {
        return () -> {
            permits.acquireUninterruptibly();
            order.add(name);
        };
    }

    /** Gives the worker a job that waits for a permit, and fills the injector. */
    private void fill(int capacity) {
        scheduler.execute(job("running"));
        Stress.await(() -> scheduler.stats().queued() == 0, scheduler::dump);
        for (int i = 0; i < capacity; i++) {
            scheduler.execute(job("queued-" + i));
        }
        assertThat(scheduler.stats().queued()).isEqualTo(capacity);
    }

    /** Starts a submitter and waits until it waits for room. */
    private Thread blocked(String name, Stress.Body submission) {
        Thread thread = threads.start(name, submission);
        Stress.await(
                () -> thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING,
                () -> name + " " + thread.getState() + ": " + scheduler.dump());
        return thread;
    }

    // ---- BLOCK ---------------------------------------------------------------------------------------------------

    @Test
    void blockedSubmittersComeInInTheOrderOfTheirArrivalOneForEachPlace() throws Exception {
        fill(1);
        List<String> expected = new ArrayList<>(List.of("running", "queued-0"));
        for (int i = 0; i < 8; i++) {
            String name = "blocked-" + i;
            expected.add(name);
            blocked(name, () -> scheduler.execute(job(name)));
        }
        assertThat(scheduler.stats().submitterWaits()).isEqualTo(8);
        for (int done = 1; done <= expected.size(); done++) {
            assertThat(scheduler.stats().queued()).isLessThanOrEqualTo(1);
            permits.release();
            int target = done;
            Stress.await(() -> order.size() == target, scheduler::dump);
        }
        threads.join(scheduler::dump);
        assertThat(order).isEqualTo(expected);
        assertThat(scheduler.stats().jobsRejected()).isZero();
    }

    @Test
    void everyKindOfSubmissionWaitsForRoom() throws Exception {
        fill(1);
        AtomicInteger results = new AtomicInteger();
        blocked("execute", () -> scheduler.execute(job("execute")));
        blocked("submit", () -> results.addAndGet(scheduler.submit(() -> 1).get()));
        blocked(
                "runnable",
                () -> results.addAndGet(scheduler.submit(job("runnable"), 10).get()));
        blocked(
                "within",
                () -> results.addAndGet(
                        scheduler.submitWithin(() -> 100, Duration.ofHours(1)).get()));
        blocked("all", () -> scheduler.executeAll(List.of(job("all"))));
        blocked("invoke", () -> results.addAndGet(scheduler.invokeAny(List.of(() -> 1000, () -> 1000))));
        permits.release(100);
        threads.join(scheduler::dump);
        assertThat(results).hasValue(1111);
    }

    @Test
    void aBlockedBatchWaitsUntilThereIsRoomForAllOfIt() throws Exception {
        start(3, OverflowPolicy.BLOCK);
        fill(3);
        blocked("batch", () -> scheduler.executeAll(List.of(job("a"), job("b"), job("c"))));
        blocked("single", () -> scheduler.execute(job("single")));
        for (int done = 1; done <= 2; done++) {
            permits.release();
            int target = done;
            Stress.await(() -> order.size() == target, scheduler::dump);
        }
        Stress.await(() -> scheduler.stats().queued() == 1, scheduler::dump); // two places are free, and stay so
        assertThat(order).hasSize(2);
        permits.release(100);
        threads.join(scheduler::dump);
        scheduler.close();
        assertThat(order).containsExactly("running", "queued-0", "queued-1", "queued-2", "a", "b", "c", "single");
    }

    @ParameterizedTest
    @EnumSource
    void aBatchThatNeverFitsIsRejectedUnlessItsSubmitterRunsIt(OverflowPolicy policy) {
        start(2, policy);
        List<Runnable> batch =
                Collections.nCopies(3, () -> order.add(Thread.currentThread().getName()));
        if (policy == OverflowPolicy.CALLER_RUNS) {
            scheduler.executeAll(batch);
            assertThat(order).containsOnly(Thread.currentThread().getName()).hasSize(3);
        } else {
            assertThatThrownBy(() -> scheduler.executeAll(batch))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContaining("capacity 2");
            assertThat(scheduler.stats().jobsRejected()).isEqualTo(3);
        }
    }

    @Test
    void aBlockedSubmitterThatIsInterruptedIsRejectedAndKeepsItsFlag() throws Exception {
        fill(1);
        AtomicBoolean flag = new AtomicBoolean();
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        Stress.Body submission = () -> {
            try {
                scheduler.execute(job("interrupted"));
            } catch (RejectedExecutionException e) {
                flag.set(Thread.currentThread().isInterrupted());
                thrown.add(e);
            }
        };
        Thread first = blocked("first", submission);
        blocked("second", () -> scheduler.execute(job("second")));
        first.interrupt();
        Stress.await(() -> !first.isAlive(), scheduler::dump);
        assertThat(thrown).hasSize(1);
        assertThat(thrown.get(0)).hasMessageEndingWith("the submitter was interrupted while it waited for room");
        assertThat(flag).isTrue();
        assertThat(scheduler.stats().jobsRejected()).isEqualTo(1);
        permits.release(100);
        threads.join(scheduler::dump);
        scheduler.close();
        assertThat(order).containsExactly("running", "queued-0", "second");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theEndRejectsThoseWhoWait(boolean now) throws Exception {
        fill(1);
        AtomicInteger rejections = new AtomicInteger();
        List<Stress.Body> submissions = List.of(
                () -> scheduler.execute(job("late")),
                () -> scheduler.submit(job("late")),
                () -> scheduler.submitWithin(() -> 1, MINUTE),
                () -> scheduler.executeAll(List.of(job("late"))),
                () -> scheduler.tryExecute(job("late"), MINUTE),
                () -> scheduler.invokeAll(List.of(() -> 1)));
        for (int i = 0; i < submissions.size(); i++) {
            Stress.Body submission = submissions.get(i);
            blocked("blocked-" + i, () -> {
                assertThatThrownBy(submission::run)
                        .isInstanceOf(RejectedExecutionException.class)
                        .hasMessageContaining("scheduler full is shut down");
                rejections.incrementAndGet();
            });
        }
        if (now) {
            assertThat(scheduler.shutdownNow()).hasSize(1);
        } else {
            scheduler.shutdown();
        }
        threads.join(scheduler::dump);
        assertThat(rejections).hasValue(submissions.size());
        assertThat(scheduler.stats().jobsRejected()).isEqualTo(submissions.size());
        permits.release(100);
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(order).doesNotContain("late").hasSize(now ? 1 : 2);
    }

    @Test
    void aSubmitterWithALimitWaitsForRoomNoLongerThanThat() throws Exception {
        fill(1);
        for (int i = 0; i < 200; i++) { // whichever comes first, the end of the wait or the deadline of the handle
            Duration limit = Duration.ofNanos(1L << i % 22);
            assertThatThrownBy(() -> scheduler.submitWithin(() -> order.add("late"), limit))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContaining("no room came free within its limit")
                    .hasMessageContaining("capacity 1");
        }
        Stress.await(() -> scheduler.stats().jobsCancelled() == 0, scheduler::dump); // a deadline may just be counted
        assertThat(scheduler.stats().jobsRejected()).isEqualTo(200);
        permits.release(2);
        scheduler.close();
        assertThat(order).containsExactly("running", "queued-0");
    }

    @Test
    void theTimeOfADeadlineGoesOnWhileTheSubmitterWaits() throws Exception {
        AtomicBoolean inTime = new AtomicBoolean();
        for (long millis = 200; !inTime.get(); millis *= 2) { // on a busy machine until it is long enough
            assertThat(millis).as("the last limit").isLessThan(30_000);
            fill(1);
            waitForHalfOf(millis, inTime);
            assertThat(scheduler.awaitQuiescence(MINUTE)).isTrue();
        }
    }

    /** Makes room when half of the job's time is over; says whether it was interrupted when the rest was, too. */
    private void waitForHalfOf(long limitMillis, AtomicBoolean inTime) throws Exception {
        AtomicLong begun = new AtomicLong();
        threads.start("late", () -> {
            begun.set(System.nanoTime());
            try {
                JobHandle<?> handle = scheduler.submitWithin(
                        () -> {
                            try {
                                return new CountDownLatch(1).await(60, TimeUnit.SECONDS);
                            } catch (InterruptedException atItsLimit) {
                                inTime.set(millisSince(begun) < limitMillis + limitMillis / 2);
                                throw atItsLimit;
                            }
                        },
                        Duration.ofMillis(limitMillis));
                assertThat(handle.outcome()).isEqualTo(new Outcome.Cancelled<>());
            } catch (RejectedExecutionException tooLate) {
                assertThat(tooLate).hasMessageContaining("within its limit");
            }
        });
        Stress.await(() -> begun.get() != 0 && millisSince(begun) > limitMillis / 2, scheduler::dump);
        permits.release(2);
        threads.join(scheduler::dump);
    }

    /** What waits for room, too; those that were not submitted are cancelled. */
    @Test
    void aTimedInvocationIsOverInTimeAlsoIfThereIsNoRoom() throws Exception {
        fill(1);
        List<Callable<Boolean>> jobs = List.of(() -> order.add("a"), () -> order.add("b"), () -> order.add("c"));
        assertThat(scheduler.invokeAll(jobs, 10, TimeUnit.MILLISECONDS))
                .hasSize(3)
                .allMatch(Future::isCancelled);
        assertThatThrownBy(() -> scheduler.invokeAny(jobs, 10, TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class);
        permits.release(2);
        scheduler.close();
        assertThat(order).containsExactly("running", "queued-0");
    }

    @Test
    void anInterruptEndsAnInvocationThatWaitsForRoom() throws Exception {
        fill(1);
        List<Callable<Integer>> jobs = List.of(() -> 1, () -> 2);
        Thread all = blocked("all", () -> assertThatThrownBy(() -> scheduler.invokeAll(jobs))
                .isInstanceOf(InterruptedException.class));
        Thread any = blocked("any", () -> assertThatThrownBy(() -> scheduler.invokeAny(jobs))
                .isInstanceOf(InterruptedException.class));
        all.interrupt();
        any.interrupt();
        threads.join(scheduler::dump);
    }

    /** It runs the jobs one after the other, and looks at the clock in between. */
    @Test
    void aTimedInvocationIsOverAlsoForACallerThatRunsTheJobs() throws Exception {
        start(1, OverflowPolicy.CALLER_RUNS);
        fill(1);
        AtomicInteger ran = new AtomicInteger();
        Callable<Integer> slow = () -> {
            Thread.sleep(50);
            return ran.incrementAndGet();
        };
        assertThat(scheduler.invokeAll(Collections.nCopies(10_000, slow), 20, TimeUnit.MILLISECONDS))
                .hasSize(10_000)
                .anyMatch(Future::isCancelled);
        assertThat(ran.get()).isLessThanOrEqualTo(1);
    }

    private static long millisSince(AtomicLong nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos.get());
    }

    // ---- tryExecute ----------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void tryExecuteTellsWhetherThereIsRoomWhateverThePolicy(OverflowPolicy policy) throws Exception {
        start(2, policy);
        scheduler.execute(job("running"));
        Stress.await(() -> scheduler.stats().queued() == 0, scheduler::dump);
        assertThat(scheduler.tryExecute(job("a"))).isTrue();
        assertThat(scheduler.tryExecute(job("b"), Duration.ZERO)).isTrue();
        assertThat(scheduler.tryExecute(job("c"))).isFalse();
        assertThat(scheduler.tryExecute(job("c"), Duration.ZERO)).isFalse();
        assertThat(scheduler.tryExecute(job("c"), Duration.ofSeconds(-1))).isFalse();
        long before = System.nanoTime();
        assertThat(scheduler.tryExecute(job("c"), Duration.ofMillis(10))).isFalse();
        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(10_000_000);
        assertThat(scheduler.stats().jobsRejected()).isEqualTo(4);
        AtomicBoolean came = new AtomicBoolean();
        blocked("patient", () -> came.set(scheduler.tryExecute(job("d"), Duration.ofSeconds(Long.MAX_VALUE))));
        permits.release(100);
        threads.join(scheduler::dump);
        assertThat(came).isTrue();
        scheduler.close();
        assertThat(order).containsExactly("running", "a", "b", "d");
        assertThatThrownBy(() -> scheduler.tryExecute(job("e"), MINUTE)).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void tryExecuteThatWaitsIsInterruptible() throws Exception {
        fill(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        Thread thread = blocked("try", () -> {
            try {
                scheduler.tryExecute(job("never"), MINUTE);
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
        });
        thread.interrupt();
        threads.join(scheduler::dump);
        assertThat(interrupted).isTrue();
        permits.release(100);
        scheduler.close();
        assertThat(order).doesNotContain("never");
    }

    // ---- jobs of the scheduler -----------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void aJobThatSubmitsToItsOwnFullSchedulerGoesOnAtOnce(OverflowPolicy policy) throws Exception {
        start(1, policy);
        CountDownLatch full = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        JobHandle<String> handle = scheduler.submit(() -> {
            full.await();
            for (int i = 0; i < 100; i++) {
                scheduler.execute(ran::incrementAndGet);
                scheduler.executeAll(List.of(ran::incrementAndGet, ran::incrementAndGet));
                assertThat(scheduler.tryExecute(ran::incrementAndGet)).isTrue();
                assertThat(scheduler.tryExecute(ran::incrementAndGet, MINUTE)).isTrue();
                JobHandle<?> ignored = scheduler.submit(ran::incrementAndGet);
            }
            return ran.get() + " ran meanwhile";
        });
        Stress.await(() -> scheduler.stats().queued() == 0, scheduler::dump);
        scheduler.execute(() -> {});
        assertThat(scheduler.tryExecute(() -> {})).isFalse();
        full.countDown();
        assertThat(handle.get(60, TimeUnit.SECONDS)).isEqualTo("0 ran meanwhile");
        scheduler.close();
        assertThat(ran).hasValue(600);
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.submissions().byJobs()).isEqualTo(600);
        assertThat(stats.submitterWaits()).isZero();
        assertThat(stats.submissions().runByCallers()).isZero();
    }

    @Test
    void lanesAndTimersDoNotMeetTheBound() throws Exception {
        fill(1);
        List<JobHandle<?>> handles = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            handles.add(scheduler.lane(0).submit(() -> {}));
            handles.add(scheduler.schedule(() -> {}, 0, TimeUnit.SECONDS));
        }
        Stress.await(() -> scheduler.stats().timersWaiting() == 0, scheduler::dump);
        assertThat(scheduler.tryExecute(() -> {})).isFalse();
        permits.release(100);
        for (JobHandle<?> handle : handles) {
            assertThat(handle.get(60, TimeUnit.SECONDS)).isNull();
        }
        assertThat(scheduler.tryExecute(() -> {}, MINUTE)).as("room again").isTrue();
    }

    // ---- CALLER_RUNS ---------------------------------------------------------------------------------------------

    @Test
    void theCallerRunsWhatDoesNotFitAndFailuresGoWhereTheyAlwaysGo() throws Exception {
        start(1, OverflowPolicy.CALLER_RUNS);
        fill(1);
        Thread caller = Thread.currentThread();
        AtomicReference<Thread> ranOn = new AtomicReference<>();
        scheduler.execute(() -> ranOn.set(Thread.currentThread()));
        assertThat(ranOn.getAndSet(null)).isSameAs(caller);
        JobHandle<Thread> handle = scheduler.submit(Thread::currentThread);
        assertThat(handle.isDone()).isTrue();
        assertThat(handle.get()).isSameAs(caller);

        IllegalStateException failure = new IllegalStateException("executed");
        Runnable failing = () -> {
            throw failure;
        };
        scheduler.execute(failing);
        assertThat(told).containsExactly(failure);
        assertThat(toldOf.get()).isSameAs(failing);
        assertThatThrownBy(() -> scheduler.submit(failing).get())
                .isInstanceOf(ExecutionException.class)
                .hasCause(failure);
        assertThat(told).as("the handle tells").hasSize(1);
        JobHandle<?> fatal = scheduler.submit((Runnable) () -> {
            throw new StackOverflowError();
        });
        assertThat(fatal.outcome()).isInstanceOf(Outcome.Failed.class);
        assertThat(told).as("handle and handler").hasSize(2);

        scheduler.executeAll(List.of(() -> order.add("x"), failing, () -> order.add("y")));
        assertThat(order).containsExactly("x", "y");
        assertThat(told).hasSize(3);

        SchedulerStats stats = scheduler.stats();
        assertThat(stats.submissions().runByCallers()).isEqualTo(8);
        assertThat(stats.submissions().fromOutside()).isEqualTo(2);
        assertThat(stats.jobsRun()).isEqualTo(4);
        assertThat(stats.jobsFailed()).isEqualTo(4);
        assertThat(stats.jobsRejected()).isZero();
        assertThat(stats.submitterWaits()).isZero();
    }

    @Test
    void aCallerThatRunsAJobKeepsItsInterruptFlag() {
        start(1, OverflowPolicy.CALLER_RUNS);
        fill(1);
        Thread.currentThread().interrupt();
        JobHandle<Boolean> handle =
                scheduler.submit(() -> Thread.currentThread().isInterrupted());
        assertThat(Thread.interrupted()).isTrue();
        assertThat(handle.resultNow()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void noPolicyAcceptsAJobAfterShutdown(OverflowPolicy policy) {
        start(1, policy);
        fill(1);
        scheduler.shutdown();
        assertThatThrownBy(() -> scheduler.execute(() -> order.add("late")))
                .isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> scheduler.executeAll(List.of(() -> order.add("late"))))
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(order).isEmpty();
        assertThat(scheduler.stats().jobsRejected()).isEqualTo(2);
    }

    // ---- under stress --------------------------------------------------------------------------------------------

    /** Never more than the capacity wait: those that have been accepted and have not begun, but for one in a worker's hands. */
    @ParameterizedTest
    @CsvSource({"1, 1, 4", "1, 2, 4", "3, 2, 6", "16, 1, 8"})
    void theCapacityIsExactHoweverManySubmittersWait(int capacity, int workers, int submitters) throws Exception {
        AtomicInteger waiting = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger ran = new AtomicInteger();
        int each = Stress.scaled(4_000) / submitters;
        try (PinnedScheduler many = PinnedScheduler.builder()
                .workers(workers)
                .pinning(Pinning.OFF)
                .injectorCapacity(capacity)
                .overflow(OverflowPolicy.BLOCK)
                .build()) {
            for (int t = 0; t < submitters; t++) {
                int kind = t % 3;
                threads.start("submitter-" + t, () -> {
                    Runnable job = () -> {
                        waiting.decrementAndGet();
                        ran.incrementAndGet();
                    };
                    for (int i = 0; i < each; i++) {
                        if (kind == 0) {
                            many.execute(job);
                        } else if (kind == 1) {
                            many.executeAll(List.of(job));
                        } else {
                            while (!many.tryExecute(job, Duration.ofNanos(100_000))) {
                                Thread.onSpinWait();
                            }
                        }
                        int now = waiting.incrementAndGet(); // too late, so that it is never too many
                        most.accumulateAndGet(now, Math::max);
                    }
                });
            }
            threads.join(many::dump);
            Stress.awaitProgress(ran::get, (long) each * submitters, many::dump);
        }
        assertThat(most.get()).isLessThanOrEqualTo(capacity + workers);
    }

    /** Each round a job for each submitter through a place for one: a lost wake-up hangs a round. */
    @ParameterizedTest
    @CsvSource({"1, 4, 1", "2, 4, 1", "1, 4, 4"})
    void noSubmitterWaitsBesideRoom(int workers, int submitters, int capacity) throws Exception {
        int rounds = Stress.scaled(100_000);
        AtomicInteger ran = new AtomicInteger();
        try (PinnedScheduler many = PinnedScheduler.builder()
                .workers(workers)
                .pinning(Pinning.OFF)
                .idle(IdlePolicy.park())
                .injectorCapacity(capacity)
                .overflow(OverflowPolicy.BLOCK)
                .build()) {
            for (int t = 0; t < submitters; t++) {
                threads.start("submitter-" + t, () -> {
                    for (int i = 0; i < rounds / submitters; i++) {
                        many.execute(ran::incrementAndGet);
                    }
                });
            }
            Stress.awaitProgress(ran::get, rounds, many::dump);
            threads.join(many::dump);
            assertThat(many.stats().submitterWaits()).isPositive();
        }
        assertThat(ran).hasValue(rounds);
    }

    /** Interrupts and timeouts hit submitters while places are made. */
    @Test
    void submittersThatGiveUpForgetNoPlace() throws Exception {
        int rounds = Stress.scaled(3_000);
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger accepted = new AtomicInteger();
        AtomicBoolean stop = new AtomicBoolean();
        try (PinnedScheduler many = PinnedScheduler.builder()
                .workers(1)
                .pinning(Pinning.OFF)
                .injectorCapacity(1)
                .overflow(OverflowPolicy.BLOCK)
                .build()) {
            List<Thread> nervous = new ArrayList<>();
            for (int t = 0; t < 2; t++) {
                nervous.add(threads.start("nervous-" + t, () -> {
                    while (!stop.get()) {
                        try {
                            many.execute(ran::incrementAndGet);
                            accepted.incrementAndGet();
                        } catch (RejectedExecutionException interrupted) {
                            assertThat(Thread.interrupted()).isTrue();
                        }
                    }
                }));
            }
            threads.start("interrupter", () -> {
                while (!stop.get()) {
                    nervous.forEach(Thread::interrupt);
                    Thread.yield();
                }
            });
            threads.start("hasty", () -> {
                while (!stop.get()) {
                    if (many.tryExecute(ran::incrementAndGet, Duration.ofNanos(20_000))) {
                        accepted.incrementAndGet();
                    }
                }
            });
            threads.start("patient", () -> {
                for (int i = 0; i < rounds; i++) {
                    many.execute(ran::incrementAndGet);
                    accepted.incrementAndGet();
                }
                stop.set(true);
            });
            threads.join(many::dump);
            assertThat(many.awaitQuiescence(MINUTE)).isTrue();
            assertThat(ran).hasValue(accepted.get());
            SchedulerStats stats = many.stats();
            assertThat(stats.jobsSubmitted()).isEqualTo(accepted.get()).isEqualTo(stats.jobsRun());
        }
    }

    // ---- newcomers -----------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(OverflowPolicy.class)
    void aNewcomerDoesNotGetTheRoomThatOthersWaitFor(OverflowPolicy policy) throws Exception {
        start(2, policy);
        fill(2);
        Thread waiter = blocked("waiter", () -> {
            assertThat(scheduler.tryExecute(job("first"), MINUTE)).isTrue();
        });
        assertThat(scheduler.tryExecute(job("newcomer"))).isFalse();
        if (policy == OverflowPolicy.REJECT) {
            assertThatThrownBy(() -> scheduler.execute(job("newcomer")))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContaining("the injector is full (capacity 2)");
        }
        permits.release();
        waiter.join(60_000);
        permits.release(3);
        Stress.await(() -> order.size() == 4, scheduler::dump);
        assertThat(order).containsExactly("running", "queued-0", "queued-1", "first");
        threads.join(scheduler::dump);
    }

    /** One place is free, and the batch needs two. */
    @Test
    void aBatchThatWaitsIsNotOvertakenByAJobForWhichThereIsRoom() throws Exception {
        start(2, OverflowPolicy.BLOCK);
        fill(1);
        blocked("batch", () -> scheduler.executeAll(List.of(job("batch-0"), job("batch-1"))));
        assertThat(scheduler.stats().queued()).isEqualTo(1);
        assertThat(scheduler.tryExecute(job("newcomer"))).isFalse();
        blocked("newcomer", () -> scheduler.execute(job("newcomer")));
        permits.release(5);
        threads.join(scheduler::dump);
        Stress.await(() -> order.size() == 5, scheduler::dump);
        assertThat(order).containsExactly("running", "queued-0", "batch-0", "batch-1", "newcomer");
    }

    // ---- messages ------------------------------------------------------------------------------------------------

    private static final class Nameless implements Runnable {
        @Override
        public void run() {
            throw new AssertionError("must not run");
        }

        @Override
        public String toString() {
            throw new IllegalStateException("has no name");
        }
    }

    /** Neither the kind of exception nor the books depend on what the job says of itself. */
    @Test
    void aJobWhoseToStringThrowsIsRejectedLikeAnyOther() throws Exception {
        start(1, OverflowPolicy.REJECT);
        fill(1);
        Runnable nameless = new Nameless();
        String name = Nameless.class.getName() + "@" + Integer.toHexString(System.identityHashCode(nameless));
        assertThatThrownBy(() -> scheduler.execute(nameless))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("job " + name + " rejected: the injector is full (capacity 1)");
        scheduler.shutdown();
        assertThatThrownBy(() -> scheduler.lane(0).execute(nameless))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("job " + name + " rejected: ");
        assertThat(scheduler.stats().jobsRejected()).isEqualTo(2);
        permits.release(2);
    }
}
