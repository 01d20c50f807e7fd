// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scopes: forks that end together. */
@Timeout(300)
class ForkScopeTest {
    private static final class Oops extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Oops(String message) {
            super(message);
        }
    }

    @Schedulers.EachShape
    void aScopeEndsWhenAllItsForksHave(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        for (int round = 0; round < Stress.scaled(50); round++) {
            AtomicInteger ended = new AtomicInteger();
            int sum = scheduler.scope(scope -> {
                List<Fork<Integer>> forks = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    int value = i;
                    forks.add(scope.fork(() -> {
                        scope.fork(ended::incrementAndGet);
                        return value;
                    }));
                    scope.fork(ended::incrementAndGet);
                }
                return forks.stream().mapToInt(Fork::join).sum();
            });
            assertThat(sum).isEqualTo(4950);
            assertThat(ended).hasValue(200);
        }
        Schedulers.end(scheduler);
    }

    /** The body waits for a fork that would never end, and another one fails elsewhere. */
    @Test
    void theFirstFailureCancelsTheRestAndCarriesTheOthers() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(3).build();
        for (int round = 0; round < 20; round++) {
            CyclicBarrier both = new CyclicBarrier(2);
            AtomicInteger cancelled = new AtomicInteger();
            assertThatThrownBy(() -> scheduler.scope(scope -> {
                        Fork<Integer> endless = scope.fork(() -> {
                            both.await(60, TimeUnit.SECONDS);
                            try {
                                while (true) {
                                    scope.fork(() -> 1).join();
                                }
                            } catch (CancellationException expected) {
                                cancelled.incrementAndGet();
                                throw new Oops("second");
                            }
                        });
                        scope.fork(() -> {
                            both.await(60, TimeUnit.SECONDS);
                            throw new Oops("first");
                        });
                        return endless.join();
                    }))
                    .isInstanceOf(Oops.class)
                    .hasMessage("first")
                    .satisfies(failure ->
                            assertThat(failure.getSuppressed()).anyMatch(other -> "second".equals(other.getMessage())));
            assertThat(cancelled).hasValue(1);
        }
        Schedulers.end(scheduler);
    }

    @Test
    void anExceptionThatManyScopesThrowDoesNotGrowForEver() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        Oops shared = new Oops("shared");
        for (int round = 0; round < 1000; round++) {
            assertThatThrownBy(() -> scheduler.scope(scope -> {
                        Fork<?> failing = scope.fork(() -> {
                            throw shared;
                        });
                        assertThatThrownBy(failing::join).isSameAs(shared);
                        throw new Oops("body");
                    }))
                    .isSameAs(shared);
        }
        assertThat(shared.getSuppressed()).hasSizeBetween(1, 100);
        Schedulers.end(scheduler);
    }

    @Test
    void aFailureOfTheBodyCancelsTheForks() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        AtomicInteger ran = new AtomicInteger();
        assertThatThrownBy(() -> Schedulers.result(
                        scheduler,
                        scheduler.submit(() -> scheduler.scope(scope -> {
                            scope.fork(ran::incrementAndGet);
                            throw new Oops("body");
                        }))))
                .hasCauseInstanceOf(Oops.class);
        assertThat(ran).hasValue(0);
        Schedulers.end(scheduler);
    }

    @Test
    void aCheckedExceptionComesOutAsItIs() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        assertThatThrownBy(() -> scheduler.scope(scope -> scope.fork(() -> {
                            throw new java.io.IOException("disk");
                        })
                        .join()))
                .isInstanceOf(java.io.IOException.class);
        Schedulers.end(scheduler);
    }

    @Schedulers.EachShape
    void aTimeLimitReachesTheChildren(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        AtomicInteger inside = new AtomicInteger();
        assertThatThrownBy(() -> scheduler.scope(Duration.ofMillis(30), scope -> {
                    for (int i = 0; i < 4; i++) {
                        scope.fork(() -> {
                            inside.incrementAndGet();
                            try {
                                while (true) {
                                    scope.fork(() -> 1).join();
                                }
                            } finally {
                                inside.decrementAndGet();
                            }
                        });
                    }
                    return 0;
                }))
                .isInstanceOf(CancellationException.class);
        assertThat(inside).hasValue(0);
        assertThat(scheduler.<Integer>scope(
                        Duration.ofDays(1), scope -> scope.fork(() -> 7).join()))
                .isEqualTo(7);
        Schedulers.end(scheduler);
    }

    @Test
    void anybodyMayCancelAScope() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        CountDownLatch started = new CountDownLatch(1);
        assertThatThrownBy(() -> scheduler.scope(scope -> {
                    Thread canceller = new Thread(() -> {
                        try {
                            started.await();
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                        scope.cancel();
                    });
                    canceller.start();
                    started.countDown();
                    while (started.getCount() == 0) {
                        scope.fork(() -> 1).join();
                    }
                    return 0;
                }))
                .isInstanceOf(CancellationException.class);
        Schedulers.end(scheduler);
    }

    // ---- a scope whose job waits for another one -----------------------------------------------------------------

    private static int forkMany(ForkScope scope, AtomicInteger forks) {
        for (int i = 0; i < 1_000; i++) {
            scope.fork(forks::incrementAndGet).join();
        }
        return 0;
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void cancellingTheJobCancelsItsTreeAlsoIfItWaitsForAnotherJobThen(boolean waits, boolean interrupt)
            throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        CountDownLatch pausing = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        AtomicInteger forks = new AtomicInteger();
        Runnable pause = () -> {
            pausing.countDown();
            Latches.uninterruptibly(gate);
        };
        JobHandle<Integer> job = scheduler.submit(() -> scheduler.<Integer>scope(scope -> {
            if (waits) {
                scheduler.submit(pause).join();
            } else {
                pause.run();
            }
            return forkMany(scope, forks);
        }));
        Schedulers.await(scheduler, pausing);
        assertThat(job.cancel(interrupt)).isTrue();
        gate.countDown();
        Schedulers.end(scheduler); // so the tree has ended
        assertThat(forks.get()).isLessThanOrEqualTo(1);
    }

    /** The tree inside is the first to look for messages. */
    @Test
    void aTimeLimitThatIsOverWhileAJobInsideAJoinHasATreeCancelsTheScopeAndNotThatTree() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        Duration limit = Duration.ofMillis(10);
        AtomicInteger forks = new AtomicInteger();
        AtomicInteger inside = new AtomicInteger();
        JobHandle<Integer> job = scheduler.submit(() -> scheduler.<Integer>scope(limit, scope -> {
            JobHandle<Integer> inner = scheduler.submit(() -> {
                CountDownLatch over = new CountDownLatch(1);
                JobHandle<?> queued = scheduler.submitWithin(() -> 1, limit); // which comes after the scope's
                queued.onComplete(outcome -> over.countDown());
                Latches.uninterruptibly(over);
                return scheduler.<Integer>scope(own -> own.fork(() -> 7).join());
            });
            inside.set(inner.join());
            return forkMany(scope, forks);
        }));
        assertThatThrownBy(() -> Schedulers.result(scheduler, job)).hasCauseInstanceOf(CancellationException.class);
        assertThat(inside).hasValue(7);
        assertThat(forks.get()).isLessThanOrEqualTo(1);
        Schedulers.end(scheduler);
    }

    /** A fork on another thread has a job run inside its join when the body fails, and that job has a tree. */
    @Test
    void aForkIsCancelledAlthoughAJobInsideItsJoinHasATree() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch failing = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        AtomicReference<Thread> bodyThread = new AtomicReference<>();
        AtomicInteger forks = new AtomicInteger();
        JobHandle<Integer> job = scheduler.submit(() -> scheduler.<Integer>scope(scope -> {
            bodyThread.set(Thread.currentThread());
            scope.fork(() -> {
                scheduler
                        .submit(() -> {
                            inside.countDown();
                            Latches.uninterruptibly(cancelled);
                            return scheduler.<Integer>scope(
                                    inner -> inner.fork(() -> 1).join());
                        })
                        .join();
                return forkMany(scope, forks);
            });
            Latches.uninterruptibly(inside);
            failing.countDown();
            throw new Oops("body");
        }));
        Schedulers.await(scheduler, failing);
        Schedulers.awaitParked(bodyThread.get()); // until the fork has ended, which is cancelled
        cancelled.countDown();
        assertThatThrownBy(() -> Schedulers.result(scheduler, job))
                .cause()
                .isInstanceOf(Oops.class)
                .hasNoSuppressedExceptions();
        assertThat(forks.get()).isLessThanOrEqualTo(1);
        Schedulers.end(scheduler);
    }

    // ---- forks on other threads while the root is busy -----------------------------------------------------------

    /** Forks and joins until it is cancelled. */
    private static int forkForEver(ForkScope scope, CountDownLatch cancelled) {
        try {
            while (true) {
                scope.fork(() -> 1).join();
            }
        } finally {
            cancelled.countDown();
        }
    }

    /** If the fork starts within the limit, as it does unless the machine stalls. */
    @Test
    void aTimeLimitReachesAForkOnAnotherThreadWhileItsRootNeitherForksNorJoins() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        long limitNanos = TimeUnit.MILLISECONDS.toNanos(200);
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        try {
            assertThatThrownBy(() -> scheduler.scope(Duration.ofNanos(limitNanos), scope -> {
                        long begun = System.nanoTime();
                        scope.fork(() -> {
                            started.countDown();
                            return forkForEver(scope, cancelled);
                        });
                        while (started.getCount() > 0 && System.nanoTime() - begun < limitNanos) {
                            Thread.onSpinWait();
                        }
                        if (started.getCount() == 0) {
                            Stress.await(() -> cancelled.getCount() == 0, scheduler::dump);
                        }
                        return scope.fork(() -> 1).join();
                    }))
                    .isInstanceOf(CancellationException.class);
            Schedulers.end(scheduler);
        } finally {
            scheduler.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cancellingTheJobReachesAForkOnAnotherThreadWhileItsRootNeitherForksNorJoins(boolean interrupt)
            throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        try {
            JobHandle<Integer> job = scheduler.submit(() -> scheduler.<Integer>scope(scope -> {
                scope.fork(() -> {
                    started.countDown();
                    return forkForEver(scope, cancelled);
                });
                Latches.uninterruptibly(gate);
                return 1;
            }));
            Schedulers.await(scheduler, started);
            assertThat(job.cancel(interrupt)).isTrue();
            Schedulers.await(scheduler, cancelled);
            gate.countDown();
            Schedulers.end(scheduler);
        } finally {
            gate.countDown();
            scheduler.shutdownNow();
        }
    }

    @Test
    void aForkOnAnotherThreadForksNothingOnceTheScopeIsCancelled() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        CountDownLatch tried = new CountDownLatch(1);
        AtomicReference<Object> got = new AtomicReference<>();
        try {
            assertThatThrownBy(() -> scheduler.scope(scope -> {
                        scope.fork(() -> {
                            started.countDown();
                            Latches.uninterruptibly(cancelled);
                            try {
                                got.set(scope.fork(() -> 1));
                            } catch (CancellationException refused) {
                                got.set(refused);
                            }
                            tried.countDown();
                            return 1;
                        });
                        Stress.await(() -> started.getCount() == 0, scheduler::dump);
                        scope.cancel();
                        cancelled.countDown();
                        Stress.await(() -> tried.getCount() == 0, scheduler::dump);
                        return 1;
                    }))
                    .isInstanceOf(CancellationException.class);
            assertThat(got.get()).isInstanceOf(CancellationException.class);
            Schedulers.end(scheduler);
        } finally {
            cancelled.countDown();
            scheduler.shutdownNow();
        }
    }

    // ---- a tree of another scheduler -----------------------------------------------------------------------------

    /** The fork, on a thread of the other scheduler, needs the only worker. */
    @Test
    void aJobThatJoinsAForkOfAnotherSchedulerLeavesItsWorkerToOthers() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        PinnedScheduler other = Schedulers.unpinned(1).build();
        try {
            JobHandle<Integer> outer = scheduler.submit(() -> other.<Integer>scope(scope -> {
                Thread parent = Thread.currentThread();
                CountDownLatch started = new CountDownLatch(1);
                Fork<Integer> fork = scope.fork(() -> {
                    started.countDown();
                    Schedulers.awaitParked(parent);
                    return scheduler.submit(() -> 42).join();
                });
                Stress.await(() -> started.getCount() == 0, other::dump);
                return fork.join();
            }));
            assertThat(Schedulers.result(scheduler, outer)).isEqualTo(42);
            Schedulers.end(scheduler);
            Schedulers.end(other);
        } finally {
            scheduler.shutdownNow();
            other.shutdownNow();
        }
    }

    /** Nor is it cancelled with the tree. */
    @Test
    void aJobInsideAJoinIsNoPartOfTheTreeOfAnotherSchedulerAroundTheJoin() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        PinnedScheduler other = Schedulers.unpinned(1).build();
        AtomicReference<Outcome<Integer>> inner = new AtomicReference<>();
        try {
            JobHandle<?> outer = scheduler.submit(() -> other.scope(scope -> {
                JobHandle<Integer> inside = scheduler.submit(
                        () -> other.<Integer>scope(own -> own.fork(() -> 7).join()));
                scope.cancel();
                inner.set(inside.outcome());
                return 1;
            }));
            assertThat(Schedulers.outcome(scheduler, outer)).isInstanceOf(Outcome.Failed.class);
            assertThat(inner.get()).isEqualTo(new Outcome.Done<>(7));
            Schedulers.end(scheduler);
            Schedulers.end(other);
        } finally {
            scheduler.shutdownNow();
            other.shutdownNow();
        }
    }

    // ---- afterwards ----------------------------------------------------------------------------------------------

    @Test
    void aTimeLimitHoldsForATreeThatOutlivesItsScheduler() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        CountDownLatch started = new CountDownLatch(1);
        Stress.Threads threads = new Stress.Threads();
        threads.start("guest", () -> assertThatThrownBy(() -> scheduler.scope(Duration.ofMillis(300), scope -> {
                    started.countDown();
                    while (started.getCount() == 0) {
                        scope.fork(() -> 1).join();
                    }
                    return 0;
                }))
                .isInstanceOf(CancellationException.class)
                .hasMessageContaining("time limit"));
        Schedulers.await(scheduler, started);
        Schedulers.end(scheduler);
        try {
            threads.join(scheduler::dump);
        } finally {
            scheduler.shutdownNow(); // ends it in any case
        }
    }

    @Test
    void aTreeWhoseForksWereJoinedOutOfOrderIsNotKept() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        AtomicReference<WeakReference<byte[]>> kept = new AtomicReference<>();
        JobHandle<Integer> tree = scheduler.submit(() -> scheduler.<Integer>scope(scope -> {
            byte[] load = new byte[1 << 20];
            kept.set(new WeakReference<>(load));
            Fork<Integer> first = scope.fork(() -> 1);
            Fork<Integer> second = scope.fork(() -> load.length);
            return first.join() + second.join();
        }));
        assertThat(Schedulers.result(scheduler, tree)).isEqualTo(1 + (1 << 20));
        Schedulers.result(scheduler, scheduler.submit(() -> {})); // the worker has left the tree's frames
        for (int i = 0; i < 100 && !kept.get().refersTo(null); i++) {
            System.gc();
        }
        assertThat(kept.get().refersTo(null)).isTrue();
        Schedulers.end(scheduler);
    }

    /** There is no job, and a counter that goes back would look like a restart to whoever reads it. */
    @Test
    void aScopeThatIsOutOfTimeIsNoCancelledJob() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        AtomicLong cancelled = new AtomicLong(-1);
        assertThatThrownBy(() -> scheduler.scope(Duration.ofMillis(1), scope -> {
                    Stress.awaitProgress(
                            () -> isCancelled(() -> scope.fork(() -> 1).join()) ? 1 : 0, 1, scheduler::dump);
                    cancelled.set(scheduler.stats().jobsCancelled());
                    return scope.fork(() -> 1).join();
                }))
                .hasMessageContaining("time limit");
        assertThat(cancelled).hasValue(0);
        Schedulers.end(scheduler);
    }

    private static boolean isCancelled(Runnable forks) {
        try {
            forks.run();
            return false;
        } catch (CancellationException cancelled) {
            return true;
        }
    }
}
