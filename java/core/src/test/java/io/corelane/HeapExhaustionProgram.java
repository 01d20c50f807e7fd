// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * Run by {@link HeapExhaustionIT} with a small heap: jobs fill it to the last word while others are queued. The JVM is cold, so
 * many a call is linked for the first time while there is no memory for that.
 */
public final class HeapExhaustionProgram {
    private static final int ROUNDS = 2;
    private static final int JOBS = 200;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private HeapExhaustionProgram() {}

    /** Takes the number of workers. */
    public static void main(String[] arguments) {
        try {
            run(Integer.parseInt(arguments[0]));
            System.out.println("all is as it should be");
        } catch (Throwable failure) {
            failure.printStackTrace();
            System.exit(1);
        }
    }

    private static void run(int workers) throws Exception {
        AtomicInteger told = new AtomicInteger();
        PinnedScheduler scheduler = PinnedScheduler.builder()
                .name("full")
                .workers(workers)
                .pinning(Pinning.OFF)
                .failureHandler((job, failure) -> {
                    told.incrementAndGet();
                    if (failure instanceof OutOfMemoryError) {
                        throw (Error) failure; // to log that takes memory, too
                    }
                })
                .build();
        AtomicIntegerArray runs = new AtomicIntegerArray(ROUNDS * JOBS);
        AtomicInteger accepted = new AtomicInteger();
        AtomicInteger filled = new AtomicInteger();
        for (int round = 0; round < ROUNDS; round++) {
            int first = round * JOBS;
            JobHandle<?> hog = scheduler.submit(() -> fillTheHeap(scheduler, runs, first, accepted, filled));
            for (int i = 0; i < JOBS / 4; i++) {
                if (offer(scheduler, runs, first + i, false)) {
                    accepted.incrementAndGet();
                }
            }
            awaitEnd(hog);
            scheduler.schedule(() -> 1, 1, TimeUnit.MILLISECONDS).join(MINUTE);
            scheduler.forEachLane(() -> {}).forEach(JobHandle::join);
        }
        assertThat(scheduler.awaitQuiescence(MINUTE)).as(scheduler.dump()).isTrue();
        int sum = 0;
        for (int i = 0; i < runs.length(); i++) {
            assertThat(runs.get(i)).isLessThanOrEqualTo(1);
            sum += runs.get(i);
        }
        long failed =
                scheduler.stats().jobsFailed() - ROUNDS; // what a body calls may be linked for the first time, too
        assertThat(sum + failed).isEqualTo(accepted.get());
        assertThat(filled.get()).isEqualTo(ROUNDS);
        scheduler.shutdown();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS))
                .as(scheduler.dump())
                .isTrue();
    }

    /** Holds all memory there is, and goes on to submit, with a timer among it. */
    private static void fillTheHeap(
            PinnedScheduler scheduler,
            AtomicIntegerArray runs,
            int first,
            AtomicInteger accepted,
            AtomicInteger filled) {
        Object @Nullable [] hoard = null;
        for (int size = 1 << 18; size >= 1; size /= 8) {
            try {
                while (true) {
                    Object[] more = new Object[1 + size];
                    more[0] = hoard;
                    hoard = more;
                }
            } catch (OutOfMemoryError noMore) {
                // smaller pieces
            }
        }
        filled.incrementAndGet();
        for (int i = JOBS / 4; i < JOBS; i++) {
            if (offer(scheduler, runs, first + i, i % 3 == 0)) {
                accepted.incrementAndGet();
            }
            if (i % 20 == 0) {
                hoard = hoard == null ? null : (Object[]) hoard[0]; // a little room
            }
        }
        throw new OutOfMemoryError("as many jobs die of it");
    }

    /** The job itself may not fit either. */
    private static boolean offer(PinnedScheduler scheduler, AtomicIntegerArray runs, int number, boolean onLane) {
        try {
            Runnable job = () -> runs.incrementAndGet(number);
            if (onLane) {
                scheduler.lane(0).execute(job);
            } else {
                scheduler.execute(job);
            }
            return true;
        } catch (OutOfMemoryError refused) {
            return false;
        }
    }

    /** To wait in the usual way takes memory, and to fail at it a collection each time. */
    private static void awaitEnd(JobHandle<?> hog) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (!hog.isDone()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("the job that fills the heap does not end");
            }
            Thread.sleep(10);
        }
        FullHeap.awaitRoom();
    }
}
