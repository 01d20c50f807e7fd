// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.JobHandle;
import io.corelane.SchedulerStats;
import io.corelane.Stress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Worker threads die again and again, in the middle of everything that a pool does. */
@Timeout(120)
class WorkerDeathTest {
    private static final Object POISON = "not a job";
    private static final int SUBMITTERS = 3;

    private final Queue<Throwable> deaths = new ConcurrentLinkedQueue<>();
    private final AtomicInteger poisons = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger expected = new AtomicInteger();
    private final Queue<AtomicInteger> runs = new ConcurrentLinkedQueue<>();
    private final Queue<JobHandle<?>> handles = new ConcurrentLinkedQueue<>();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void everyJobRunsOnceAndEveryLaneInOrderWhileWorkersDie(int workers) throws Exception {
        WorkerPool pool =
                WorkerPool.start(PoolConfig.unpinned("mortal", workers, (job, failure) -> deaths.add(failure)));
        List<List<Integer>> lanes = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            lanes.add(new ArrayList<>()); // without a lock, as lanes promise
            pool.lanes().lane(i);
        }
        int rounds = Stress.scaled(1_500);
        Stress.Threads threads = new Stress.Threads();
        for (int s = 0; s < SUBMITTERS; s++) {
            threads.start("submitter " + s, () -> {
                for (int i = 0; i < rounds; i++) {
                    submitOneOfEach(pool, i);
                }
            });
        }
        threads.start("lanes", () -> {
            for (int i = 0; i < rounds; i++) {
                for (int w = 0; w < workers; w++) {
                    sendToLane(pool, w, lanes.get(w), i);
                }
            }
        });
        threads.join(pool::dump);
        Stress.awaitProgress(ended::get, expected.get(), pool::dump);
        for (JobHandle<?> handle : handles) {
            assertThat(handle.outcome(Duration.ofSeconds(60))).isNotNull();
        }
        Stress.await(() -> deaths.size() == poisons.get(), () -> deaths.size() + " of " + poisons + " deaths");
        pool.shutdown();
        assertThat(pool.awaitTermination(60, TimeUnit.SECONDS))
                .as("%s", pool.dump())
                .isTrue();

        assertThat(runs).allMatch(count -> count.get() == 1);
        for (List<Integer> lane : lanes) {
            assertThat(lane).hasSize(rounds).isSorted();
        }
        assertThat(deaths).allMatch(death -> death instanceof ClassCastException);
        assertThat(pool.eventCount.searching()).isZero();
        SchedulerStats stats = pool.stats();
        assertThat(stats.threadsAway()).isZero();
        assertThat(stats.workers().stream().mapToLong(w -> w.threadsReplaced()).sum())
                .isBetween(1L, (long) poisons.get());
        Stress.await( // a thread that has said that it ends is about to
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("mortal")),
                pool::dump);
    }

    private Runnable counted(Runnable body) {
        AtomicInteger count = new AtomicInteger();
        runs.add(count);
        expected.incrementAndGet();
        return () -> {
            count.incrementAndGet();
            body.run();
            ended.incrementAndGet();
        };
    }

    private void submitOneOfEach(WorkerPool pool, int round) {
        pool.intake().execute(counted(() -> {}));
        pool.intake()
                .execute(counted(
                        () -> { // forks, and dies after it
                            for (int i = 0; i < 3; i++) {
                                pool.intake().execute(counted(() -> {}));
                            }
                            if (round % 16 == 0) {
                                Worker worker = Objects.requireNonNull(pool.currentWorker());
                                poisons.incrementAndGet();
                                worker.deque.push(POISON);
                                pool.intake().execute(counted(() -> {}));
                            }
                        }));
        if (round % 4 == 0) {
            handles.add(pool.intake().submit(counted(() -> blockBriefly(pool))));
        }
        if (round % 8 == 0) {
            handles.add(pool.intake().submit(counted(() -> {
                JobHandle<?> inner = pool.intake().submit(counted(() -> {}));
                inner.join();
            })));
            handles.add(pool.schedule(counted(() -> {}), 1_000, null));
        }
        if (round % 64 == 0) {
            poisons.incrementAndGet();
            pool.injector.offer(POISON, round);
            pool.eventCount.signal();
        }
    }

    private void sendToLane(WorkerPool pool, int lane, List<Integer> order, int round) {
        boolean blocks = round % 16 == 5;
        pool.lanes().lane(lane).execute(counted(() -> {
            if (blocks) {
                blockBriefly(pool);
            }
            order.add(round);
        }));
        if (round % 32 == 0) {
            poisons.incrementAndGet();
            Worker worker = pool.workers[lane];
            assertThat(Objects.requireNonNull(worker.mailbox).offer(POISON)).isTrue();
            pool.wakeFor(worker);
        }
    }

    private static void blockBriefly(WorkerPool pool) {
        try {
            boolean ignored = pool.blocking(() -> {
                LockSupport.parkNanos(1_000);
                return true;
            });
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
