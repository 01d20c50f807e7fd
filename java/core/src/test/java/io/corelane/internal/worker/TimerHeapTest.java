// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.Stress;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimerHeapTest {
    private static final Comparator<Timer> BY_DUE =
            Comparator.<Timer>comparingLong(timer -> timer.dueNanos).thenComparingLong(timer -> timer.sequence);

    private final TimerHeap heap = new TimerHeap();
    private final WorkerPool pool = null; // no job is run
    private long sequence;

    private Timer timer(long dueNanos) {
        Timer timer = Timer.of(new TimedJob<>(pool, () -> {}, null));
        timer.dueNanos = dueNanos;
        timer.sequence = sequence++;
        return timer;
    }

    @Test
    void anEmptyHeapHasNoFirst() {
        assertThat(heap.first()).isNull();
        assertThat(heap.size()).isZero();
    }

    @Test
    void aTimerThatWasRemovedIsNotRemovedAgain() {
        Timer only = timer(1);
        assertThat(heap.remove(only)).isFalse();
        heap.add(only);
        assertThat(heap.remove(only)).isTrue();
        assertThat(heap.remove(only)).isFalse();
        assertThat(only.place).isEqualTo(-1);
        assertThat(heap.first()).isNull();
    }

    @Test
    void timersOfTheSameTimeComeInTheOrderOfTheirArrival() {
        List<Timer> added = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            Timer timer = timer(i % 3);
            added.add(timer);
            heap.add(timer);
        }
        added.sort(BY_DUE);
        for (Timer expected : added) {
            assertThat(heap.first()).isSameAs(expected);
            heap.remove(expected);
        }
    }

    @Test
    void timesMayWrapRoundAsNanoTimeDoes() {
        Timer before = timer(Long.MAX_VALUE - 5);
        Timer after = timer(Long.MIN_VALUE + 5);
        heap.add(after);
        heap.add(before);
        assertThat(heap.first()).isSameAs(before);
    }

    /** Many seeds and few different times, so that equal ones are common; every operation is checked against a sorted set. */
    @ParameterizedTest
    @CsvSource({"10, 300", "1000, 3000", "1000000, 20000"})
    void itDoesWhatASortedSetDoes(int times, int operations) {
        for (int round = 0; round < Stress.scaled(10); round++) {
            long seed = System.nanoTime();
            String description = "seed " + seed + ", times " + times;
            Random random = new Random(seed);
            TimerHeap heap = new TimerHeap();
            TreeSet<Timer> model = new TreeSet<>(BY_DUE);
            List<Timer> known = new ArrayList<>();
            for (int i = 0; i < operations; i++) {
                boolean shrinking = i / 500 % 2 == 1; // so that the array is halved and doubled again
                if (random.nextInt(10) < (shrinking ? 2 : 7)) {
                    Timer timer = timer(random.nextInt(times));
                    known.add(timer);
                    heap.add(timer);
                    model.add(timer);
                } else if (random.nextInt(3) == 0 && !model.isEmpty()) {
                    assertThat(heap.remove(model.pollFirst())).as(description).isTrue();
                } else if (!known.isEmpty()) { // often one that is gone
                    Timer any = known.get(random.nextInt(known.size()));
                    assertThat(heap.remove(any)).as(description).isEqualTo(model.remove(any));
                }
                assertThat(heap.first()).as(description).isSameAs(model.isEmpty() ? null : model.first());
                assertThat(heap.size()).as(description).isEqualTo(model.size());
                if (i % 100 == 0) {
                    checkPlaces(heap, description);
                }
            }
            for (Timer expected : model) {
                assertThat(heap.first()).as(description).isSameAs(expected);
                heap.remove(expected);
            }
            assertThat(array(heap)).as(description).containsOnlyNulls();
        }
    }

    private static void checkPlaces(TimerHeap heap, String description) {
        for (int i = 0; i < heap.size(); i++) {
            assertThat(heap.get(i).place).as(description).isEqualTo(i);
            if (i > 0) {
                assertThat(heap.get(i).isBefore(heap.get((i - 1) / 4)))
                        .as("%s: %d before its parent", description, i)
                        .isFalse();
            }
        }
        Timer[] array = array(heap);
        for (int i = heap.size(); i < array.length; i++) {
            assertThat(array[i]).as("%s: beyond the end", description).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theArrayShrinksWithTheTimers(boolean newestFirst) {
        int count = 10_000;
        List<Timer> timers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            timers.add(timer(i));
            heap.add(timers.get(i));
        }
        assertThat(array(heap).length).isBetween(count, 2 * count);
        for (int left = count - 1; left >= 0; left--) {
            heap.remove(timers.get(newestFirst ? left : count - 1 - left));
            assertThat(array(heap).length).isLessThanOrEqualTo(Math.max(64, 4 * left + 4));
        }
        assertThat(array(heap)).hasSize(64).containsOnlyNulls();
    }

    private static Timer[] array(TimerHeap heap) {
        return (Timer[]) ARRAY.get(heap);
    }

    private static final VarHandle ARRAY;

    static {
        try {
            ARRAY = MethodHandles.privateLookupIn(TimerHeap.class, MethodHandles.lookup())
                    .findVarHandle(TimerHeap.class, "heap", Timer[].class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
