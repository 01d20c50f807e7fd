// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.Pinning;
import java.util.concurrent.CountDownLatch;

/**
 * Run by {@link HeapExhaustionIT} with a small heap and without buffers for allocation: a thread from outside fills the
 * heap to the last word, and runs handles by hand with nothing, or little more, to spare.
 */
public final class HeapExhaustionByHandProgram {
    private static final int JOBS = 60;
    private static final int MOST_WORDS = 20;

    private HeapExhaustionByHandProgram() {}

    /** Takes no arguments. */
    public static void main(String[] arguments) {
        FullHeap.run(HeapExhaustionByHandProgram::run);
    }

    private static void run() throws Exception {
        PinnedScheduler scheduler = PinnedScheduler.builder()
                .name("full")
                .workers(1)
                .pinning(Pinning.OFF)
                .daemon(true)
                .failureHandler((job, failure) -> {})
                .build();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        scheduler.execute(() -> {
            held.countDown();
            Latches.uninterruptibly(release);
        });
        Schedulers.await(scheduler, held);
        JobHandle<?>[] handles = new JobHandle<?>[JOBS];
        long[][] room = new long[JOBS][];
        for (int i = 0; i < JOBS; i++) {
            handles[i] = scheduler.submit(() -> {});
            room[i] = new long[i % MOST_WORDS];
        }
        JobHandle<?> before = scheduler.submit(() -> {});
        ((Runnable) before).run(); // the JVM links a call once
        assertThat(before.isDone()).isTrue();
        int refused = runWithoutMemory(handles, room);
        assertThat(refused).isPositive();
        release.countDown();
        for (JobHandle<?> handle : handles) {
            assertThat(Schedulers.outcome(scheduler, handle)).isInstanceOfAny(Outcome.Done.class, Outcome.Failed.class);
        }
        Schedulers.end(scheduler);
    }

    /** Returns how many of the calls threw. */
    private static int runWithoutMemory(JobHandle<?>[] handles, long[][] room) {
        int refused = 0;
        for (int size = 1 << 18; size > 1; size /= 8) {
            FullHeap.fill(size);
        }
        for (int i = 0; i < handles.length; i++) {
            FullHeap.fill(1);
            room[i] = null;
            try {
                ((Runnable) handles[i]).run();
            } catch (OutOfMemoryError noRoom) {
                refused++;
            }
        }
        FullHeap.empty();
        return refused;
    }
}
