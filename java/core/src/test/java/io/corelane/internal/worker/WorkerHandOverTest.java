// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.JobHandle;
import io.corelane.ScheduledJob;
import io.corelane.Stress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Brings a pool into the states in which a worker or a job could get lost when a worker changes hands. */
@Timeout(300)
class WorkerHandOverTest {
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    @Test
    void aWaiterWhoseJobsInsideHaveMovedItLeavesTheWorkerThatItServesNow() throws Exception {
        WorkerPool pool = WorkerPool.start(withSpareThreads(PoolConfig.unpinned("moved", 2, null), 1));
        AtomicReference<Thread> away = new AtomicReference<>();
        CountDownLatch left = new CountDownLatch(1);
        CountDownLatch mayReturn = new CountDownLatch(1);
        JobHandle<?> blocked = pool.intake()
                .submit(() -> pool.blocking(() -> {
                    away.set(Thread.currentThread());
                    left.countDown();
                    mayReturn.await();
                    return true;
                }));
        left.await(); // nobody else may leave now
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        pool.intake().execute(() -> hold(busy, mayEnd));
        busy.await(); // so that nobody steals what the waiter helps with

        ScheduledJob<?> clock = pool.schedule(() -> {}, TimeUnit.HOURS.toNanos(1), null);
        CompletableFuture<int[]> moved = new CompletableFuture<>();
        CountDownLatch holds = new CountDownLatch(1);
        CountDownLatch mayLetGo = new CountDownLatch(1);
        Runnable helpedWith = () -> {
            int before = served();
            mayReturn.countDown();
            Stress.await(() -> isIn(away.get(), "awaitWorker"), pool::dump);
            mayEnd.countDown();
            Stress.await(() -> blocked.isDone() && pool.spares.away() == 0, pool::dump);
            try {
                boolean ignored = pool.blocking(() -> {
                    pool.lanes().lane(before).execute(() -> hold(holds, mayLetGo));
                    holds.await();
                    return true;
                });
            } catch (Exception failure) {
                moved.completeExceptionally(failure);
            }
            moved.complete(new int[] {before, served()});
        };
        JobHandle<?> waiter = pool.intake().submit(() -> {
            pool.intake().execute(helpedWith);
            return clock.outcome();
        });
        int[] workers = moved.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        assertThat(workers[1]).isNotEqualTo(workers[0]);
        Stress.await(() -> pool.spares.away() == 1, pool::dump);
        assertThat(pool.lanes().lane(workers[1]).submit(() -> "served").join(DEADLINE))
                .isEqualTo("served");

        mayLetGo.countDown();
        assertThat(clock.cancel(false)).isTrue();
        waiter.join(DEADLINE);
        pool.shutdown();
        assertThat(pool.awaitTermination(DEADLINE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
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
                assertThat(handed.claimSuspended()).isTrue();
                worker.first = handed;
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

    private static void hold(CountDownLatch started, CountDownLatch mayEnd) {
        started.countDown();
        try {
            mayEnd.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int served() {
        return Objects.requireNonNull(((WorkerThread) Thread.currentThread()).worker).index;
    }

    private static boolean isIn(Thread thread, String method) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals(method));
    }

    private static PoolConfig withSpareThreads(PoolConfig config, int spareThreads) {
        return new PoolConfig(
                config.name(),
                config.workers(),
                config.placement(),
                config.intake(),
                config.lifo(),
                config.idling(),
                config.joinHelp(),
                spareThreads,
                config.context(),
                config.daemon(),
                config.failureHandler());
    }
}
