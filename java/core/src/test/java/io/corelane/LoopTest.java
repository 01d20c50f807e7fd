// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parallel loops and what is made of them. */
@Timeout(300)
class LoopTest {
    @ParameterizedTest
    @CsvSource({"1, FIFO", "1, LIFO", "2, FIFO", "2, LIFO", "64, FIFO"})
    void aLoopCallsItsBodyOnceForEachIndex(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        for (int size : new int[] {0, 1, 2, 3, 1_000, 300_000}) {
            AtomicIntegerArray calls = new AtomicIntegerArray(size);
            LongAdder done = new LongAdder();
            scheduler.parallelFor(10, 10L + size, i -> calls.incrementAndGet((int) i - 10), done);
            for (int i = 0; i < size; i++) {
                assertThat(calls.get(i)).isEqualTo(1);
            }
            assertThat(done.sum()).isEqualTo(size);
        }
        Schedulers.end(scheduler);
    }

    /** The indices wait for each other. */
    @Schedulers.EachShape
    void twoLongIterationsRunAtTheSameTime(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        for (int round = 0; round < 20; round++) {
            CyclicBarrier both = new CyclicBarrier(2);
            Set<Thread> threads = ConcurrentHashMap.newKeySet();
            scheduler.parallelFor(0, 2, i -> {
                threads.add(Thread.currentThread());
                meet(both);
            });
            assertThat(threads).hasSize(2);
        }
        Schedulers.end(scheduler);
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Schedulers.EachShape
    void aReductionKeepsTheOrder(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        String expected = IntStream.range(0, 3_000).mapToObj(Integer::toString).reduce("", String::concat);
        for (int round = 0; round < Stress.scaled(20); round++) {
            assertThat(scheduler.parallelReduce(0, 3_000, "", Long::toString, String::concat))
                    .isEqualTo(expected);
        }
        assertThat(scheduler.parallelReduceLong(0, 1_000_000, 0, i -> i, Long::sum))
                .isEqualTo(499_999_500_000L);
        assertThat(scheduler.parallelReduceLong(5, 5, -1, i -> i, Long::max)).isEqualTo(-1);
        Schedulers.end(scheduler);
    }

    @Schedulers.EachShape
    void aMappedListKeepsTheOrder(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        List<Integer> numbers = IntStream.range(0, 10_000).boxed().toList();
        assertThat(scheduler.parallelMap(numbers, Integer::toUnsignedString))
                .isEqualTo(numbers.stream().map(Integer::toUnsignedString).toList());
        assertThat(scheduler.parallelMap(List.<String>of(), String::length)).isEmpty();
        Schedulers.end(scheduler);
    }

    @Test
    void theFirstFailureEndsALoop() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        AtomicInteger running = new AtomicInteger();
        assertThatThrownBy(() -> scheduler.parallelFor(0, Long.MAX_VALUE, i -> {
                    running.incrementAndGet();
                    try {
                        if (i == 777) {
                            throw new IllegalStateException("at 777");
                        }
                    } finally {
                        running.decrementAndGet();
                    }
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("at 777");
        assertThat(running).hasValue(0);
        Schedulers.end(scheduler);
    }

    /** The lower half would not come to an end. */
    @Test
    void aFailureInTheUpperHalfOfALoopEndsTheLowerOne() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        long middle = Long.MAX_VALUE / 2;
        assertThatThrownBy(() -> scheduler.parallelFor(0, Long.MAX_VALUE, i -> failFrom(middle, i)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("too far");
        assertThatThrownBy(
                        () -> scheduler.parallelReduceLong(0, Long.MAX_VALUE, 0, i -> failFrom(middle, i), Long::sum))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("too far");
        assertThatThrownBy(() -> scheduler.parallelReduce(0, Long.MAX_VALUE, 0L, i -> failFrom(middle, i), Long::sum))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("too far");
        Schedulers.end(scheduler);
    }

    private static long failFrom(long least, long i) {
        if (i >= least) {
            throw new IllegalStateException("too far");
        }
        return i;
    }

    /** The length of a chunk was found by the cheap ones. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aTimeLimitEndsALoopWhoseBodyBecomesSlow(int workers) throws Exception {
        AtomicInteger slow = new AtomicInteger();
        for (int millis = 300; slow.get() == 0; millis *= 2) { // the limit may be over before the slow ones have begun
            PinnedScheduler scheduler = Schedulers.unpinned(workers).build();
            JobHandle<Boolean> job = scheduler.submitWithin(
                    () -> {
                        scheduler.parallelFor(0, 10_000_000, i -> {
                            if (i > 1_000_000) {
                                slow.incrementAndGet();
                                spinForAMillisecond(); // whether or not it is interrupted
                            }
                        });
                        return true;
                    },
                    Duration.ofMillis(millis));
            assertThat(Schedulers.outcome(scheduler, job)).isInstanceOf(Outcome.Cancelled.class);
            int seen = slow.get();
            Schedulers.end(scheduler); // waits for what still runs
            assertThat(slow.get() - seen).as("after the limit").isLessThan(500);
        }
    }

    private static void spinForAMillisecond() {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < 1_000_000) {
            Thread.onSpinWait();
        }
    }

    @Test
    void progressCountsTheCallsBeforeAFailureInTheSameChunk() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        LongAdder done = new LongAdder();
        AtomicInteger ended = new AtomicInteger();
        assertThatThrownBy(() -> scheduler.parallelFor(
                        0,
                        100_000,
                        i -> {
                            if (i == 99_990) {
                                throw new IllegalStateException("here");
                            }
                            ended.incrementAndGet();
                        },
                        done))
                .hasMessage("here");
        assertThat(done.sum()).isEqualTo(ended.get());
        Schedulers.end(scheduler);
    }

    /** Its length is more than a long can say. */
    @Test
    void aLoopOverMoreThanHalfOfAllNumbersCountsAndEndsLikeAnyOther() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        LongAdder done = new LongAdder();
        for (int millis = 30; done.sum() == 0; millis *= 2) { // the limit may be over before the loop has begun
            JobHandle<Boolean> job = scheduler.submitWithin(
                    () -> {
                        scheduler.parallelFor(Long.MIN_VALUE, Long.MAX_VALUE, i -> {}, done);
                        return true;
                    },
                    Duration.ofMillis(millis));
            assertThat(Schedulers.outcome(scheduler, job)).isInstanceOf(Outcome.Cancelled.class);
        }
        Schedulers.end(scheduler);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 64})
    void aTimeLimitEndsAnEndlessLoop(int workers) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers).build();
        LongAdder done = new LongAdder();
        for (int millis = 30; done.sum() == 0; millis *= 2) { // the limit may be over before the loop has begun
            JobHandle<Boolean> job = scheduler.submitWithin(
                    () -> {
                        scheduler.parallelFor(0, Long.MAX_VALUE, i -> {}, done);
                        return true;
                    },
                    Duration.ofMillis(millis));
            assertThat(Schedulers.outcome(scheduler, job)).isInstanceOf(Outcome.Cancelled.class);
        }
        Schedulers.end(scheduler); // so all of it has ended
    }

