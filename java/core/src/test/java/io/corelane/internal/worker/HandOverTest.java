// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.JobHandle;
import io.corelane.Latches;
import io.corelane.PinnedScheduler;
import io.corelane.ScheduledJob;
import io.corelane.Stress;
import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Workers that change hands while others join, return, or go too deep, in the states in which a worker or a job could get
 * lost: each was found by the chaos run or by reading.
 */
@Timeout(300)
class HandOverTest {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final int DEEP = 300; // more than one stack takes

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aJoinOfAJobThatWaitsForTheClockLetsTheClocksJobRun(int workers) throws Exception {
        PinnedScheduler scheduler = start(workers);
        ScheduledJob<String> clock = scheduler.schedule(() -> "rang", 50, TimeUnit.MILLISECONDS);
        CountDownLatch waiting = new CountDownLatch(workers);
        List<JobHandle<String>> sleepers =
                List.of(submitJoin(scheduler, clock, waiting), submitJoin(scheduler, clock, waiting));
        waiting.await();
        List<JobHandle<String>> waiters =
                List.of(scheduler.submit(() -> sleepers.get(0).join()), scheduler.submit(() -> sleepers.get(1)
                        .join()));
        for (JobHandle<String> waiter : waiters) {
            assertThat(waiter.join(DEADLINE)).isEqualTo("rang");
        }
        scheduler.close();
    }

    private static JobHandle<String> submitJoin(
            PinnedScheduler scheduler, JobHandle<String> job, CountDownLatch started) {
        return scheduler.submit(() -> {
            started.countDown();
            return job.join();
        });
    }

    @Test
    void aJoinOfAJobThatInvokesOthersLetsThemRunOnTheOnlyWorker() throws Exception {
        PinnedScheduler scheduler = start(1);
        JobHandle<String> outer = scheduler
                .submit(() -> {
                    AtomicReference<JobHandle<String>> invoker = new AtomicReference<>();
                    invoker.set(scheduler.submit(() -> scheduler.invokeAny(List.of(() -> "a", () -> "a"))));
                    return scheduler.submit(() -> invoker.get().join());
                })
                .join(DEADLINE);
        assertThat(outer.join(DEADLINE)).isEqualTo("a");
        scheduler.close();
    }

    @Test
    void aJobThatComesBackDoesNotTakeThePlaceOfOneThatWentTooDeep() throws Exception {
        PinnedScheduler scheduler = start(1);
        AtomicReference<Thread> away = new AtomicReference<>();
        CountDownLatch left = new CountDownLatch(1);
        CountDownLatch mayReturn = new CountDownLatch(1);
        JobHandle<?> returning = scheduler.submit(() -> scheduler.blocking(() -> {
            away.set(Thread.currentThread());
            left.countDown();
            mayReturn.await();
            return true;
        }));
        left.await();
        JobHandle<Integer> deep = scheduler.submit(() -> {
            mayReturn.countDown();
            Stress.await(() -> isIn(away.get(), "awaitWorker"), scheduler::dump);
            return descend(scheduler, DEEP, level -> {});
        });
        assertThat(deep.join(DEADLINE)).isEqualTo(DEEP);
        assertThat(returning.join(DEADLINE)).isEqualTo(true);
        scheduler.close();
    }

    @Test
    void aJobOnAFreshStackDoesNotRunStrangersWhileItWaits() throws Exception {
        PinnedScheduler scheduler = start(1);
        CountDownLatch strangerRan = new CountDownLatch(1);
        CountDownLatch left = new CountDownLatch(1);
        JobHandle<Boolean> blocked = scheduler.submit(() -> scheduler.blocking(() -> {
            left.countDown();
            return strangerRan.await(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        }));
        left.await();
        AtomicReference<Thread> waiter = new AtomicReference<>();
        AtomicReference<Thread> strangers = new AtomicReference<>();
        JobHandle<Boolean> deep = scheduler.submit(() -> descendTo(scheduler, Joining.MAX_DEPTH, () -> {
            JobHandle<?> unused = scheduler.submit(() -> {
                strangers.set(Thread.currentThread());
                strangerRan.countDown();
            });
            JobHandle<Boolean> first = scheduler.submit(() -> {
                waiter.set(Thread.currentThread());
                return blocked.join();
            });
            return first.join();
        }));
        assertThat(deep.join(DEADLINE)).isTrue();
        assertThat(strangers.get()).isNotNull().isNotSameAs(waiter.get());
        scheduler.close();
    }

    /** When the nested joins reach the bound, the awaited job goes to a fresh stack, also if some thread wants a worker. */
    @Test
    void aJobForAFreshStackIsNotLeftToAThreadThatComesBack() throws Exception {
        PinnedScheduler scheduler = start(1);
        Spares spares = Insider.of(scheduler).pool.spares;
        CountDownLatch blocked = new CountDownLatch(1);
        JobHandle<?> away = scheduler.submit(() -> {
            scheduler.blocking(() -> {
                Latches.uninterruptibly(blocked);
                return 0;
            });
            return 0;
        });
        JobHandle<Integer> chain = scheduler.submit(() -> descend(scheduler, 2 * Joining.MAX_DEPTH, left -> {
            if (left == Joining.MAX_DEPTH + 1) {
                blocked.countDown();
                Stress.await(spares::isAnyReturning, scheduler::dump);
            }
        }));
        assertThat(chain.join(DEADLINE)).isEqualTo(2 * Joining.MAX_DEPTH);
        assertThat(away.join(DEADLINE)).isEqualTo(0);
        scheduler.shutdown();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shutdownNowInTheMiddleOfDeepJoinsLeavesNobodyWaiting() throws Exception {
        for (int round = 0; round < Stress.scaled(100); round++) {
            PinnedScheduler scheduler = start(1);
            CountDownLatch deep = new CountDownLatch(1);
            scheduler.execute(() -> descend(scheduler, 2 * Joining.MAX_DEPTH, left -> {
                if (left == Joining.MAX_DEPTH + 1) {
                    deep.countDown();
                }
            }));
            assertThat(deep.await(60, TimeUnit.SECONDS)).isTrue();
            long until = System.nanoTime() + round * 1000L;
            while (System.nanoTime() - until < 0) {
                Thread.onSpinWait();
            }
            scheduler.shutdownNow();
            assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS))
                    .as(scheduler::dump)
                    .isTrue();
        }
    }

