// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.deque;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.Stress;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One owner and several thieves: every job comes out exactly once, over growth, shrinking, wrap and last-job races; rings start with 2. */
class WorkDequeStressTest {
    private static final int JOBS = Stress.scaled(300_000);

    @ParameterizedTest
    @CsvSource({
        "FIFO, 1, 0", "FIFO, 3, 0", "FIFO, 3, 9223372036854675807",
        "LIFO, 1, 0", "LIFO, 3, 0", "LIFO, 3, 9223372036854675807",
    })
    void everyJobComesOutOnce(String order, int thieves, long firstIndex) throws Exception {
        WorkDeque deque = order.equals("LIFO") ? new LifoWorkDeque(firstIndex, 2) : new FifoWorkDeque(firstIndex, 2);
        AtomicIntegerArray taken = new AtomicIntegerArray(JOBS);
        AtomicLong left = new AtomicLong(JOBS);
        Stress.Threads threads = new Stress.Threads();
        for (int i = 0; i < thieves; i++) {
            boolean batches = i % 2 == 0;
            threads.start("thief-" + i, () -> steal(deque, batches, taken, left));
        }
        threads.start("owner", () -> own(deque, taken, left));
        threads.join(() -> left + " jobs left, deque holds " + deque.size());
        for (int i = 0; i < JOBS; i++) {
            assertThat(taken.get(i)).as("job %d", i).isEqualTo(1);
        }
    }

    private static void own(WorkDeque deque, AtomicIntegerArray taken, AtomicLong left) {
        SplittableRandom random = new SplittableRandom(42);
        int next = 0;
        while (left.get() > 0) {
            int burst = random.nextInt(100) == 0 ? 2000 : random.nextInt(4); // mostly near empty, sometimes growing
            for (int i = 0; i < burst && next < JOBS; i++) {
                deque.push(next++);
            }
            int pops = random.nextInt(6);
            for (int i = 0; i < pops; i++) {
                take(deque.pop(), taken, left);
            }
            if (random.nextInt(50) == 0) {
                deque.trim();
            }
        }
    }

    private static void steal(WorkDeque victim, boolean batches, AtomicIntegerArray taken, AtomicLong left) {
        WorkDeque own = new FifoWorkDeque(0, 2);
        while (left.get() > 0) {
            take(batches ? victim.stealBatch(own, 32) : victim.steal(), taken, left);
            for (Object job = own.pop(); job != null; job = own.pop()) {
                take(job, taken, left);
            }
        }
    }

    private static void take(Object job, AtomicIntegerArray taken, AtomicLong left) {
        if (job != null && job != WorkDeque.RETRY) {
            taken.incrementAndGet((Integer) job);
            left.decrementAndGet();
        }
    }
}
