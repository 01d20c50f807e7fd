// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workers change hands all the time: jobs block, join each other, join lanes and timers, and are cancelled. */
@Timeout(1200)
class HandOverStressTest {
    /** One scheduler under stress, with what its jobs count. */
    private static final class Run {
        static final int NONE = -1;
        static final int BELOW = -2;

        final PinnedScheduler scheduler;
        final AtomicIntegerArray runs;
        final AtomicInteger submitted = new AtomicInteger();
        final AtomicInteger ended = new AtomicInteger();
        final AtomicInteger faults = new AtomicInteger();
        /** By worker: the thread whose job runs there, outside any section or join. */
        final AtomicReferenceArray<Thread> serving;
        /** By lane: how many of its jobs run, not counting those that wait for a later one. */
        final AtomicIntegerArray inLane;

        Run(PinnedScheduler scheduler, int jobs) {
            this.scheduler = scheduler;
            this.runs = new AtomicIntegerArray(jobs);
            this.serving = new AtomicReferenceArray<>(scheduler.workers());
            this.inLane = new AtomicIntegerArray(scheduler.workers());
        }

        /**
         * Makes a job that does a few random things.
         *
         * @param lane the lane that it belongs to, NONE, or BELOW: it must not wait for a lane or a timer, because its
         *     caller may hold the lane, or no thread may be left for that
         */
        Runnable job(long seed, int depth, int lane) {
            int number = submitted.getAndIncrement();
            return () -> {
                runs.incrementAndGet(number);
                try {
                    if (lane >= 0) {
                        fault(inLane.getAndIncrement(lane) != 0 || Schedulers.currentWorker() != lane);
                    }
                    SplittableRandom random = new SplittableRandom(seed);
                    int steps = 1 + random.nextInt(3);
                    for (int i = 0; i < steps; i++) {
                        enter();
                        step(random, depth, lane);
                    }
                    fault(lane >= 0 && Schedulers.currentWorker() != lane && !scheduler.isShutdown());
                } finally {
                    if (lane >= 0) {
                        inLane.decrementAndGet(lane);
                    }
                    ended.incrementAndGet();
                }
            };
        }

        /** Two threads that serve the same worker at the same time would meet here. */
        private void enter() {
            int worker = Schedulers.currentWorker();
            if (worker < 0) {
                fault(!scheduler.isShutdown());
                return;
            }
            Thread self = Thread.currentThread();
            fault(!serving.compareAndSet(worker, null, self));
            Thread.onSpinWait();
            fault(!serving.compareAndSet(worker, self, null));
        }

        private void step(SplittableRandom random, int depth, int lane) {
            long seed = random.nextLong();
            int below = lane == NONE ? NONE : BELOW;
            switch (random.nextInt(depth == 0 ? 2 : 8)) {
                case 0 -> block(random.nextInt(3));
                case 1 -> Thread.onSpinWait();
                case 2 -> {
                    JobHandle<?> child = scheduler.submit(job(seed, depth - 1, below));
                    block(0);
                    child.outcome();
                }
                case 3 -> {
                    List<JobHandle<?>> children = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        children.add(scheduler.submit(job(seed + i, depth - 1, below)));
                    }
                    children.forEach(JobHandle::outcome);
                }
                case 4 -> {
                    if (lane == NONE) {
                        int other = random.nextInt(scheduler.workers());
                        scheduler.lane(other).submit(job(seed, 0, other)).outcome();
                    }
                }
                case 5 -> {
                    if (lane != BELOW) {
                        scheduler
                                .schedule(job(seed, 0, BELOW), random.nextInt(300), TimeUnit.MICROSECONDS)
                                .outcome();
                    }
                }
                case 6 -> scheduler.execute(job(seed, depth - 1, below));
                default -> {
                    JobHandle<?> child = scheduler.submit(() -> {
                        block(1);
                        return 0;
                    });
                    child.cancel(random.nextBoolean());
                    child.outcome();
                }
            }
        }

