// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.injector;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.Stress;
import io.corelane.internal.deque.WorkDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InjectorTest {
    private static final int SPARES = 16;

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
    void aShardIsFilledAsLongAsTheNextJobIsThereAlsoAcrossChunks() {
        InjectorShard shard = new InjectorShard();
        WorkDeque deque = WorkDeque.create(false);
        assertThat(shard.isFilled()).isFalse();
        for (int i = 0; i < 2 * InjectorShard.CHUNK + 1; i++) {
            assertThat(shard.offer("first")).isTrue();
            assertThat(shard.offer("second")).isTrue();
            assertThat(shard.isFilled()).isTrue();
            assertThat(shard.take(deque, 1)).isEqualTo("first");
            assertThat(shard.isFilled()).isTrue();
            assertThat(shard.take(deque, 1)).isEqualTo("second");
            assertThat(shard.isFilled()).isFalse();
            assertThat(shard.isEmpty()).isTrue();
        }
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
        for (int round = 0; round < 3 * SPARES; round++) {
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
    @ValueSource(ints = {1, 5, 1023, 1024, 1025, 2048, 5000})
    void aBatchIsQueuedInOrderWhereverItBegins(int size) {
        for (int before : new int[] {0, 1, 1000, 1023}) {
            InjectorShard shard = new InjectorShard();
            for (int i = 0; i < before; i++) {
                shard.offer(i);
            }
            Object[] batch = IntStream.range(before, before + size).boxed().toArray();
            assertThat(shard.offerAll(batch)).isTrue();
            assertThat(shard.offer(before + size)).isTrue();
            assertThat(drained(shard))
                    .as("batch of %d after %d jobs", size, before)
                    .isEqualTo(IntStream.rangeClosed(0, before + size).boxed().toList());
            assertThat(shard.offered()).isEqualTo(before + size + 1);
        }
    }

    private static List<Object> drained(InjectorShard shard) {
        WorkDeque deque = WorkDeque.create(false);
        List<Object> jobs = new ArrayList<>();
        while (!shard.isEmpty()) {
            shard.moveTo(deque, 100);
            deque.drain(jobs::add);
        }
        return jobs;
    }

    @Test
    void batchesUseEmptiedChunksAgain() {
        InjectorShard shard = new InjectorShard();
        Object[] batch = IntStream.range(0, 3 * InjectorShard.CHUNK).boxed().toArray();
        for (int round = 0; round < 2 * SPARES; round++) {
            assertThat(shard.offerAll(batch)).isTrue();
            assertThat(drained(shard)).containsExactly(batch);
        }
    }

    @Test
    void aBoundedShardHoldsExactlyItsCapacity() {
        InjectorShard shard = new InjectorShard(5, 3, SPARES);
        assertThat(List.of(shard.offer("a"), shard.offer("b"), shard.offer("c"), shard.offer("d")))
                .containsExactly(true, true, true, false);
        assertThat(shard.take(own, 1)).isEqualTo("a");
        assertThat(List.of(shard.offer("e"), shard.offer("f"))).containsExactly(true, false);
        assertThat(drained(shard)).containsExactly("b", "c", "e");
    }

    @Test
    void aBatchThatDoesNotFitIsNotQueuedAtAll() {
        InjectorShard shard = new InjectorShard(0, 3, SPARES);
        shard.offer("a");
        assertThat(shard.offerAll(new Object[] {"b", "c", "d"})).isFalse();
        assertThat(shard.offerAll(new Object[] {"b", "c"})).isTrue();
        assertThat(shard.offer("d")).isFalse();
        assertThat(drained(shard)).containsExactly("a", "b", "c");
    }

    /** Producers that only add when they are let, consumers that count: more than the capacity must never be in it. */
    @ParameterizedTest
    @CsvSource({"1, 1", "3, 2"})
    void aBoundedInjectorNeverHoldsMoreThanItsCapacity(int producers, int consumers) throws Exception {
        int capacity = 5;
        int jobs = Stress.scaled(20_000);
        Injector injector = Injector.bounded(capacity);
        AtomicInteger waiting = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger left = new AtomicInteger(jobs * producers);
        AtomicInteger refused = new AtomicInteger();
        Stress.Threads threads = new Stress.Threads();
        for (int p = 0; p < producers; p++) {
            threads.start("producer-" + p, () -> {
                for (int i = 0; i < jobs; i++) {
                    while (!injector.offer("job", Thread.currentThread().getId())) {
                        refused.incrementAndGet();
                        Thread.yield();
                    }
                    most.accumulateAndGet(waiting.incrementAndGet(), Math::max); // counted late: at most what is there
                }
            });
        }
        for (int c = 0; c < consumers; c++) {
            threads.start("consumer-" + c, () -> {
                WorkDeque deque = WorkDeque.create(false);
                while (left.get() > 0) {
                    if (waiting.get() > 0 && injector.take(deque, 0, 64) != null) {
                        waiting.decrementAndGet(); // counted late, too: at most `consumers` more than there are
                        left.decrementAndGet();
                        assertThat(deque.isEmpty()).as("one by one").isTrue();
                    } else {
                        Thread.yield();
                    }
                }
            });
        }
        threads.join(() -> left + " left, " + injector.size() + " queued");
        assertThat(most.get()).isLessThanOrEqualTo(capacity + consumers);
        assertThat(refused.get()).as("refused").isPositive();
    }

    @Test
    void batchesAreAcceptedWholeOrNotAtAllWhenProducersRaceWithClose() throws Exception {
        for (int round = 0; round < Stress.scaled(200); round++) {
            Injector injector = new Injector(1);
            AtomicInteger accepted = new AtomicInteger();
            Stress.Threads threads = new Stress.Threads();
            for (int p = 0; p < 2; p++) {
                int size = 400 + 700 * p;
                threads.start("producer-" + p, () -> {
                    while (injector.offerAll(batch(size), Thread.currentThread().getId())) {
                        accepted.incrementAndGet();
                    }
                });
            }
            int head = round % 5;
            Stress.await(() -> accepted.get() >= head, () -> "accepted " + accepted);
            injector.close();
            List<Object> drained = new ArrayList<>();
            injector.drain(drained::add);
            threads.join(() -> "round");
            assertThat(drained.stream().filter("last"::equals)).hasSize(accepted.get());
            assertThat(injector.offered()).isEqualTo(drained.size());
        }
    }

    private static Object[] batch(int size) {
        Object[] jobs = new Object[size];
        Arrays.fill(jobs, "job");
        jobs[size - 1] = "last";
        return jobs;
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
        Arrays.fill(last, -1);
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
