// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.deque;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WorkDequeTest {
    /** Both orders, from index 0 and from just below the wrap of the indices. */
    static Stream<Named<WorkDeque>> deques() {
        return Stream.of(
                named("FIFO", WorkDequeTest::fifo, 0),
                named("FIFO near the wrap", WorkDequeTest::fifo, Long.MAX_VALUE - 300),
                named("LIFO", WorkDequeTest::lifo, 0),
                named("LIFO near the wrap", WorkDequeTest::lifo, Long.MAX_VALUE - 300));
    }

    private static Named<WorkDeque> named(String name, LongFunction<WorkDeque> maker, long first) {
        return Named.of(name, maker.apply(first));
    }

    private static WorkDeque fifo(long first) {
        return new FifoWorkDeque(first, WorkDeque.MIN_CAPACITY);
    }

    private static WorkDeque lifo(long first) {
        return new LifoWorkDeque(first, WorkDeque.MIN_CAPACITY);
    }

    private static boolean lifo(WorkDeque deque) {
        return deque instanceof LifoWorkDeque;
    }

    @ParameterizedTest
    @MethodSource("deques")
    void popsInItsOrderAcrossGrowth(WorkDeque deque) {
        int jobs = 5 * WorkDeque.MIN_CAPACITY + 3;
        List<Object> expected = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            deque.push(i);
            expected.add(lifo(deque) ? jobs - 1 - i : i);
        }
        assertThat(deque.size()).isEqualTo(jobs);
        assertThat(popAll(deque)).isEqualTo(expected);
        assertThat(deque.isEmpty()).isTrue();
        assertThat(deque.pop()).isNull();
    }

    @ParameterizedTest
    @MethodSource("deques")
    void thievesTakeTheOldest(WorkDeque deque) {
        for (int i = 0; i < 4; i++) {
            deque.push(i);
        }
        assertThat(deque.steal()).isEqualTo(0);
        assertThat(deque.steal()).isEqualTo(1);
        assertThat(deque.pop()).isEqualTo(lifo(deque) ? 3 : 2);
        assertThat(deque.steal()).isEqualTo(lifo(deque) ? 2 : 3);
        assertThat(deque.steal()).isNull();
        assertThat(deque.pop()).isNull();
    }

    @ParameterizedTest
    @MethodSource("deques")
    void aBatchStealTakesHalfRoundedUpAndAtMostMax(WorkDeque deque) {
        WorkDeque thief = fifo(0);
        for (int i = 0; i < 7; i++) {
            deque.push(i);
        }
        assertThat(deque.stealBatch(thief, 32)).isEqualTo(0);
        assertThat(popAll(thief)).containsExactly(1, 2, 3);
        assertThat(deque.stealBatch(thief, 1)).isEqualTo(4);
        assertThat(thief.isEmpty()).isTrue();
        assertThat(deque.size()).isEqualTo(2);
        assertThat(deque.stealBatch(thief, 32)).isEqualTo(5);
        assertThat(deque.stealBatch(thief, 32)).isEqualTo(6);
        assertThat(deque.stealBatch(thief, 32)).isNull();
    }

    @ParameterizedTest
    @MethodSource("deques")
    void pushAllClearsItsSourceAndKeepsArrayOrderForPops(WorkDeque deque) {
        Object[] source = {null, 1, 2, 3, null};
        deque.reserve(3);
        deque.pushAll(source, 1, 3);
        assertThat(source).containsOnlyNulls();
        assertThat(popAll(deque)).containsExactly(1, 2, 3);
    }

    @ParameterizedTest
    @MethodSource("deques")
    void theRingShrinksAgainAfterABurst(WorkDeque deque) {
        for (int i = 0; i < 100_000; i++) {
            deque.push(i);
        }
        int large = deque.capacity();
        assertThat(large).isGreaterThanOrEqualTo(100_000);
        for (int i = 0; i < 99_990; i++) {
            deque.pop();
        }
        for (int i = 0; i < 200_000; i++) { // it is never empty, and yet shrinks
            deque.push(i);
            deque.pop();
        }
        assertThat(deque.capacity()).isLessThan(large);
        popAll(deque);
        deque.trim();
        assertThat(deque.capacity()).isEqualTo(WorkDeque.MIN_CAPACITY);
        deque.push("still works");
        assertThat(deque.pop()).isEqualTo("still works");
    }

    @ParameterizedTest
    @MethodSource("deques")
    void anEmptyDequeKeepsNoTakenJobReachable(WorkDeque deque) {
        List<WeakReference<Object>> jobs = new ArrayList<>();
        WorkDeque thief = fifo(0);
        for (int i = 0; i < 100; i++) {
            Object job = new Object();
            jobs.add(new WeakReference<>(job));
            deque.push(job);
        }
        for (int i = 0; i < 30; i++) {
            deque.pop();
        }
        deque.stealBatch(thief, 20);
        while (deque.steal() != null) {}
        popAll(thief);
        thief.trim();
        deque.trim();
        for (int i = 0; i < 50 && jobs.stream().anyMatch(job -> job.get() != null); i++) {
            System.gc();
        }
        assertThat(jobs).allMatch(job -> job.get() == null);
    }

    @Test
    void drainTakesEverything() {
        WorkDeque deque = WorkDeque.create(true);
        for (int i = 0; i < 10; i++) {
            deque.push(i);
        }
        List<Object> drained = new ArrayList<>();
        deque.drain(drained::add);
        assertThat(drained).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    private static List<Object> popAll(WorkDeque deque) {
        List<Object> jobs = new ArrayList<>();
        for (Object job = deque.pop(); job != null; job = deque.pop()) {
            jobs.add(job);
        }
        return jobs;
    }
}
