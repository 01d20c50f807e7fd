// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.Lane;
import io.corelane.SchedulerStats;
import io.corelane.Stress;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import io.corelane.affinity.ThreadAffinity;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kills worker threads with an entry that is no job: running it makes the scheduler's own path throw. */
class WorkerReplacementTest {
    private static final Object POISON = "not a job";

    private final ConcurrentLinkedQueue<Throwable> deaths = new ConcurrentLinkedQueue<>();

    private WorkerPool start(int workers, Pinning pinning, CpuSet cpus) {
        PoolConfig config = PoolConfig.unpinned("mortal", workers, (job, failure) -> deaths.add(failure));
        return WorkerPool.start(
                pinning == Pinning.OFF
                        ? config
                        : config.with(new PoolConfig.Placement(
                                List.of(cpus.first()), null, pinning, ThreadAffinity.get(), null, null)));
    }

    @Test
    void aNewThreadTakesOverIndexCpuAndDeque() throws Exception {
        int cpu = ThreadAffinity.get().last();
        WorkerPool pool = start(1, Pinning.REQUIRED, CpuSet.of(cpu));
        Thread before = pool.threads.of(0);
        AtomicInteger ran = new AtomicInteger();
        pool.intake()
                .execute(
                        () -> { // both are in the deque of the worker when it dies
                            pool.workers[0].deque.push(POISON);
                            pool.intake().execute(ran::incrementAndGet);
                        });
        CpuSet mask = pool.intake().submit(() -> ThreadAffinity.get()).join();
        Stress.await(() -> ran.get() == 1, () -> pool.stats().toString());
        assertThat(mask).isEqualTo(CpuSet.of(cpu));
        assertThat(pool.threads.of(0)).isNotSameAs(before).satisfies(t -> assertThat(t.getName())
                .isEqualTo(before.getName()));
        assertThat(deaths).hasSize(1).allMatch(death -> death instanceof ClassCastException);
        SchedulerStats stats = pool.stats();
        assertThat(stats.workers().get(0).threadsReplaced()).isEqualTo(1);
        pool.shutdown();
        assertThat(pool.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void noJobIsLostOrRunTwiceWhileWorkersDie(int workers) throws Exception {
        WorkerPool pool = start(workers, Pinning.OFF, null);
        int jobs = Stress.scaled(20_000);
        AtomicInteger[] runs = new AtomicInteger[jobs];
        AtomicInteger done = new AtomicInteger();
        int poisons = 0;
        for (int i = 0; i < jobs; i++) {
            AtomicInteger count = new AtomicInteger();
            runs[i] = count;
            pool.intake().execute(() -> {
                count.incrementAndGet();
                done.incrementAndGet();
            });
            if (i % 200 == 0) {
                pool.injector.offer(POISON, Thread.currentThread().getId());
                pool.eventCount.signal();
                poisons++;
            }
        }
        Stress.await(() -> done.get() == jobs, () -> pool.stats().toString());
        int killed = poisons;
        Stress.await(() -> deaths.size() == killed, () -> deaths.size() + " of " + killed + " died");
        for (AtomicInteger run : runs) {
            assertThat(run).hasValue(1);
        }
        pool.shutdown();
        assertThat(pool.awaitTermination(60, TimeUnit.SECONDS))
                .as("%s", pool.stats())
                .isTrue();
        assertThat(pool.eventCount.searching()).isZero();
    }

    /** A lane's job puts the poison into the deque of its own worker, whose thread dies with jobs in the lane. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aLaneGoesOnInOrderWhenItsThreadDies(int workers) throws Exception {
        WorkerPool pool = start(workers, Pinning.OFF, null);
        int jobs = Stress.scaled(5_000);
        ConcurrentLinkedQueue<Integer> order = new ConcurrentLinkedQueue<>();
        Lane lane = pool.lanes().lane(workers - 1);
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < jobs; i++) {
            int number = i;
            lane.execute(() -> {
                order.add(number);
                threads.add(Thread.currentThread());
                assertThat(pool.threads.of(lane.index())).isSameAs(Thread.currentThread());
                if (number % 100 == 0) {
                    pool.workers[lane.index()].deque.push(POISON);
                }
            });
        }
        lane.submit(() -> {}).join();
        Stress.awaitProgress(deaths::size, jobs / 100, () -> pool.stats().toString());
        assertThat(new ArrayList<>(order)).hasSize(jobs).isSorted();
        assertThat(threads.size()).isGreaterThan(1);
        assertThat(deaths).allMatch(death -> death instanceof ClassCastException);
        pool.shutdown();
        assertThat(pool.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aWorkerThatDiesDuringShutdownDoesNotHoldUpTermination() throws Exception {
        for (int round = 0; round < Stress.scaled(50); round++) {
            WorkerPool pool = start(2, Pinning.OFF, null);
            AtomicInteger ran = new AtomicInteger();
            for (int i = 0; i < 100; i++) {
                pool.intake().execute(ran::incrementAndGet);
                pool.injector.offer(POISON, i);
            }
            pool.shutdown();
            assertThat(pool.awaitTermination(60, TimeUnit.SECONDS))
                    .as("%s", pool.stats())
                    .isTrue();
            assertThat(ran).hasValue(100);
        }
    }

    @Test
    void kernelNamesKeepIndexAndCpuWithinFifteenBytes() {
        assertThat(WorkerNames.kernelName("io", 3, 7)).isEqualTo("io-3@7");
        assertThat(WorkerNames.kernelName("corelane", 123, 8191)).isEqualTo("corela-123@8191");
        assertThat(WorkerNames.kernelName("corelane", 12, -1)).isEqualTo("corelane-12");
        assertThat(WorkerNames.kernelName("größe-größe", 1, 2)).isEqualTo("größe-gr-1@2");
    }

    /** The thread is the test's: no job can kill a worker's while it searches, only a lack of memory can. */
    @Test
    void aDeadThreadLeavesNeitherTokenNorMarkNorAnnouncementBehind() throws Exception {
        WorkerPool pool = WorkerPool.start(PoolConfig.unpinned("orphan", 1, null));
        pool.shutdown();
        assertThat(pool.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(pool.eventCount.searching()).isZero();
        Worker worker = pool.workers[0];
        Field searching = Worker.class.getDeclaredField("searching");
        searching.setAccessible(true);

        assertThat(pool.eventCount.beginSearch(1)).isTrue();
        searching.setBoolean(worker, true);
        worker.transferVolatile(true);
        worker.orphaned();
        assertThat(pool.eventCount.searching()).isZero();
        assertThat(worker.inTransfer()).isFalse();

        pool.eventCount.announce(0, false);
        worker.orphaned();
        assertThat(pool.eventCount.isParked(0)).isFalse();

        pool.eventCount.announce(0, false);
        assertThat(pool.eventCount.signal()).as("wakes the dead, with a token").isTrue();
        worker.orphaned();
        assertThat(pool.eventCount.searching()).isZero();
    }
}
