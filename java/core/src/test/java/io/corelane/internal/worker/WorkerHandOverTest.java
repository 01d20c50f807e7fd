// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.JobHandle;
import io.corelane.Stress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
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
    void aJobThatComesWithAWorkerRunsThoughThePoolIsStoppedBeforeItsNewThreadWakes() throws Exception {
        for (int round = 0; round < Stress.scaled(50); round++) {
            WorkerPool pool = WorkerPool.start(PoolConfig.unpinned("stopped", 1, null));
            pool.intake().submit(() -> pool.blocking(() -> true)).join(DEADLINE); // leaves an idle thread behind
            SubmittedJob<String> handed = new SubmittedJob<>(pool, () -> "ran");
            pool.intake().execute(() -> {
                WorkerThread thread = (WorkerThread) Thread.currentThread();
                Worker worker = Objects.requireNonNull(thread.worker);
                assertThat(handed.claimFor(thread.joining)).isTrue();
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

    private static boolean isIn(Thread thread, String method) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals(method));
    }
}