    @Test
    void aJobThatComesWithAWorkerRunsThoughThePoolIsStoppedBeforeItsNewThreadWakes() throws Exception {
        for (int round = 0; round < Stress.scaled(50); round++) {
            WorkerPool pool = WorkerPool.start(PoolConfig.unpinned("stopped", 1, null));
            pool.intake().submit(() -> pool.blocking(() -> true)).join(DEADLINE); // leaves an idle thread behind
            SubmittedJob<String> handed = new SubmittedJob<>(pool, () -> "ran");
            pool.intake().execute(() -> {
                WorkerThread thread = (WorkerThread) Thread.currentThread();
                Worker worker = Objects.requireNonNull(thread.worker);
                assertThat(handed.claimFor(thread.joining)).isTrue();
                worker.first = new FreshStack(handed, thread);
                assertThat(thread.leave(worker)).isTrue();
                pool.shutdownNow();
                thread.comeBack(worker);
            });
            assertThat(handed.join(DEADLINE)).isEqualTo("ran");
            assertThat(pool.awaitTermination(DEADLINE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    /** The test holds the search token, as a worker would that is about to find a job. */
    @Test
    void aSearcherThatFindsAJobLeavesTheThreadThatWantsAWorkerToAnother() throws Exception {
        WorkerPool pool = WorkerPool.start(PoolConfig.unpinned("token", 2, null));
        AtomicReference<Thread> away = new AtomicReference<>();
        CountDownLatch mayReturn = new CountDownLatch(1);
        JobHandle<?> blocked = pool.intake()
                .submit(() -> pool.blocking(() -> {
                    away.set(Thread.currentThread());
                    return mayReturn.await(DEADLINE.toSeconds(), TimeUnit.SECONDS);
                }));
        Stress.await(() -> away.get() != null && pool.eventCount.allParkedSince(pool.eventCount.stamp()), pool::dump);
        assertThat(pool.eventCount.beginSearch(1)).isTrue();
        mayReturn.countDown();
        Stress.await(
                () -> isIn(away.get(), "awaitWorker") && away.get().getState() == Thread.State.WAITING, pool::dump);
        assertThat(blocked.isDone()).isFalse();
        if (pool.eventCount.endSearch() && pool.isWorkVisible()) {
            pool.eventCount.signal();
        }
        assertThat(blocked.join(DEADLINE)).isEqualTo(true);
        pool.shutdown();
    }

    private static PinnedScheduler start(int workers) {
        return PinnedScheduler.builder()
                .name("handover")
                .workers(workers)
                .pinning(Pinning.OFF)
                .daemon(true)
                .failureHandler((job, failure) -> {}) // not on the console
                .build();
    }

    private static int descend(PinnedScheduler scheduler, int levels, IntConsumer told) {
        told.accept(levels);
        return levels == 0
                ? 0
                : 1
                        + scheduler
                                .submit(() -> descend(scheduler, levels - 1, told))
                                .join();
    }

    private static <T> T descendTo(PinnedScheduler scheduler, int levels, Callable<T> end) throws Exception {
        return levels == 0
                ? end.call()
                : scheduler.submit(() -> descendTo(scheduler, levels - 1, end)).join();
    }

    private static boolean isIn(Thread thread, String method) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals(method));
    }
}