        private void block(int how) {
            try {
                scheduler.blocking(() -> {
                    if (how == 0) {
                        Thread.yield();
                    } else {
                        LockSupport.parkNanos(how * 20_000L);
                    }
                    return 0;
                });
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }

        /** Whether there are so many jobs that, if all of them waited for a lane, threads might run short. */
        boolean isCrowded() {
            return submitted.get() - ended.get() > 100;
        }

        /** Returns how many jobs have ended, or the greatest number if all have that will ever be submitted. */
        long endedOrAll() {
            int done = ended.get();
            return done == submitted.get() ? Long.MAX_VALUE : done;
        }

        private void fault(boolean is) {
            if (is) {
                faults.incrementAndGet();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, FIFO, OWN, 256",
        "2, LIFO, OWN, 256",
        "2, FIFO, ANY, 256",
        "2, FIFO, AWAITED, 256",
        "2, LIFO, OWN, 2",
        "2, FIFO, OWN, 1",
        "1, FIFO, OWN, 1",
        "2, FIFO, OWN, 0"
    })
    void everyJobRunsOnceAndEveryWorkerHasOneThread(int workers, LocalOrder order, JoinHelp help, int spareThreads)
            throws Exception {
        long seed = System.nanoTime();
        System.out.println("HandOverStressTest seed " + seed);
        PinnedScheduler scheduler = Schedulers.unpinned(workers)
                .localOrder(order)
                .joinHelp(help)
                .spareThreads(spareThreads)
                .name("hand-over")
                .build();
        int perThread = Stress.scaled(300);
        boolean lanes = spareThreads == 256 && help != JoinHelp.ANY; // else one of its jobs may run inside another
        Run run = new Run(scheduler, perThread * 4 * 100);
        Stress.Threads threads = new Stress.Threads();
        for (int t = 0; t < 4; t++) {
            SplittableRandom random = new SplittableRandom(seed + t);
            threads.start("submitter-" + t, () -> {
                for (int i = 0; i < perThread; i++) {
                    while (run.isCrowded()) {
                        LockSupport.parkNanos(50_000);
                    }
                    int lane = lanes ? random.nextInt(2 * workers) - workers : Run.BELOW;
                    if (lane >= 0) {
                        scheduler.lane(lane).execute(run.job(random.nextLong(), 1, lane));
                    } else {
                        scheduler.execute(run.job(random.nextLong(), 2, lanes ? Run.NONE : Run.BELOW));
                    }
                    if (i % 8 == 0) {
                        LockSupport.parkNanos(50_000); // now and then workers run out of jobs
                    }
                }
            });
        }
        threads.join(scheduler::dump);
        Stress.awaitProgress(run::endedOrAll, Long.MAX_VALUE, scheduler::dump);
        Schedulers.end(scheduler);
        assertThat(run.faults).hasValue(0);
        assertThat(IntStream.range(0, run.submitted.get())).allMatch(i -> run.runs.get(i) == 1);
    }

    @ParameterizedTest
    @CsvSource({"1, false", "2, false", "1, true", "2, true"})
    void whateverWorkersDoWhenTheSchedulerStopsEveryHandleEnds(int workers, boolean now) throws Exception {
        for (int round = 0; round < Stress.scaled(60); round++) {
            long seed = System.nanoTime();
            PinnedScheduler scheduler = Schedulers.unpinned(workers)
                    .failureHandler((job, failure) -> {}) // rejections inside jobs
                    .name("hand-over-end")
                    .build();
            Run run = new Run(scheduler, 1_000_000);
            ConcurrentLinkedQueue<JobHandle<?>> handles = new ConcurrentLinkedQueue<>();
            Stress.Threads threads = new Stress.Threads();
            for (int t = 0; t < 16; t++) {
                SplittableRandom random = new SplittableRandom(seed + t);
                threads.start("submitter-" + t, () -> {
                    try {
                        while (true) {
                            while (run.isCrowded()) {
                                if (scheduler.isShutdown()) {
                                    return; // it may take a while until it rejects
                                }
                                LockSupport.parkNanos(100_000);
                            }
                            int lane = random.nextInt(2 * workers) - workers;
                            handles.add(
                                    lane >= 0
                                            ? scheduler.lane(lane).submit(run.job(random.nextLong(), 1, lane))
                                            : scheduler.submit(run.job(random.nextLong(), 2, Run.NONE)));
                        }
                    } catch (RejectedExecutionException expected) {
                        assertThat(scheduler.isShutdown()).isTrue();
                    }
                });
            }
            Stress.awaitProgress(run.ended::get, round * 31 % 400, scheduler::dump);
            if (now) {
                scheduler.shutdownNow();
            } else {
                scheduler.shutdown();
            }
            threads.join(scheduler::dump);
            Schedulers.awaitEnd(scheduler);
            assertThat(handles).allMatch(JobHandle::isDone);
            assertThat(IntStream.range(0, run.submitted.get())).allMatch(i -> run.runs.get(i) <= 1);
            assertThat(run.faults).as("seed %d", seed).hasValue(0);
        }
        Stress.awaitProgress(
                () -> PinnedSchedulerTest.threadsNamed("hand-over-end").isEmpty() ? 1 : 0,
                1,
                () -> "threads left: " + PinnedSchedulerTest.threadsNamed("hand-over-end"));
    }
}
