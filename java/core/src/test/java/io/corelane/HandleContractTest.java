// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.corelane.affinity.Pinning;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The clauses of {@code Future} and {@code RunnableFuture}, and those that {@link JobHandle} adds. */
@SuppressWarnings("try") // a Holding acts by being open
@ParameterizedClass(name = "{0} workers")
@ValueSource(ints = {1, 2})
@Timeout(120)
class HandleContractTest {
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final PinnedScheduler scheduler;

    HandleContractTest(int workers) {
        scheduler = PinnedScheduler.builder()
                .workers(workers)
                .pinning(Pinning.OFF)
                .daemon(true)
                .failureHandler((job, failure) -> failures.add(failure))
                .build();
    }

    @AfterEach
    void end() throws Exception {
        scheduler.shutdownNow();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS))
                .as(() -> scheduler.dump())
                .isTrue();
    }

    private void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(60, TimeUnit.SECONDS)).as(() -> scheduler.dump()).isTrue();
    }

    /** The forms of waiting for a job's end. */
    private enum Wait {
        GET(true),
        TIMED_GET(true),
        JOIN(false),
        TIMED_JOIN(false),
        OUTCOME(false),
        TIMED_OUTCOME(false);

        private final boolean interruptible;

        Wait(boolean interruptible) {
            this.interruptible = interruptible;
        }

        Object on(JobHandle<?> handle, Duration timeout) throws Exception {
            return switch (this) {
                case GET -> handle.get();
                case TIMED_GET -> handle.get(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
                case JOIN -> handle.join();
                case TIMED_JOIN -> handle.join(timeout);
                case OUTCOME -> handle.outcome();
                case TIMED_OUTCOME -> handle.outcome(timeout);
            };
        }

        boolean tells() {
            return this == OUTCOME || this == TIMED_OUTCOME;
        }
    }

    private static final Duration LONG = Duration.ofSeconds(Long.MAX_VALUE);

    // ---- waiting ---------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void everyWaitTellsHowTheJobEnded(Wait wait) throws Exception {
        IOException cause = new IOException("broken");
        JobHandle<String> done;
        JobHandle<String> failed;
        JobHandle<String> cancelled;
        List<Object> results = Collections.synchronizedList(new ArrayList<>());
        List<Throwable> thrown = Collections.synchronizedList(new ArrayList<>());
        Stress.Threads waiters = new Stress.Threads();
        try (Holding held = Holding.workersOf(scheduler)) {
            done = scheduler.submit(() -> "value");
            failed = scheduler.submit(() -> {
                throw cause;
            });
            cancelled = scheduler.submit(() -> "never");
            for (JobHandle<String> handle : List.of(done, failed, cancelled)) {
                waiters.start("waiter", () -> {
                    try {
                        results.add(wait.on(handle, LONG));
                    } catch (ExecutionException | JobFailedException | CancellationException e) {
                        thrown.add(e);
                    }
                });
            }
            assertThat(cancelled.cancel(true)).isTrue();
        }
        waiters.join(scheduler::dump);
        if (wait.tells()) {
            assertThat(results)
                    .containsExactlyInAnyOrder(
                            new Outcome.Done<>("value"), new Outcome.Failed<>(cause), new Outcome.Cancelled<>());
        } else {
            Class<?> failure = wait.interruptible ? ExecutionException.class : JobFailedException.class;
            assertThat(results).containsExactly("value");
            assertThat(thrown)
                    .hasSize(2)
                    .anySatisfy(e -> assertThat(e).isInstanceOf(failure).hasCause(cause))
                    .anySatisfy(e -> assertThat(e).isInstanceOf(CancellationException.class));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TIMED_GET", "TIMED_JOIN", "TIMED_OUTCOME"})
    void aTimedWaitGivesUpButAnEndedJobNeedsNoTime(Wait wait) throws Exception {
        JobHandle<String> handle;
        List<Duration> timeouts =
                List.of(Duration.ofNanos(1), Duration.ofMillis(5), Duration.ZERO, Duration.ofNanos(-1), LONG.negated());
        try (Holding held = Holding.workersOf(scheduler)) {
            handle = scheduler.submit(() -> "value");
            for (Duration timeout : timeouts) {
                assertThatThrownBy(() -> wait.on(handle, timeout))
                        .as("%s", timeout)
                        .isInstanceOf(TimeoutException.class)
                        .hasMessageContaining("has not ended");
            }
            assertThat(handle.isDone()).isFalse();
        }
        handle.join();
        for (Duration timeout : timeouts) {
            assertThat(wait.on(handle, timeout)).isIn("value", new Outcome.Done<>("value"));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TIMED_GET", "TIMED_JOIN", "TIMED_OUTCOME"})
    void aTimedWaitInAJobGivesUpAsWell(Wait wait) throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (PinnedScheduler other =
                PinnedScheduler.builder().workers(1).pinning(Pinning.OFF).build()) {
            JobHandle<String> slow = scheduler.submit(() -> {
                runs.countDown();
                Latches.uninterruptibly(release);
                return "value";
            });
            await(runs);
            PinnedScheduler waiting = scheduler.workers() == 1 ? other : scheduler;
            assertThatThrownBy(() -> waiting.submit(() -> wait.on(slow, Duration.ofMillis(5)))
                            .join())
                    .isInstanceOf(JobFailedException.class)
                    .hasCauseInstanceOf(TimeoutException.class);
            assertThat(slow.isDone()).isFalse();
            release.countDown();
            assertThat(waiting.submit(() -> wait.on(slow, LONG)).join()).isIn("value", new Outcome.Done<>("value"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void anInterruptEndsAGetAndIsKeptByTheOtherWaits(Wait wait) throws Exception {
        AtomicReference<Object> result = new AtomicReference<>();
        Stress.Threads threads = new Stress.Threads();
        JobHandle<String> handle;
        try (Holding held = Holding.workersOf(scheduler)) {
            handle = scheduler.submit(() -> "value");
            Thread waiter = threads.start("waiter", () -> {
                try {
                    result.set(wait.on(handle, LONG));
                    assertThat(Thread.currentThread().isInterrupted()).isTrue();
                } catch (InterruptedException e) {
                    result.set(e);
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                }
            });
            waiter.interrupt();
            if (wait.interruptible) {
                threads.join(scheduler::dump);
            } else {
                Stress.await(() -> !waiter.isInterrupted() && waiter.getState() != Thread.State.RUNNABLE, () -> "");
            }
            assertThat(handle.isDone()).isFalse();
        }
        threads.join(scheduler::dump);
        if (wait.interruptible) {
            assertThat(result.get()).isInstanceOf(InterruptedException.class);
        } else {
            assertThat(result.get()).isIn("value", new Outcome.Done<>("value"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aWaitForAnEndedJobIgnoresTheInterruptFlag(Wait wait) throws Exception {
        JobHandle<String> handle = scheduler.submit(() -> "value");
        handle.join();
        Thread.currentThread().interrupt();
        Object result = wait.on(handle, Duration.ZERO);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(result).isIn("value", new Outcome.Done<>("value"));
    }

    @ParameterizedTest
    @EnumSource
    void aJobThatIsInterruptedInAGetLeavesItAndOtherWaitsKeepTheFlag(Wait wait) throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch waits = new CountDownLatch(1);
        AtomicReference<Object> seen = new AtomicReference<>();
        CountDownLatch runs = new CountDownLatch(1);
        JobHandle<String> awaited = scheduler.submit(() -> scheduler.blocking(() -> {
            runs.countDown();
            Latches.uninterruptibly(release);
            return "value";
        }));
        await(runs);
        JobHandle<?> waiter = scheduler.submit(() -> {
            waits.countDown();
            try {
                wait.on(awaited, LONG);
                seen.set(Thread.currentThread().isInterrupted());
            } catch (Exception e) {
                seen.set(e);
            }
            over.countDown();
        });
        await(waits);
        assertThat(waiter.cancel(true)).isTrue();
        if (wait.interruptible) {
            await(over);
            assertThat(seen.get()).isInstanceOf(InterruptedException.class);
            release.countDown();
        } else {
            release.countDown();
            await(over);
            assertThat(seen.get()).isEqualTo(true);
        }
        assertThat(awaited.join()).isEqualTo("value");
    }

    @Test
    void nullArgumentsAreRefused() {
        JobHandle<String> handle = scheduler.submit(() -> "value");
        handle.join();
        assertThatThrownBy(() -> handle.get(1, null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> handle.join(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> handle.outcome(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> handle.onComplete(null)).isInstanceOf(NullPointerException.class);
    }

    // ---- a job that waits for itself -------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void aJobThatWaitsForItselfIsTold(Wait wait) throws Exception {
        for (String form : List.of("job", "lane", "blocking section", "inner job", "run by hand", "by a stranger")) {
            AtomicReference<JobHandle<Object>> self = new AtomicReference<>();
            CountDownLatch known = new CountDownLatch(1);
            Callable<Object> body = () -> {
                Latches.uninterruptibly(known);
                return switch (form) {
                    case "blocking section" -> scheduler.blocking(() -> wait.on(self.get(), LONG));
                    case "inner job" -> {
                        JobHandle<Object> inner = scheduler.submit(() -> wait.on(self.get(), LONG));
                        yield inner.join();
                    }
                    case "run by hand" -> {
                        JobHandle<Object> inner = scheduler.submit(() -> wait.on(self.get(), LONG));
                        ((Runnable) inner).run();
                        yield inner.join();
                    }
                    default -> wait.on(self.get(), LONG);
                };
            };
            if (List.of("inner job", "run by hand").contains(form) && scheduler.workers() > 1) {
                continue; // another worker may have taken the inner one
            }
            Holding held = form.equals("by a stranger") ? Holding.workersOf(scheduler) : null;
            self.set(form.equals("lane") ? scheduler.lane(0).submit(body) : scheduler.submit(body));
            known.countDown();
            Stress.Threads threads = new Stress.Threads();
            if (held != null) {
                threads.start("stranger", ((Runnable) self.get())::run);
            }
            Outcome<Object> outcome = self.get().outcome(Duration.ofSeconds(60));
            assertThat(outcome).as(form).isInstanceOf(Outcome.Failed.class);
            Throwable cause = self.get().exceptionNow();
            while (cause instanceof JobFailedException) {
                cause = cause.getCause();
            }
            assertThat(cause)
                    .as(form)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("waits for itself");
            threads.join(scheduler::dump);
            if (held != null) {
                held.close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aListenerMayWaitForItsOwnEndedJob(Wait wait) throws Exception {
        AtomicReference<Object> result = new AtomicReference<>();
        CountDownLatch told = new CountDownLatch(1);
        try (Holding held = Holding.workersOf(scheduler)) {
            JobHandle<String> handle = scheduler.submit(() -> "value");
            handle.onComplete(outcome -> {
                try {
                    result.set(wait.on(handle, Duration.ZERO));
                } catch (Exception e) {
                    result.set(e);
                }
                told.countDown();
            });
        }
        await(told);
        assertThat(result.get()).isIn("value", new Outcome.Done<>("value"));
    }

    // ---- cancel ----------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aJobThatIsCancelledBeforeItsStartNeverStarts(boolean interrupt) throws Exception {
        AtomicInteger ran = new AtomicInteger();
        List<JobHandle<?>> handles;
        try (Holding held = Holding.workersOf(scheduler)) {
            handles = List.of(
                    scheduler.submit(() -> ran.incrementAndGet()),
                    scheduler.submit((Runnable) ran::incrementAndGet, "result"),
                    scheduler.lane(0).submit(() -> ran.incrementAndGet()),
                    scheduler.submitWithin(ran::incrementAndGet, Duration.ofDays(1)),
                    scheduler.schedule(ran::incrementAndGet, 1, TimeUnit.DAYS));
            for (JobHandle<?> handle : handles) {
                assertThat(handle.cancel(interrupt)).isTrue();
                assertCancelled(handle);
                assertThat(handle.cancel(!interrupt)).as("twice").isFalse();
                assertCancelled(handle);
                ((Runnable) handle).run();
            }
        }
        scheduler.shutdown();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(ran).hasValue(0);
        assertThat(scheduler.stats().jobsCancelled()).isEqualTo(handles.size());
    }

    private static void assertCancelled(JobHandle<?> handle) {
        assertThat(handle.isDone()).isTrue();
        assertThat(handle.isCancelled()).isTrue();
        assertThat(handle.outcome()).isEqualTo(new Outcome.Cancelled<>());
        assertThatThrownBy(handle::get).isInstanceOf(CancellationException.class);
        assertThatThrownBy(handle::join).isInstanceOf(CancellationException.class);
        assertThatThrownBy(handle::resultNow)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was cancelled");
        assertThatThrownBy(handle::exceptionNow)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was cancelled");
        assertThat(handle.toString()).contains("was cancelled");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRunningJobThatIsCancelledIsInterruptedOnlyIfAsked(boolean interrupt) throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        AtomicBoolean sawInterrupt = new AtomicBoolean();
        AtomicInteger told = new AtomicInteger();
        JobHandle<String> handle = scheduler.submit(() -> {
            runs.countDown();
            Latches.uninterruptibly(cancelled);
            sawInterrupt.set(Thread.currentThread().isInterrupted());
            over.countDown();
            return "dropped";
        });
        handle.onComplete(outcome -> told.incrementAndGet());
        await(runs);
        assertThat(handle.cancel(interrupt)).isTrue();
        assertThat(told).as("on the thread that cancels").hasValue(1);
        assertCancelled(handle);
        assertThat(over.getCount()).as("still running").isEqualTo(1);
        cancelled.countDown();
        await(over);
        scheduler.shutdown();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(sawInterrupt.get()).isEqualTo(interrupt);
        assertCancelled(handle);
        assertThat(told).hasValue(1);
        assertThat(scheduler.stats().jobsCancelled()).isEqualTo(1);
        assertThat(scheduler.stats().jobsRun()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cancelAfterTheEndChangesNothing(boolean interrupt) {
        IOException cause = new IOException("broken");
        JobHandle<String> done = scheduler.submit(() -> "value");
        JobHandle<String> failed = scheduler.submit(() -> {
            throw cause;
        });
        Outcome<String> doneOutcome = done.outcome();
        Outcome<String> failedOutcome = failed.outcome();
        assertThat(done.cancel(interrupt)).isFalse();
        assertThat(failed.cancel(interrupt)).isFalse();
        assertThat(done.isCancelled()).isFalse();
        assertThat(failed.isCancelled()).isFalse();
        assertThat(done.outcome()).isEqualTo(doneOutcome).isEqualTo(new Outcome.Done<>("value"));
        assertThat(failed.outcome()).isEqualTo(failedOutcome).isEqualTo(new Outcome.Failed<>(cause));
        assertThat(failed.toString()).contains("completed with an exception");
        assertThatThrownBy(failed::get).hasCause(cause);
    }

    @Test
    void whatACancelledJobThrowsIsDropped() throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        JobHandle<String> handle = scheduler.submit(() -> {
            runs.countDown();
            new CountDownLatch(1).await();
            return "never";
        });
        await(runs);
        handle.cancel(true);
        scheduler.shutdown();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertCancelled(handle);
        assertThat(failures).isEmpty();
        assertThat(scheduler.stats().jobsFailed()).isZero();
    }

    @Test
    void ofManyThatCancelOneIsToldThatItDid() throws Exception {
        for (int round = 0; round < Stress.scaled(300); round++) {
            AtomicInteger won = new AtomicInteger();
            AtomicInteger told = new AtomicInteger();
            CyclicBarrier start = new CyclicBarrier(3);
            JobHandle<String> handle = scheduler.submit(() -> "value");
            handle.onComplete(outcome -> told.incrementAndGet());
            Stress.Threads threads = new Stress.Threads();
            for (int i = 0; i < 3; i++) {
                boolean interrupt = i % 2 == 0;
                threads.start("canceller-" + i, () -> {
                    start.await();
                    won.addAndGet(handle.cancel(interrupt) ? 1 : 0);
                });
            }
            threads.join(handle::toString);
            assertThat(won.get()).isEqualTo(handle.isCancelled() ? 1 : 0);
            Stress.await(() -> told.get() == 1, handle::toString);
        }
    }

    @Test
    void aJobMayCancelItself() throws Exception {
        AtomicReference<JobHandle<?>> self = new AtomicReference<>();
        CountDownLatch known = new CountDownLatch(1);
        AtomicBoolean sawInterrupt = new AtomicBoolean();
        AtomicBoolean waited = new AtomicBoolean();
        JobHandle<?> handle = scheduler.submit(() -> {
            Latches.uninterruptibly(known);
            assertThat(self.get().cancel(true)).isTrue();
            sawInterrupt.set(Thread.interrupted());
            waited.set(self.get().outcome() instanceof Outcome.Cancelled);
        });
        self.set(handle);
        known.countDown();
        handle.outcome();
        scheduler.shutdown();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertCancelled(handle);
        assertThat(sawInterrupt).isTrue();
        assertThat(waited).as("an ended job can be waited for").isTrue();
    }

    @Test
    void cancelOfARepeatedJobThatRacesWithTheEndOfARunInterruptsNoOtherJob() throws Exception {
        AtomicInteger seen = new AtomicInteger();
        AtomicBoolean stop = new AtomicBoolean();
        class Watching implements Runnable {
            @Override
            public void run() {
                for (int i = 0; i < 20; i++) {
                    if (Thread.interrupted()) {
                        seen.incrementAndGet();
                    }
                }
                if (!stop.get()) {
                    scheduler.execute(this);
                }
            }
        }
        for (int i = 0; i < scheduler.workers(); i++) {
            scheduler.execute(new Watching());
        }
        for (int round = 0; round < Stress.scaled(1_000); round++) {
            AtomicInteger runs = new AtomicInteger();
            ScheduledJob<?> repeated = scheduler.scheduleAtFixedRate(runs::incrementAndGet, 0, 1, TimeUnit.NANOSECONDS);
            int until = 1 + round % 3;
            Stress.await(() -> runs.get() >= until, scheduler::dump);
            assertThat(repeated.cancel(true)).isTrue();
        }
        stop.set(true);
        assertThat(seen).hasValue(0);
    }

    // ---- RunnableFuture --------------------------------------------------------------------------------------------

    @Test
    void aHandleThatAnotherThreadRunsEndsThereAndOnlyOnce() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        AtomicReference<Thread> ranOn = new AtomicReference<>();
        JobHandle<Integer> handle;
        try (Holding held = Holding.workersOf(scheduler)) {
            handle = scheduler.submit(() -> {
                ranOn.set(Thread.currentThread());
                return runs.incrementAndGet();
            });
            assertThat(handle).isInstanceOf(RunnableFuture.class);
            ((Runnable) handle).run();
            assertThat(handle.resultNow()).isEqualTo(1);
            ((Runnable) handle).run();
        }
        scheduler.shutdown();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(runs).hasValue(1);
        assertThat(ranOn).hasValue(Thread.currentThread());
        assertThat(scheduler.stats().jobsRun()).isEqualTo(scheduler.workers() + 1);
    }

    @Test
    void aThreadThatRunsAHandleKeepsItsOwnInterruptFlagAndLosesTheJobs() throws Exception {
        try (Holding held = Holding.workersOf(scheduler)) {
            JobHandle<Boolean> plain =
                    scheduler.submit(() -> Thread.currentThread().isInterrupted());
            Thread.currentThread().interrupt();
            ((Runnable) plain).run();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(plain.resultNow()).isTrue();

            CountDownLatch runs = new CountDownLatch(1);
            AtomicBoolean left = new AtomicBoolean(true);
            JobHandle<String> victim = scheduler.submit(() -> {
                runs.countDown();
                new CountDownLatch(1).await();
                return "never";
            });
            Stress.Threads threads = new Stress.Threads();
            threads.start("stranger", () -> {
                ((Runnable) victim).run();
                left.set(Thread.currentThread().isInterrupted());
            });
            await(runs);
            assertThat(victim.cancel(true)).isTrue();
            threads.join(scheduler::dump);
            assertThat(left).isFalse();
        }
    }

    // ---- state -----------------------------------------------------------------------------------------------------

    @Test
    void nothingIsKnownOfAJobThatHasNotEnded() throws Exception {
        try (Holding held = Holding.workersOf(scheduler)) {
            JobHandle<String> handle = scheduler.submit(() -> "value");
            assertThat(handle.isDone()).isFalse();
            assertThat(handle.isCancelled()).isFalse();
            assertThatThrownBy(handle::resultNow)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has not ended");
            assertThatThrownBy(handle::exceptionNow)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has not ended");
            assertThat(handle.toString()).contains("has not ended");
        }
    }

    /** {@code Future.state} came with JDK 19. */
    @Test
    void theStateOfLaterJdksFits() throws Exception {
        assumeTrue(Runtime.version().feature() >= 19, "Future.state came with JDK 19");
        JobHandle<String> done = scheduler.submit(() -> "value");
        JobHandle<String> failed = scheduler.submit(() -> {
            throw new IOException("broken");
        });
        done.outcome();
        failed.outcome();
        try (Holding held = Holding.workersOf(scheduler)) {
            JobHandle<String> handle = scheduler.submit(() -> "value");
            assertThat(stateOf(handle)).isEqualTo("RUNNING");
            handle.cancel(false);
            assertThat(stateOf(handle)).isEqualTo("CANCELLED");
        }
        assertThat(stateOf(done)).isEqualTo("SUCCESS");
        assertThat(stateOf(failed)).isEqualTo("FAILED");
    }

    private static String stateOf(Future<?> future) throws ReflectiveOperationException {
        return Future.class.getMethod("state").invoke(future).toString();
    }

    // ---- onComplete ------------------------------------------------------------------------------------------------

    @Test
    void listenersAreCalledOnceInOrderOnTheThreadThatEndsTheJob() throws Exception {
        List<String> calls = Collections.synchronizedList(new ArrayList<>());
        Map<String, Thread> threads = Collections.synchronizedMap(new LinkedHashMap<>());
        CountDownLatch all = new CountDownLatch(20);
        AtomicReference<Thread> ranOn = new AtomicReference<>();
        JobHandle<String> done;
        JobHandle<String> cancelled;
        try (Holding held = Holding.workersOf(scheduler)) {
            done = scheduler.submit(() -> {
                ranOn.set(Thread.currentThread());
                return "value";
            });
            cancelled = scheduler.submit(() -> "never");
            for (int i = 0; i < 10; i++) {
                int number = i;
                done.onComplete(outcome -> {
                    calls.add("done " + number + " " + outcome);
                    threads.put("done", Thread.currentThread());
                    all.countDown();
                });
                cancelled.onComplete(outcome -> {
                    calls.add("cancelled " + number + " " + outcome);
                    threads.put("cancelled", Thread.currentThread());
                    all.countDown();
                });
            }
            assertThat(calls).isEmpty();
            cancelled.cancel(true);
            assertThat(calls).hasSize(10);
        }
        await(all);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            expected.add("cancelled " + i + " " + new Outcome.Cancelled<>());
        }
        for (int i = 0; i < 10; i++) {
            expected.add("done " + i + " " + new Outcome.Done<>("value"));
        }
        assertThat(calls).isEqualTo(expected);
        assertThat(threads).containsEntry("cancelled", Thread.currentThread()).containsEntry("done", ranOn.get());
    }

    @Test
    void aListenerOfAnEndedJobIsCalledAtOnce() {
        IOException cause = new IOException("broken");
        JobHandle<String> failed = scheduler.submit(() -> {
            throw cause;
        });
        failed.outcome();
        List<Object> told = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            failed.onComplete(told::add);
            assertThat(told).hasSize(i + 1).containsOnly(new Outcome.Failed<>(cause));
        }
    }

    @Test
    void listenersThatAreAddedWhileTheJobEndsAreCalledOnceEach() throws Exception {
        for (int round = 0; round < Stress.scaled(2_000); round++) {
            AtomicInteger[] calls = new AtomicInteger[4];
            JobHandle<Integer> handle = scheduler.submit(() -> 1);
            for (int i = 0; i < calls.length; i++) {
                AtomicInteger count = new AtomicInteger();
                calls[i] = count;
                handle.onComplete(outcome -> count.incrementAndGet());
            }
            handle.join();
            Stress.await(
                    () -> {
                        int sum = 0;
                        for (AtomicInteger count : calls) {
                            sum += count.get();
                        }
                        return sum >= calls.length;
                    },
                    scheduler::dump);
            for (AtomicInteger count : calls) {
                assertThat(count).hasValue(1);
            }
        }
    }

    @Test
    void aListenerThatThrowsIsReportedOnceAndChangesNothing() throws Exception {
        AtomicInteger later = new AtomicInteger();
        JobHandle<String> done;
        JobHandle<String> cancelled;
        try (Holding held = Holding.workersOf(scheduler)) {
            done = scheduler.submit(() -> "value");
            cancelled = scheduler.submit(() -> "never");
            for (JobHandle<String> handle : List.of(done, cancelled)) {
                handle.onComplete(outcome -> ExecutorServiceContractTest.sneak(new IOException("listener")));
                handle.onComplete(outcome -> later.incrementAndGet());
            }
            assertThat(cancelled.cancel(false)).isTrue();
            assertThat(failures).extracting(Throwable::getMessage).containsExactly("listener");
            assertThat(later).hasValue(1);
        }
        Stress.await(() -> later.get() == 2, scheduler::dump);
        done.onComplete(outcome -> {
            throw new AssertionError("late");
        });
        assertThat(failures).extracting(Throwable::getMessage).containsExactly("listener", "listener", "late");
        assertThat(done.join()).isEqualTo("value");
        assertThat(scheduler.submit(() -> "alive").join()).isEqualTo("alive");
        assertThat(scheduler.stats().jobsFailed()).isZero();
    }

    @Test
    void aListenerMaySubmitCancelAddListenersAndWait() throws Exception {
        AtomicReference<String> joined = new AtomicReference<>();
        AtomicBoolean cancelled = new AtomicBoolean();
        AtomicInteger nested = new AtomicInteger();
        AtomicBoolean interrupted = new AtomicBoolean(true);
        CountDownLatch over = new CountDownLatch(1);
        JobHandle<String> victim;
        try (Holding held = Holding.workersOf(scheduler)) {
            JobHandle<String> handle = scheduler.submit(() -> "value");
            victim = scheduler.schedule(() -> "never", 1, TimeUnit.DAYS);
            Consumer<Outcome<String>> listener = outcome -> {
                joined.set(scheduler.submit(() -> "joined").join());
                cancelled.set(victim.cancel(true));
                handle.onComplete(again -> nested.incrementAndGet());
                assertThat(handle.cancel(true)).isFalse();
                Thread.currentThread().interrupt();
                scheduler.submit(() -> {
                    interrupted.set(Thread.currentThread().isInterrupted());
                    over.countDown();
                });
            };
            handle.onComplete(listener);
        }
        await(over);
        assertThat(joined).hasValue("joined");
        assertThat(cancelled).isTrue();
        assertThat(nested).hasValue(1);
        assertThat(interrupted).as("the listener's interrupt").isFalse();
        assertThat(failures).isEmpty();
    }

    @Test
    void aLongChainOfListenersThatCancelDoesNotOverflowTheBooks() throws Exception {
        List<JobHandle<?>> chain = new ArrayList<>();
        try (Holding held = Holding.workersOf(scheduler)) {
            for (int i = 0; i < 200; i++) {
                chain.add(scheduler.submit(() -> "never"));
            }
            for (int i = 0; i + 1 < chain.size(); i++) {
                JobHandle<?> next = chain.get(i + 1);
                chain.get(i).onComplete(outcome -> next.cancel(true));
            }
            chain.get(0).cancel(true);
            assertThat(chain).allMatch(Future::isCancelled);
            assertThat(scheduler.stats().jobsCancelled()).isEqualTo(chain.size());
        }
    }

    // ---- toCompletableFuture ---------------------------------------------------------------------------------------

    @Test
    void aFutureEndsAsItsJobDoes() throws Exception {
        IOException cause = new IOException("broken");
        CompletableFuture<String> done;
        CompletableFuture<String> nothing;
        CompletableFuture<String> failed;
        CompletableFuture<String> cancelled;
        try (Holding held = Holding.workersOf(scheduler)) {
            done = scheduler.submit(() -> "value").toCompletableFuture();
            nothing = scheduler.submit(() -> (String) null).toCompletableFuture();
            JobHandle<String> failing = scheduler.submit(() -> {
                throw cause;
            });
            failed = failing.toCompletableFuture();
            JobHandle<String> handle = scheduler.submit(() -> "never");
            cancelled = handle.toCompletableFuture();
            assertThat(done).isNotDone();
            handle.cancel(false);
            assertThat(cancelled).isCancelled();
        }
        assertThat(done.get(60, TimeUnit.SECONDS)).isEqualTo("value");
        assertThat(nothing.get(60, TimeUnit.SECONDS)).isNull();
        assertThatThrownBy(() -> failed.get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCause(cause);
        assertThatThrownBy(cancelled::join).isInstanceOf(CancellationException.class);
        JobHandle<Integer> ended = scheduler.submit(() -> 1);
        ended.join();
        assertThat(ended.toCompletableFuture()).isCompletedWithValue(1);
        assertThat(ended.toCompletableFuture()).isNotSameAs(ended.toCompletableFuture());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cancellingTheFutureCancelsTheJobWithoutAnInterrupt(boolean interrupt) throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        AtomicBoolean sawInterrupt = new AtomicBoolean();
        JobHandle<String> handle = scheduler.submit(() -> {
            runs.countDown();
            Latches.uninterruptibly(cancelled);
            sawInterrupt.set(Thread.currentThread().isInterrupted());
            over.countDown();
            return "dropped";
        });
        CompletableFuture<String> future = handle.toCompletableFuture();
        CompletableFuture<String> sibling = handle.toCompletableFuture();
        await(runs);
        assertThat(future.cancel(interrupt)).isTrue();
        assertCancelled(handle);
        assertThat(sibling).isCancelled();
        assertThat(future.cancel(interrupt)).as("as CompletableFuture has it").isTrue();
        cancelled.countDown();
        await(over);
        assertThat(sawInterrupt).isFalse();
        assertThat(scheduler.stats().jobsCancelled()).isEqualTo(1);
    }

    @Test
    void endingTheFutureOtherwiseLeavesTheJobAlone() throws Exception {
        JobHandle<String> handle;
        List<CompletableFuture<String>> futures = new ArrayList<>();
        try (Holding held = Holding.workersOf(scheduler)) {
            handle = scheduler.submit(() -> "value");
            for (int i = 0; i < 5; i++) {
                futures.add(handle.toCompletableFuture());
            }
            assertThat(futures.get(0).complete("other")).isTrue();
            assertThat(futures.get(1).completeExceptionally(new IOException("other")))
                    .isTrue();
            futures.get(2).obtrudeValue("other");
            futures.get(3).completeOnTimeout("other", 1, TimeUnit.MICROSECONDS).join();
            assertThat(futures.get(0).cancel(true)).isFalse();
            assertThat(handle.isDone()).isFalse();
            assertThat(futures.get(4)).isNotDone();
        }
        assertThat(handle.join()).isEqualTo("value");
        assertThat(futures.get(4).get(60, TimeUnit.SECONDS)).isEqualTo("value");
        assertThat(futures.get(0)).isCompletedWithValue("other");
        assertThat(futures.get(1)).isCompletedExceptionally();
        assertThat(futures.get(3)).isCompletedWithValue("other");
    }

    @Test
    void dependentsRunWithTheResultAndDoNotCancelTheJob() throws Exception {
        JobHandle<Integer> handle;
        CompletableFuture<Integer> dependent;
        CompletableFuture<Integer> copy;
        CompletableFuture<Integer> async;
        try (Holding held = Holding.workersOf(scheduler)) {
            handle = scheduler.submit(() -> 20);
            CompletableFuture<Integer> future = handle.toCompletableFuture();
            dependent = future.thenApply(x -> x + 1);
            copy = future.copy();
            async = future.thenApplyAsync(x -> x + 2, scheduler).thenCombineAsync(future, (x, y) -> x + y, scheduler);
            assertThat(dependent.cancel(true)).isTrue();
            assertThat(copy.cancel(true)).isTrue();
            assertThat(handle.isCancelled()).isFalse();
            assertThat(future).isNotDone();
        }
        assertThat(handle.join()).isEqualTo(20);
        assertThat(async.get(60, TimeUnit.SECONDS)).isEqualTo(42);
    }

    @Test
    void aDependentThatThrowsChangesNeitherJobNorWorker() throws Exception {
        JobHandle<Integer> handle;
        CompletableFuture<Void> dependent;
        try (Holding held = Holding.workersOf(scheduler)) {
            handle = scheduler.submit(() -> 1);
            dependent = handle.toCompletableFuture().thenRun(() -> {
                throw new IllegalStateException("dependent");
            });
        }
        assertThatThrownBy(() -> dependent.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(handle.resultNow()).isEqualTo(1);
        assertThat(scheduler.submit(() -> 2).join()).isEqualTo(2);
        assertThat(failures).as("CompletableFuture keeps it").isEmpty();
    }

    @Test
    void handlesThatShutdownNowReturnsEndTheirFuturesAndTellTheirListeners() throws Exception {
        List<Outcome<String>> told = Collections.synchronizedList(new ArrayList<>());
        try (Holding held = Holding.workersOf(scheduler)) {
            JobHandle<String> handle = scheduler.submit(() -> "never");
            handle.onComplete(told::add);
            CompletableFuture<String> future = handle.toCompletableFuture();
            assertThat(scheduler.shutdownNow()).containsExactly((Runnable) handle);
            assertThat(told).containsExactly(new Outcome.Cancelled<>());
            assertThat(future).isCancelled();
            assertCancelled(handle);
        }
    }
}
