// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.injector;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.Stress;
import io.corelane.internal.deque.WorkDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InjectorTest {
    private final WorkDeque own = WorkDeque.create(false);

    @Test
    void aShardIsFifoAcrossManyChunks() {
        InjectorShard shard = new InjectorShard();
        int jobs = 10 * InjectorShard.CHUNK + 7;
        for (int i = 0; i < jobs; i++) {
            assertThat(shard.offer(i)).isTrue();
        }
        assertThat(shard.size()).isEqualTo(jobs);
        assertThat(shard.offered()).isEqualTo(jobs);
        int next = 0;
        while (!shard.isEmpty()) {
            for (Object job = shard.take(own, 100); job != null; job = own.pop()) {
                assertThat(job).isEqualTo(next++);
            }
        }
        assertThat(next).isEqualTo(jobs);
        assertThat(shard.take(own, 100)).isNull();
    }

    @Test
    void takeReturnsTheOldestAndMovesTheRestOfTheBatch() {
        InjectorShard shard = new InjectorShard();
        for (int i = 0; i < 10; i++) {
            shard.offer(i);
        }
        assertThat(shard.take(own, 4)).isEqualTo(0);
        assertThat(own.size()).isEqualTo(3);
        assertThat(shard.moveTo(own, 2)).isEqualTo(2);
        assertThat(own.size()).isEqualTo(5);
        assertThat(shard.size()).isEqualTo(4);
        assertThat(own.pop()).isEqualTo(1);
    }

    @Test
    void aClosedShardRejectsAndStillGivesWhatItHas() {
        InjectorShard shard = new InjectorShard();
        shard.offer("accepted");
        shard.close();
        shard.close();
        assertThat(shard.offer("late")).isFalse();
        assertThat(shard.isEmpty()).isFalse();
        assertThat(shard.take(own, 64)).isEqualTo("accepted");
        assertThat(shard.isEmpty()).isTrue();
        assertThat(shard.offered()).isEqualTo(1);
    }

    @Test
    void emptiedChunksAreUsedAgain() {
        InjectorShard shard = new InjectorShard();
        for (int round = 0; round < 3 * InjectorShard.SPARES; round++) {
            for (int i = 0; i < InjectorShard.CHUNK; i++) {
                shard.offer(i);
            }
            while (shard.moveTo(own, 64) > 0) {
                own.drain(job -> {});
            }
        }
        assertThat(shard.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1", "2, 1, 1", "2, 4, 2", "8, 16, 3"})
    void everyJobOfRacingProducersIsTakenOnceAndInTheirOrder(int workers, int producers, int consumers)
            throws Exception {
        Injector injector = new Injector(workers);
        int perProducer = Stress.scaled(400_000) / producers;
        AtomicLong left = new AtomicLong((long) perProducer * producers);
        AtomicInteger[][] taken = new AtomicInteger[producers][];
        Stress.Threads threads = new Stress.Threads();
        for (int p = 0; p < producers; p++) {
            taken[p] = counters(perProducer);
            int producer = p;
            threads.start("producer-" + p, () -> produce(injector, producer, perProducer));
        }
        for (int c = 0; c < consumers; c++) {
            int home = c;
            threads.start("consumer-" + c, () -> consume(injector, home, consumers == 1, producers, taken, left));
        }
        threads.join(() -> left + " left, " + injector.size() + " queued");
        for (AtomicInteger[] jobs : taken) {
            for (AtomicInteger job : jobs) {
                assertThat(job.get()).isEqualTo(1);
            }
        }
    }

    private static AtomicInteger[] counters(int count) {
        AtomicInteger[] counters = new AtomicInteger[count];
        for (int i = 0; i < count; i++) {
            counters[i] = new AtomicInteger();
        }
        return counters;
    }

    private static void produce(Injector injector, int producer, int jobs) {
        for (int i = 0; i < jobs; i++) {
            assertThat(injector.offer(
                            new int[] {producer, i}, Thread.currentThread().getId()))
                    .isTrue();
        }
    }

    private static void consume(
            Injector injector, int home, boolean alone, int producers, AtomicInteger[][] taken, AtomicLong left) {
        WorkDeque deque = WorkDeque.create(false);
        int[] last = new int[producers];
        java.util.Arrays.fill(last, -1);
        while (left.get() > 0) {
            for (Object job = injector.take(deque, home, 64); job != null; job = deque.pop()) {
                int[] id = (int[]) job;
                taken[id[0]][id[1]].incrementAndGet();
                if (alone) {
                    assertThat(id[1]).as("order of producer %d", id[0]).isGreaterThan(last[id[0]]);
                    last[id[0]] = id[1];
                }
                left.decrementAndGet();
            }
        }
    }

    @Test
    void acceptedAndRejectedJobsAddUpWhenProducersRaceWithClose() throws Exception {
        for (int round = 0; round < Stress.scaled(100); round++) {
            Injector injector = new Injector(2);
            AtomicInteger accepted = new AtomicInteger();
            Stress.Threads threads = new Stress.Threads();
            for (int p = 0; p < 3; p++) {
                threads.start("producer-" + p, () -> {
                    while (injector.offer("job", Thread.currentThread().getId())) {
                        accepted.incrementAndGet();
                    }
                });
            }
            int head = round % 5 * 300;
            Stress.await(() -> accepted.get() >= head, () -> "accepted " + accepted);
            injector.close();
            List<Object> drained = new ArrayList<>();
            injector.drain(drained::add);
            threads.join(() -> "round");
            assertThat(injector.isEmpty()).isTrue();
            assertThat(drained).hasSize(accepted.get());
            assertThat(injector.offered()).isEqualTo(accepted.get());
        }
    }
}
