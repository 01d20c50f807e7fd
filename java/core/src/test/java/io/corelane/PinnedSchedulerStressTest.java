// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PinnedSchedulerStressTest {
    @ParameterizedTest
    @CsvSource({
        "1, 1, FIFO, default",
        "2, 1, FIFO, default",
        "2, 4, LIFO, park",
        "1, 8, LIFO, default",
        "8, 16, FIFO, spin",
        "64, 4, FIFO, park",
        "2, 2, FIFO, busy",
    })
    void everyJobRunsOnce(int workers, int producers, LocalOrder order, String idle) throws Exception {
        int perProducer = Stress.scaled(200_000) / producers;
        AtomicIntegerArray runs = new AtomicIntegerArray(2 * perProducer * producers);
        AtomicLong done = new AtomicLong();
        PinnedScheduler.Builder builder = Schedulers.unpinned(workers).localOrder(order);
        if (!idle.equals("default")) {
            builder.idle(policy(idle));
        }
        PinnedScheduler scheduler = builder.build();
        Stress.Threads threads = new Stress.Threads();
        for (int p = 0; p < producers; p++) {
            int from = 2 * p * perProducer;
            threads.start("producer-" + p, () -> {
                for (int i = 0; i < perProducer; i++) {
                    int id = from + 2 * i;
                    scheduler.execute(
                            () -> { // each external job submits a local one
                                runs.incrementAndGet(id);
                                scheduler.execute(() -> {
                                    runs.incrementAndGet(id + 1);
                                    done.incrementAndGet();
                                });
                            });
                }
            });
        }
        threads.join(scheduler::toString);
        Stress.await(
                () -> done.get() == (long) perProducer * producers,
                () -> scheduler.stats().toString());
        Schedulers.end(scheduler);
        for (int i = 0; i < runs.length(); i++) {
            assertThat(runs.get(i)).as("job %d", i).isEqualTo(1);
        }
    }

    private static IdlePolicy policy(String name) {
        return switch (name) {
            case "park" -> IdlePolicy.park();
            case "busy" -> IdlePolicy.busySpin();
            default -> IdlePolicy.spinThenPark(Duration.ofNanos(20_000));
        };
    }

    /**
     * One job at a time against an idle pool: no other job would repair a lost wake-up, so its round would last for ever. The
     * gaps between the jobs let them meet a worker that searches, that is about to park, and that is parked.
     */
    @ParameterizedTest
    @CsvSource({
        "1, park, OFF",
        "2, park, OFF",
        "8, park, OFF",
        "1, default, OFF",
        "2, default, REQUIRED",
        "64, default, OFF",
    })
    void noJobWaitsInAPoolWhoseWorkersAreParked(int workers, String idle, Pinning pinning) throws Exception {
        int rounds = Stress.scaled(50_000);
        long longestNanos = 0;
        PinnedScheduler.Builder builder =
                Schedulers.unpinned(workers).pinning(pinning).sharing(true);
        if (!idle.equals("default")) {
            builder.idle(policy(idle));
        }
        PinnedScheduler scheduler = builder.build();
        AtomicInteger done = new AtomicInteger();
        for (int i = 1; i <= rounds; i++) {
            int round = i;
            long begin = System.nanoTime();
            scheduler.execute(done::incrementAndGet);
            Stress.awaitRound(() -> done.get() == round, () -> "round " + round + ": " + scheduler.stats());
            longestNanos = Math.max(longestNanos, System.nanoTime() - begin);
            for (int gap = round * 37 % 400; gap > 0; gap--) {
                Thread.onSpinWait();
            }
        }
        SchedulerStats stats = scheduler.stats();
        if (Stress.isLong()) {
            System.out.printf(
                    "%d workers, %s, pinning %s: %d rounds, the longest %d us; %d parks, %d wake-ups%n",
                    workers,
                    idle,
                    pinning,
                    rounds,
                    longestNanos / 1000,
                    sum(stats, WorkerStats::parks),
                    sum(stats, WorkerStats::wakeUps));
        }
        Schedulers.end(scheduler);
    }

    private static long sum(SchedulerStats stats, ToLongFunction<WorkerStats> count) {
        return stats.workers().stream().mapToLong(count).sum();
    }

    /** A batch holds a job that blocks until a later job of the same batch has run, so another worker must come. */
    @Test
    void aJobBehindABlockedOneIsTakenByAParkedWorker() throws Exception {
        int rounds = Stress.scaled(3_000);
        PinnedScheduler scheduler =
                Schedulers.unpinned(2).idle(IdlePolicy.park()).build();
        for (int i = 0; i < rounds; i++) {
            AtomicInteger later = new AtomicInteger();
            JobHandle<?> blocked = scheduler.submit(() -> {
                int count = 1 + (later.hashCode() & 3);
                for (int k = 0; k < count; k++) {
                    scheduler.execute(later::incrementAndGet);
                }
                Stress.await(() -> later.get() == count, () -> scheduler.stats().toString());
            });
            blocked.get(60, TimeUnit.SECONDS);
        }
        Schedulers.end(scheduler);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whenSubmittersRaceWithShutdownEveryJobIsRunRejectedOrHandedBack(boolean now) throws Exception {
        for (int round = 0; round < Stress.scaled(200); round++) {
            PinnedScheduler scheduler = PinnedSchedulerTest.unpinned(2);
            AtomicInteger ran = new AtomicInteger();
            AtomicInteger accepted = new AtomicInteger();
            ConcurrentLinkedQueue<JobHandle<?>> handles = new ConcurrentLinkedQueue<>();
            Stress.Threads threads = new Stress.Threads();
            for (int p = 0; p < 3; p++) {
                boolean fromInside = p == 0;
                threads.start("submitter-" + p, () -> {
                    try {
                        while (true) {
                            if (accepted.get() - ran.get() > 2000 && !scheduler.isShutdown()) {
                                Thread.yield(); // a short backlog: the race is at the end of the round
                                continue;
                            }
                            submitSome(scheduler, fromInside, ran, accepted, handles);
                        }
                    } catch (RejectedExecutionException expected) {
                        assertThat(scheduler.isShutdown()).isTrue();
                    }
                });
            }
            int enough = round * 7 % 1000;
            Stress.await(() -> ran.get() >= enough, () -> scheduler.stats().toString());
            List<Runnable> unstarted = now ? scheduler.shutdownNow() : List.of();
            scheduler.shutdown();
            threads.join(scheduler::toString);
            assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS))
                    .as("%s", scheduler)
                    .isTrue();
            handles.forEach(handle -> assertThat(handle.isDone()).isTrue());
            assertThat(ran.get() + unstarted.size()).as("%s", scheduler.stats()).isEqualTo(accepted.get());
            SchedulerStats stats = scheduler.stats();
            assertThat(stats.jobsRun() + stats.jobsFailed() + stats.jobsCancelled() + stats.jobsHandedBack())
                    .as("%s", stats)
                    .isEqualTo(stats.jobsSubmitted());
        }
    }

    private static void submitSome(
            PinnedScheduler scheduler,
            boolean fromInside,
            AtomicInteger ran,
            AtomicInteger accepted,
            ConcurrentLinkedQueue<JobHandle<?>> handles) {
        if (fromInside) {
            scheduler.execute(() -> {
                ran.incrementAndGet();
                try {
                    handles.add(scheduler.submit(ran::incrementAndGet));
                    accepted.incrementAndGet();
                } catch (RejectedExecutionException expected) {
                    assertThat(scheduler.isShutdown()).isTrue();
                }
            });
        } else {
            handles.add(scheduler.submit(ran::incrementAndGet));
        }
        accepted.incrementAndGet();
    }

    @Test
    void tenThousandSchedulersLeaveNoThreadBehind() {
        int rounds = Stress.scaled(10_000);
        for (int i = 0; i < rounds; i++) {
            try (PinnedScheduler scheduler =
                    PinnedScheduler.builder().name("many").build()) {
                if (i % 3 != 0) {
                    scheduler.submit(() -> {}).join();
                }
            }
        }
        Stress.await(
                () -> PinnedSchedulerTest.threadsNamed("many").isEmpty(),
                () -> "threads left: " + PinnedSchedulerTest.threadsNamed("many"));
    }
}
