// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A stack that overflows while the scheduler's own code is on it. */
@Timeout(300)
class StackOverflowTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration LONG_LIMIT = Duration.ofHours(1);
    private static final int DEPTHS = 200;

    private static PinnedScheduler start(int workers) {
        return PinnedScheduler.builder()
                .name("overflowing")
                .workers(workers)
                .pinning(Pinning.OFF)
                .failureHandler((job, failure) -> {})
                .build();
    }

    /** Overflows the stack, and acts at each of the innermost places from which the error comes up. */
    @SuppressWarnings("InfiniteRecursion") // on purpose
    private static int onTheWayUp(int[] left, Runnable action) {
        try {
            int below = onTheWayUp(left, action);
            return below;
        } catch (StackOverflowError tooDeep) {
            if (left[0]-- > 0) {
                try {
                    action.run();
                } catch (VirtualMachineError tooDeepStill) { // an InternalError, if it came while the JVM linked a call
                    assertThat(tooDeepStill).isNotInstanceOf(OutOfMemoryError.class);
                }
            }
            throw tooDeep;
        }
    }

    private static void onTheWayUp(Runnable action) {
        try {
            int ignored = onTheWayUp(new int[] {DEPTHS}, action);
        } catch (StackOverflowError expected) {
            // all places have been visited
        }
    }

    private static void assertWorks(PinnedScheduler scheduler) throws Exception {
        assertThat(scheduler.submit(() -> scheduler.submit(() -> 42).join()).join(LONG))
                .isEqualTo(42);
    }

    private static void assertEnds(PinnedScheduler scheduler) throws InterruptedException {
        scheduler.shutdown();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS))
                .as(scheduler.dump())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void noHandleHangsWhenTheStackOverflowsInTheMiddleOfAJoin(int workers) throws Exception {
        PinnedScheduler scheduler = start(workers);
        for (int round = 0; round < Stress.scaled(5); round++) {
            Queue<JobHandle<Integer>> handles = new ConcurrentLinkedQueue<>();
            Queue<CompletableFuture<Integer>> futures = new ConcurrentLinkedQueue<>();
            AtomicInteger told = new AtomicInteger();
            JobHandle<?> job = scheduler.submit(() -> {
                for (int i = 0; i < DEPTHS; i++) {
                    JobHandle<Integer> handle = scheduler.submit(() -> 1);
                    handle.onComplete(outcome -> told.incrementAndGet());
                    futures.add(handle.toCompletableFuture());
                    handles.add(handle);
                }
                List<JobHandle<Integer>> all = new ArrayList<>(handles);
                onTheWayUp(() -> all.remove(all.size() - 1).join());
            });
            assertThat(job.outcome(LONG)).isNotNull();
            for (JobHandle<Integer> handle : handles) {
                assertThat(handle.outcome(LONG)).isNotNull();
            }
            for (CompletableFuture<Integer> future : futures) {
                assertThat(future.handle((result, failure) -> 1).get(60, TimeUnit.SECONDS))
                        .isEqualTo(1);
            }
            assertThat(told.get()).isBetween(1, DEPTHS);
            assertWorks(scheduler);
        }
        assertEnds(scheduler);
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.jobsSubmitted()).isEqualTo(stats.jobsRun() + stats.jobsFailed());
    }

    /** Each job waits for the next, until no stack is left: the innermost was claimed then, or was not, and ends. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aChainOfJobsThatIsTooDeepForTheStackEndsAsAWhole(int workers) throws Exception {
        PinnedScheduler scheduler = PinnedScheduler.builder()
                .name("overflowing")
                .workers(workers)
                .pinning(Pinning.OFF)
                .spareThreads(0)
                .failureHandler((job, failure) -> {})
                .build();
        Queue<JobHandle<Integer>> handles = new ConcurrentLinkedQueue<>();
        JobHandle<Integer> outermost = scheduler.submit(() -> nest(scheduler, handles));
        assertThat(outermost.outcome(LONG)).isInstanceOf(Outcome.Failed.class);
        assertEnds(scheduler);
        assertThat(handles).hasSizeGreaterThan(100).allMatch(JobHandle::isDone);
    }

    private static int nest(PinnedScheduler scheduler, Queue<JobHandle<Integer>> handles) {
        JobHandle<Integer> inner = scheduler.submit(() -> nest(scheduler, handles));
        handles.add(inner);
        return inner.join() + 1;
    }

    /** The job that catches the error waits once more for what was claimed when it came. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aJobThatCatchesTheErrorMayWaitForTheSameHandleAgain(int workers) throws Exception {
        PinnedScheduler scheduler = start(workers);
        for (int round = 0; round < Stress.scaled(5); round++) {
            JobHandle<?> job = scheduler.submit(() -> {
                List<JobHandle<Integer>> handles = new ArrayList<>();
                for (int i = 0; i < DEPTHS; i++) {
                    handles.add(scheduler.submit(() -> 1));
                }
                int[] next = {0};
                onTheWayUp(() -> {
                    JobHandle<Integer> handle = handles.get(next[0]++);
                    try {
                        Outcome<Integer> ignored = handle.outcome();
                    } catch (StackOverflowError again) {
                        // two in one place, and one a place further up
                        Outcome<Integer> ignored =
                                handles.get(Math.max(0, next[0] - 2)).outcome();
                    }
                });
                handles.forEach(JobHandle::outcome);
            });
            assertThat(job.outcome(LONG)).isInstanceOf(Outcome.Done.class);
        }
        assertEnds(scheduler);
    }

    /** A stranger runs it, with more or less stack to spare; it waits for its time all along. */
    @Test
    void aRepeatedJobThatIsRunByHandAtTheEndOfAStackGoesOnWaiting() throws Exception {
        PinnedScheduler scheduler = start(1);
        for (int i = 0; i < 20; i++) {
            ScheduledJob<?> repeated = scheduler.scheduleWithFixedDelay(() -> {}, 1, 1, TimeUnit.DAYS);
            Stress.Threads threads = new Stress.Threads();
            threads.start("deep", () -> onTheWayUp((Runnable) repeated));
            threads.join(scheduler::dump);
            assertThat(repeated.isDone()).isFalse();
            assertThat(scheduler.stats().timersWaiting()).isEqualTo(1);
            assertThat(repeated.cancel(false)).isTrue();
        }
        assertEnds(scheduler);
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.jobsSubmitted()).isEqualTo(stats.jobsRun() + stats.jobsFailed() + stats.jobsCancelled());
        assertThat(stats.jobsRun()).isPositive();
    }

    @SuppressWarnings("ImmutableEnumChecker") // lambdas without state
    enum Call {
        EXECUTE(scheduler -> scheduler.execute(() -> {})),
        SUBMIT(scheduler -> scheduler.submit(() -> 1)),
        EXECUTE_ALL(scheduler -> scheduler.executeAll(List.of(() -> {}, () -> {}))),
        LANE(scheduler -> scheduler.lane(0).execute(() -> {})),
        SCHEDULE(scheduler -> scheduler.schedule(() -> {}, 1, TimeUnit.MICROSECONDS)),
        CANCEL_TIMED(scheduler ->
                scheduler.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).cancel(false)),
        CANCEL(scheduler -> scheduler.submit(() -> 1).cancel(true)),
        JOIN(scheduler -> scheduler.submit(() -> 1).join()),
        LISTEN(scheduler -> scheduler.submit(() -> 1).onComplete(outcome -> {})),
        BLOCK(scheduler -> {
            try {
                int ignored = scheduler.blocking(() -> 1);
            } catch (Exception impossible) {
                throw new AssertionError(impossible);
            }
        }),
        STATISTICS(scheduler -> {
            String ignored = scheduler.toString() + scheduler.stats() + scheduler.dump();
        });

        final Consumer<PinnedScheduler> call;

        Call(Consumer<PinnedScheduler> call) {
            this.call = call;
        }
    }

    /** What the call itself does is open when it throws; everybody else goes on. */
    @ParameterizedTest
    @EnumSource(Call.class)
    void aStackThatOverflowsInACallFromOutsideStopsNobodyElse(Call call) throws Exception {
        PinnedScheduler scheduler = start(2);
        call.call.accept(scheduler); // the JVM links a call once, with or without success
        for (int round = 0; round < Stress.scaled(2); round++) {
            Stress.Threads threads = new Stress.Threads();
            threads.start("deep", () -> onTheWayUp(() -> call.call.accept(scheduler)));
            threads.join(scheduler::dump);
            assertWorks(scheduler);
        }
        assertEnds(scheduler);
        assertThat(scheduler.stats().timersWaiting()).isZero();
    }

    @ParameterizedTest
    @EnumSource(Call.class)
    void aStackThatOverflowsInACallFromAJobStopsNobodyElse(Call call) throws Exception {
        PinnedScheduler scheduler = start(1);
        scheduler
                .submit(() -> call.call.accept(scheduler))
                .join(); // the JVM links a call once, with or without success
        for (int round = 0; round < Stress.scaled(2); round++) {
            JobHandle<?> job = scheduler.submit(() -> onTheWayUp(() -> call.call.accept(scheduler)));
            assertThat(job.outcome(LONG)).isNotNull();
            assertWorks(scheduler);
        }
        assertEnds(scheduler);
    }

    /** The caller runs what is limited in time, without room in the injector, and the deadline is taken back. */
    @Test
    void aStackThatOverflowsInAJobThatItsCallerRunsCancelsNoneInTheBooks() throws Exception {
        PinnedScheduler scheduler = PinnedScheduler.builder()
                .name("overflowing")
                .workers(1)
                .pinning(Pinning.OFF)
                .injectorCapacity(1)
                .overflow(OverflowPolicy.CALLER_RUNS)
                .failureHandler((job, failure) -> {})
                .build();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try {
            scheduler.execute(() -> {
                held.countDown();
                Latches.uninterruptibly(release);
            });
            held.await();
            scheduler.execute(() -> {}); // the injector is full
            for (int round = 0; round < Stress.scaled(5); round++) {
                Stress.Threads threads = new Stress.Threads();
                threads.start("deep", () -> onTheWayUp(() -> scheduler.submitWithin(() -> 1, LONG_LIMIT)));
                threads.join(scheduler::dump);
            }
            assertThat(scheduler.stats().jobsCancelled()).isZero();
        } finally {
            release.countDown();
        }
        assertEnds(scheduler);
    }
}
