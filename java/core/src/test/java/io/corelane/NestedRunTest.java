// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that run inside others, because callers run what they submit or somebody calls a handle's {@code run}. */
@Timeout(300)
class NestedRunTest {
    /** Opens when the test is over. */
    private final CountDownLatch never = new CountDownLatch(1);

    private final CountDownLatch release = new CountDownLatch(1);
    private final Stress.Threads threads = new Stress.Threads();
    private final PinnedScheduler scheduler = Schedulers.unpinned(1)
            .injectorCapacity(2)
            .overflow(OverflowPolicy.CALLER_RUNS)
            .build();

    @AfterEach
    void end() throws Exception {
        never.countDown();
        release.countDown();
        Schedulers.end(scheduler);
    }

    /** Gives the only worker a job until it is released. */
    private void hold() throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        scheduler.execute(() -> {
            held.countDown();
            Latches.uninterruptibly(release);
        });
        Schedulers.await(scheduler, held);
    }

    /** From now on whoever has no worker runs what it submits. */
    private void fill() throws InterruptedException {
        hold();
        int queued = 0;
        while (scheduler.tryExecute(() -> {})) {
            queued++;
        }
        assertThat(queued).isEqualTo(2);
    }

    private static void runByHand(JobHandle<?> job) {
        ((Runnable) job).run();
    }

    // ---- the books -----------------------------------------------------------------------------------------------

    /** Where the stack is too full to begin the next job, that was not accepted; {@link #end} looks at the sums. */
    @Test
    void callersThatRunEachOthersJobsUntilTheStackOverflowsKeepTheBooks() throws Exception {
        fill();
        AtomicInteger ran = new AtomicInteger();
        AtomicReference<Throwable> innermost = new AtomicReference<>();
        Runnable job = new Runnable() {
            @Override
            public void run() {
                ran.incrementAndGet();
                try {
                    scheduler.execute(this);
                } catch (StackOverflowError overflow) {
                    innermost.compareAndSet(null, overflow);
                }
            }
        };
        scheduler.execute(job);
        assertThat(innermost).doesNotHaveNullValue();
        assertThat(scheduler.stats().submissions().runByCallers()).isEqualTo(ran.get());
    }

    // ---- interrupts ----------------------------------------------------------------------------------------------

    /** The job around has no handle, so nobody's interrupt waits for it: its own flag does. */
    @Test
    void theFlagOfAJobWithoutAHandleIsNotSeenByTheOneInsideAndSurvivesIt() throws Exception {
        AtomicBoolean innerSaw = new AtomicBoolean();
        AtomicBoolean outerKept = new AtomicBoolean();
        CountDownLatch ended = new CountDownLatch(1);
        scheduler.execute(() -> {
            Thread.currentThread().interrupt();
            runByHand(scheduler.submit(() -> innerSaw.set(Thread.currentThread().isInterrupted())));
            outerKept.set(Thread.interrupted());
            ended.countDown();
        });
        Schedulers.await(scheduler, ended);
        assertThat(innerSaw).isFalse();
        assertThat(outerKept).isTrue();
    }

    @Test
    void aJobWithoutAHandleThatItsCallerRunsLeavesNoFlagBehind() throws Exception {
        CountDownLatch outerRuns = new CountDownLatch(1);
        CountDownLatch filled = new CountDownLatch(1);
        JobHandle<Boolean> outer = scheduler.submit(() -> scheduler.blocking(() -> {
            outerRuns.countDown();
            filled.await();
            scheduler.execute(() -> Thread.currentThread().interrupt());
            release.countDown();
            return Thread.currentThread().isInterrupted();
        }));
        Schedulers.await(scheduler, outerRuns);
        fill();
        filled.countDown();
        assertThat(Schedulers.result(scheduler, outer)).isFalse();
        assertThat(scheduler.stats().submissions().runByCallers()).isEqualTo(1);
    }

    /** The job around is in a blocking section; the one inside has a handle or none. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cancellingAJobInterruptsItAndNotTheOneThatItRunsAsItsCaller(boolean hasHandle) throws Exception {
        CountDownLatch outerRuns = new CountDownLatch(1);
        CountDownLatch full = new CountDownLatch(1);
        CountDownLatch innerRuns = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        CountDownLatch innerEnded = new CountDownLatch(1);
        CountDownLatch outerSaw = new CountDownLatch(1);
        AtomicBoolean innerSaw = new AtomicBoolean();
        Runnable inner = () -> {
            innerRuns.countDown();
            innerSaw.set(!Latches.isAwaited(cancelled) || Thread.currentThread().isInterrupted());
            innerEnded.countDown();
        };
        JobHandle<Boolean> outer = scheduler.submit(() -> scheduler.blocking(() -> {
            outerRuns.countDown();
            full.await();
            if (hasHandle) {
                scheduler.submit(inner);
            } else {
                scheduler.execute(inner);
            }
            if (!Latches.isAwaited(never)) {
                outerSaw.countDown();
            }
            return true;
        }));
        Schedulers.await(scheduler, outerRuns);
        fill();
        full.countDown();
        Schedulers.await(scheduler, innerRuns);
        assertThat(outer.cancel(true)).isTrue();
        cancelled.countDown();
        Schedulers.await(scheduler, innerEnded);
        assertThat(innerSaw).isFalse();
        Schedulers.await(scheduler, outerSaw);
    }

    @Test
    void bothOfTwoJobsThatAnOutsideThreadRunsInsideEachOtherAreInterruptedEachByItsOwnCancel() throws Exception {
        CountDownLatch innerRuns = new CountDownLatch(1);
        CountDownLatch innerSaw = new CountDownLatch(1);
        CountDownLatch outerCancelled = new CountDownLatch(1);
        AtomicBoolean innerSawMore = new AtomicBoolean();
        AtomicBoolean outerSaw = new AtomicBoolean();
        hold();
        JobHandle<?> inner = scheduler.submit(() -> {
            innerRuns.countDown();
            if (!Latches.isAwaited(never)) {
                innerSaw.countDown();
            }
            innerSawMore.set(
                    !Latches.isAwaited(outerCancelled) || Thread.currentThread().isInterrupted());
        });
        JobHandle<?> outer = scheduler.submit(() -> {
            runByHand(inner);
            outerSaw.set(!Latches.isAwaited(never));
        });
        threads.start("outside", () -> runByHand(outer));
        Schedulers.await(scheduler, innerRuns);
        assertThat(inner.cancel(true)).isTrue();
        Schedulers.await(scheduler, innerSaw);
        assertThat(outer.cancel(true)).isTrue();
        outerCancelled.countDown();
        threads.join(scheduler::dump);
        assertThat(innerSawMore).isFalse();
        assertThat(outerSaw).isTrue();
    }

    @Test
    void cancellingAJobDoesNotInterruptTheOneOfAnotherSchedulerThatItRunsAsItsCaller() throws Exception {
        PinnedScheduler other = Schedulers.unpinned(1).build();
        CountDownLatch innerRuns = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        AtomicBoolean innerSaw = new AtomicBoolean();
        AtomicBoolean outerSaw = new AtomicBoolean();
        fill();
        JobHandle<?> outer = other.submit(() -> {
            scheduler.submit(() -> {
                innerRuns.countDown();
                innerSaw.set(
                        !Latches.isAwaited(cancelled) || Thread.currentThread().isInterrupted());
            });
            outerSaw.set(Thread.currentThread().isInterrupted());
        });
        Schedulers.await(scheduler, innerRuns);
        assertThat(outer.cancel(true)).isTrue();
        cancelled.countDown();
        Schedulers.end(other);
        assertThat(innerSaw).isFalse();
        assertThat(outerSaw).isTrue();
    }

    @Test
    void shutdownNowInterruptsAJobAlsoAfterItHasRunAHandleByHand() throws Exception {
        CountDownLatch innerRuns = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        CountDownLatch outerSaw = new CountDownLatch(1);
        scheduler.execute(() -> {
            JobHandle<?> inner = scheduler.submit(() -> {
                innerRuns.countDown();
                Latches.uninterruptibly(stopped);
            });
            runByHand(inner);
            if (!Latches.isAwaited(never)) {
                outerSaw.countDown();
            }
        });
        Schedulers.await(scheduler, innerRuns);
        assertThat(scheduler.shutdownNow()).isEmpty();
        stopped.countDown();
        Schedulers.await(scheduler, outerSaw);
    }

    // ---- deadlines -----------------------------------------------------------------------------------------------

    @Test
    void aDeadlineHoldsForAJobThatItsCallerRunsAfterTheSchedulerHasEnded() throws Exception {
        AtomicReference<JobHandle<Boolean>> job = new AtomicReference<>();
        fill();
        threads.start(
                "caller",
                () -> job.set(scheduler.submitWithin(
                        () -> {
                            scheduler.shutdown();
                            release.countDown();
                            return scheduler.awaitTermination(60, TimeUnit.SECONDS) && Latches.isAwaited(never);
                        },
                        Duration.ofMillis(300))));
        threads.join(scheduler::dump);
        assertThat(job.get().isCancelled()).isTrue();
    }

    @Test
    void aDeadlineCancelsATreeThatTheCallerRuns() throws Exception {
        AtomicReference<JobHandle<Integer>> job = new AtomicReference<>();
        fill();
        threads.start(
                "caller",
                () -> job.set(scheduler.submitWithin(
                        () -> scheduler.<Integer>scope(scope -> {
                            while (never.getCount() > 0) {
                                scope.fork(() -> 1).join();
                            }
                            return 0;
                        }),
                        Duration.ofMillis(100))));
        threads.join(scheduler::dump);
        assertThat(job.get().isCancelled()).isTrue();
    }

    // ---- trees ---------------------------------------------------------------------------------------------------

    @Test
    void cancellingATreeDoesNotCancelTheTreeOfAJobThatItsCallerRuns() throws Exception {
        AtomicReference<JobHandle<Integer>> inner = new AtomicReference<>();
        fill();
        assertThatThrownBy(() -> scheduler.<Integer>scope(scope -> {
                    inner.set(scheduler.submit(() -> {
                        scope.cancel();
                        return scheduler.<Integer>scope(own -> own.fork(() -> 1).join());
                    }));
                    return scope.fork(() -> 2).join();
                }))
                .isInstanceOf(CancellationException.class);
        assertThat(inner.get().outcome()).isEqualTo(new Outcome.Done<>(1));
    }

    /** The tree inside, which is not the job's, has heard of it first. */
    @Test
    void cancellingAJobCancelsItsTreeAlsoIfItRunsAnotherTreeByHandThen() throws Exception {
        CountDownLatch innerRuns = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        AtomicInteger forks = new AtomicInteger();
        JobHandle<Integer> outer = scheduler.submit(() -> {
            try {
                return scheduler.<Integer>scope(scope -> {
                    JobHandle<Integer> inner = scheduler.submit(() -> {
                        innerRuns.countDown();
                        Latches.uninterruptibly(cancelled);
                        return scheduler.<Integer>scope(own -> own.fork(() -> 1).join());
                    });
                    runByHand(inner);
                    for (int i = 0; i < 1_000; i++) {
                        scope.fork(forks::incrementAndGet).join();
                    }
                    return 0;
                });
            } finally {
                ended.countDown();
            }
        });
        Schedulers.await(scheduler, innerRuns);
        assertThat(outer.cancel(false)).isTrue();
        cancelled.countDown();
        Schedulers.await(scheduler, ended);
        assertThat(forks.get()).isLessThanOrEqualTo(1);
    }

    /** Its thread runs the job inside, and does not read messages; its forks are the same scheduler's or another one's. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void cancellingAJobThatRunsAnotherInsideStopsItsForksOnOtherThreadsAtOnce(boolean sameScheduler) throws Exception {
        PinnedScheduler two = Schedulers.unpinned(sameScheduler ? 2 : 1).build();
        PinnedScheduler ofForks = sameScheduler ? two : scheduler;
        CountDownLatch forkRuns = new CountDownLatch(1);
        CountDownLatch innerRuns = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        CountDownLatch forkEnded = new CountDownLatch(1);
        AtomicInteger forks = new AtomicInteger();
        try {
            JobHandle<Integer> outer = two.submit(() -> ofForks.<Integer>scope(scope -> {
                scope.fork(() -> {
                    forkRuns.countDown();
                    Latches.uninterruptibly(cancelled);
                    try {
                        for (int i = 0; i < 10; i++) {
                            scope.fork(forks::incrementAndGet).join();
                        }
                    } finally {
                        forkEnded.countDown();
                    }
                    return 0;
                });
                Latches.uninterruptibly(forkRuns); // on the other worker
                two.submit(() -> {
                            innerRuns.countDown();
                            Latches.uninterruptibly(forkEnded);
                        })
                        .join();
                return 0;
            }));
            Schedulers.await(two, innerRuns);
            assertThat(outer.cancel(true)).isTrue();
            cancelled.countDown();
            Schedulers.await(two, forkEnded);
            assertThat(forks.get()).isLessThanOrEqualTo(1);
            Schedulers.end(two);
        } finally {
            cancelled.countDown();
            forkEnded.countDown();
            two.shutdownNow();
        }
    }

    /** A user's thread that runs the job by hand. */
    @Test
    void cancelIsCompleteAlsoIfTheThreadCannotBeInterrupted() throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        hold();
        JobHandle<?> job = scheduler.submit(() -> {
            runs.countDown();
            Latches.uninterruptibly(release);
        });
        Thread runner = new Thread(() -> runByHand(job)) {
            @Override
            public void interrupt() {
                throw new IllegalStateException("not me");
            }
        };
        runner.start();
        Schedulers.await(scheduler, runs);
        AtomicInteger told = new AtomicInteger();
        job.onComplete(outcome -> told.incrementAndGet());
        assertThat(job.cancel(true)).isTrue();
        assertThat(told).hasValue(1);
        release.countDown();
        runner.join();
        assertThat(job.isCancelled()).isTrue();
    }

    // ---- the job around ------------------------------------------------------------------------------------------

    /** Which may hold a lock that the others want. */
    @Test
    void aJobThatAnotherRunsByHandDoesNotHelpWithTheJobsOfThatOne() throws Exception {
        PinnedScheduler two = Schedulers.unpinned(2).build();
        CountDownLatch slowRuns = new CountDownLatch(1);
        CountDownLatch waits = new CountDownLatch(1);
        AtomicReference<Thread> waiter = new AtomicReference<>();
        AtomicBoolean inside = new AtomicBoolean();
        AtomicBoolean met = new AtomicBoolean();
        try {
            JobHandle<?> slow = two.submit(() -> {
                slowRuns.countDown();
                Latches.uninterruptibly(release);
            });
            Schedulers.await(two, slowRuns);
            JobHandle<JobHandle<?>> outer = two.submit(() -> {
                JobHandle<?> byHand = two.submit(() -> {
                    waiter.set(Thread.currentThread());
                    inside.set(true);
                    waits.countDown();
                    slow.join();
                    inside.set(false);
                });
                JobHandle<?> child = two.submit(() -> met.set(inside.get() && Thread.currentThread() == waiter.get()));
                runByHand(byHand);
                return child;
            });
            Schedulers.await(two, waits);
            Schedulers.awaitParked(waiter.get());
            release.countDown();
            Schedulers.result(two, Schedulers.result(two, outer));
            assertThat(met).isFalse();
            Schedulers.end(two);
        } finally {
            release.countDown();
            two.shutdownNow();
        }
    }

    @Test
    void aJobThatAnotherRunsByHandSeesTheFixedContextClassLoaderAndLeavesThatOfTheOther() throws Exception {
        ClassLoader fixed = new ClassLoader("fixed", null) {};
        ClassLoader changed = new ClassLoader("changed", null) {};
        PinnedScheduler withFixed =
                Schedulers.unpinned(1).contextClassLoader(fixed).build();
        try {
            AtomicReference<ClassLoader> innerSaw = new AtomicReference<>();
            AtomicReference<ClassLoader> outerSaw = new AtomicReference<>();
            JobHandle<?> outer = withFixed.submit(() -> {
                JobHandle<?> inner = withFixed.submit(() -> {
                    innerSaw.set(Thread.currentThread().getContextClassLoader());
                    Thread.currentThread().setContextClassLoader(null);
                });
                Thread.currentThread().setContextClassLoader(changed);
                runByHand(inner);
                outerSaw.set(Thread.currentThread().getContextClassLoader());
            });
            Schedulers.result(withFixed, outer);
            assertThat(innerSaw.get()).isSameAs(fixed);
            assertThat(outerSaw.get()).isSameAs(changed);
            Schedulers.end(withFixed);
        } finally {
            withFixed.shutdownNow();
        }
    }
}