    @ParameterizedTest
    @ValueSource(strings = {"random", "sorted", "reversed", "equal", "few", "organ"})
    void longsAreSorted(String kind) throws Exception {
        for (int workers : new int[] {1, 2}) {
            PinnedScheduler scheduler = Schedulers.unpinned(workers).build();
            for (int size : new int[] {0, 1, 2, 5_000, 300_000}) {
                long[] array = array(kind, size);
                long[] expected = array.clone();
                Arrays.sort(expected);
                scheduler.parallelSort(array);
                assertThat(Arrays.equals(array, expected)).isTrue();
            }
            Schedulers.end(scheduler);
        }
    }

    private static long[] array(String kind, int size) {
        Random random = new Random(size);
        long[] array = new long[size];
        for (int i = 0; i < size; i++) {
            array[i] = switch (kind) {
                case "sorted" -> i;
                case "reversed" -> size - i;
                case "equal" -> 7;
                case "few" -> random.nextInt(3);
                case "organ" -> Math.min(i, size - i);
                default -> random.nextLong();
            };
        }
        return array;
    }

    @Schedulers.EachShape
    void objectsAreSortedAndEqualOnesKeepTheirOrder(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        Random random = new Random(1);
        int[][] pairs = new int[100_000][];
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = new int[] {random.nextInt(1_000), i};
        }
        int[][] expected = pairs.clone();
        Comparator<int[]> byFirst = Comparator.comparingInt(pair -> pair[0]);
        Arrays.sort(expected, byFirst);
        scheduler.parallelSort(pairs, byFirst);
        for (int i = 0; i < pairs.length; i++) {
            assertThat(pairs[i]).isSameAs(expected[i]);
        }
        Schedulers.end(scheduler);
    }
}
