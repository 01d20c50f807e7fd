// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every job that was accepted ends once, and the statistics say how. */
@Timeout(300)
class ShutdownBooksTest {
    /** A job of one submission, which must run or be handed back, once. */
    private static final class Entry implements Runnable {
        final AtomicInteger runs = new AtomicInteger();
        final AtomicReference<JobHandle<?>> handle = new AtomicReference<>();
        private final Runnable more;

        Entry(Runnable more) {
            this.more = more;
        }

        @Override
        public void run() {
            runs.incrementAndGet();
            more.run();
        }
    }

    /** One scheduler's life: submitters of every kind until its end. */
    private static final class Life {
        final PinnedScheduler scheduler;
        final ConcurrentLinkedQueue<Entry> accepted = new ConcurrentLinkedQueue<>();
        final AtomicInteger failures = new AtomicInteger();
        final ConcurrentLinkedQueue<ScheduledJob<?>> repeated = new ConcurrentLinkedQueue<>();

        Life(int workers, OverflowPolicy policy) {
            PinnedScheduler.Builder builder = PinnedScheduler.builder()
                    .workers(workers)
                    .pinning(Pinning.OFF)
                    .failureHandler((job, failure) -> failures.incrementAndGet());
            scheduler = policy == null
                    ? builder.build()
                    : builder.injectorCapacity(5).overflow(policy).build();
        }

        /** Submits a job in one of the ways; an Entry is accepted unless this throws. */
        void submit(int way, Runnable more) throws InterruptedException {
            Entry entry = new Entry(
                    way < WAYS - 1
                            ? more
                            : () -> {
                                throw new IllegalStateException("expected");
                            });
            switch (way) {
                case 0, WAYS - 1 -> scheduler.execute(entry);
                case 1 -> entry.handle.set(scheduler.submit((Runnable) entry));
                case 2 -> {
                    List<Entry> batch = List.of(entry, new Entry(() -> {}), new Entry(() -> {}));
                    scheduler.executeAll(batch);
                    accepted.addAll(batch.subList(1, 3));
                }
                case 3 -> {
                    if (!scheduler.tryExecute(entry)) {
                        return;
                    }
                }
                case 4 -> {
                    if (!scheduler.tryExecute(entry, Duration.ofNanos(50_000))) {
                        return;
                    }
                }
                case 5 -> scheduler.laneFor(accepted.size()).execute(entry);
                case 6 -> entry.handle.set(scheduler.laneFor(accepted.size()).submit(entry));
                case 7 -> entry.handle.set(scheduler.schedule(entry, 30, TimeUnit.MICROSECONDS));
                case 8 ->
                    entry.handle.set(scheduler.submitWithin(
                            () -> {
                                entry.run();
                                return null;
                            },
                            Duration.ofHours(1)));
                case 9 -> {
                    repeated.add(scheduler.scheduleWithFixedDelay(() -> {}, 0, 20, TimeUnit.MICROSECONDS));
                    return;
                }
                case 10 ->
                    entry.handle.set(scheduler.submit(() -> scheduler.blocking(() -> {
                        entry.run();
                        return null;
                    })));
                default -> throw new AssertionError(way);
            }
            accepted.add(entry);
        }

        static final int WAYS = 12;

        /** Submits more from inside a job: what it was told to be accepted is. */
        void fromInside() {
            try {
                submit(ThreadLocalRandom.current().nextInt(WAYS), () -> {});
            } catch (RejectedExecutionException refused) {
                assertThat(refused).hasMessageMatching(".*(capacity 5|is shut down|has terminated).*");
            } catch (InterruptedException stopped) {
                assertThat(scheduler.isShutdown()).isTrue();
            }
        }

        void submitUntilTheEnd(int first) throws InterruptedException {
            for (int i = first; ; i++) {
                try {
                    submit(i % WAYS, i % 3 == 0 ? this::fromInside : () -> {});
                } catch (RejectedExecutionException expected) {
                    if (scheduler.isShutdown()) {
                        return;
                    }
                    assertThat(expected).hasMessageContaining("capacity 5");
                }
                if (repeated.size() > 3) {
                    ScheduledJob<?> oldest = repeated.peek();
                    oldest.cancel(true);
                    repeated.remove(oldest);
                }
                while (scheduler.stats().queued() > 300 && !scheduler.isShutdown()) {
                    Thread.onSpinWait(); // a short backlog: the race is at the end of the round
                }
            }
        }

        void checkBooks(List<Runnable> handedBack) {
            Set<Runnable> back = Collections.newSetFromMap(new IdentityHashMap<>());
            back.addAll(handedBack);
            assertThat(back).as("each once").hasSize(handedBack.size());
            SchedulerStats stats = scheduler.stats();
            String state = stats + "\n" + scheduler.dump();
            for (Entry entry : accepted) {
                JobHandle<?> handle = entry.handle.get();
                int returned =
                        (back.contains(entry) ? 1 : 0) + (handle != null && back.contains((Runnable) handle) ? 1 : 0);
                if (handle != null) {
                    assertThat(handle.isDone()).as(state).isTrue();
                    assertThat(handle.isCancelled()).as(state).isEqualTo(returned == 1);
                }
                assertThat(entry.runs.get() + returned).as(state).isEqualTo(1);
            }
            assertThat(repeated).allMatch(ScheduledJob::isCancelled);
            assertThat(stats.jobsHandedBack()).as(state).isEqualTo(handedBack.size());
            assertThat(stats.timersWaiting()).as(state).isZero();
            assertThat(stats.queued()).as(state).isZero();
            assertThat(stats.threadsAway()).as(state).isZero();
            assertThat(stats.jobsFailed()).as(state).isEqualTo(failures.get());
            assertThat(stats.jobsRun() + stats.jobsFailed() + stats.jobsCancelled() + stats.jobsHandedBack())
                    .as(state)
                    .isEqualTo(stats.jobsSubmitted());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, , false",
        "1, , true",
        "2, , false",
        "2, , true",
        "2, BLOCK, false",
        "2, BLOCK, true",
        "1, REJECT, true",
        "1, CALLER_RUNS, false",
        "1, CALLER_RUNS, true"
    })
    void everyAcceptedJobRunsOrIsHandedBackOnce(int workers, OverflowPolicy policy, boolean now) throws Exception {
        for (int round = 0; round < Stress.scaled(30); round++) {
            Life life = new Life(workers, policy);
            Stress.Threads threads = new Stress.Threads();
            for (int t = 0; t < 3; t++) {
                int first = 5 * t;
                threads.start("submitter-" + t, () -> life.submitUntilTheEnd(first));
            }
            int head = 1 + round % 5 * 40;
            Stress.await(() -> life.accepted.size() >= head, life.scheduler::dump);
            List<Runnable> handedBack = List.of();
            if (now) {
                handedBack = life.scheduler.shutdownNow();
                assertThat(life.scheduler.shutdownNow()).isEmpty();
            } else {
                life.scheduler.shutdown();
            }
            threads.join(life.scheduler::dump);
            assertThat(life.scheduler.awaitTermination(60, TimeUnit.SECONDS))
                    .as("%s", life.scheduler.dump())
                    .isTrue();
            life.checkBooks(handedBack);
        }
    }

    /** Both at once, from several threads: one of them hands the jobs back. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void ofManyWhoEndItOneGetsTheJobs(int workers) throws Exception {
        for (int round = 0; round < Stress.scaled(40); round++) {
            Life life = new Life(workers, null);
            Stress.Threads threads = new Stress.Threads();
            List<Runnable> handedBack = Collections.synchronizedList(new ArrayList<>());
            for (int t = 0; t < 2; t++) {
                int first = 5 * t;
                threads.start("submitter-" + t, () -> life.submitUntilTheEnd(first));
            }
            Stress.await(() -> life.accepted.size() > 50, life.scheduler::dump);
            threads.start("shutdown", life.scheduler::shutdown);
            threads.start("now", () -> handedBack.addAll(life.scheduler.shutdownNow()));
            threads.start("now too", () -> handedBack.addAll(life.scheduler.shutdownNow()));
            life.scheduler.close();
            threads.join(life.scheduler::dump);
            life.checkBooks(handedBack);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void jobsAcceptedBeforeAShutdownMaySubmitAndJoinAfterIt(int workers) throws Exception {
        for (int round = 0; round < Stress.scaled(100); round++) {
            PinnedScheduler scheduler = PinnedSchedulerTest.unpinned(workers);
            CountDownLatch isShutDown = new CountDownLatch(1);
            List<JobHandle<Integer>> parents = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                parents.add(scheduler.submit(() -> {
                    isShutDown.await();
                    return tree(scheduler, 5)
                            + scheduler.lane(0).submit(() -> 100).join()
                            + scheduler.blocking(() -> 1000);
                }));
            }
            scheduler.shutdown();
            isShutDown.countDown();
            for (JobHandle<Integer> parent : parents) {
                assertThat(parent.get(60, TimeUnit.SECONDS)).isEqualTo(1132);
            }
            assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            SchedulerStats stats = scheduler.stats();
            assertThat(stats.jobsRun()).isEqualTo(stats.jobsSubmitted());
            assertThat(stats.jobsRejected()).isZero();
        }
    }

    private static int tree(PinnedScheduler scheduler, int depth) {
        if (depth == 0) {
            return 1;
        }
        JobHandle<Integer> left = scheduler.submit(() -> tree(scheduler, depth - 1));
        JobHandle<Integer> right = scheduler.submit(() -> tree(scheduler, depth - 1));
        return left.join() + right.join();
    }

    /** Joins deeper than one stack, which pass jobs from thread to thread, when the scheduler is stopped. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void deepJoinsEndWhenTheSchedulerIsStopped(int workers) throws Exception {
        for (int round = 0; round < Stress.scaled(40); round++) {
            PinnedScheduler scheduler = PinnedScheduler.builder()
                    .workers(workers)
                    .pinning(Pinning.OFF)
                    .failureHandler((job, failure) -> {})
                    .build();
            AtomicInteger depth = new AtomicInteger();
            AtomicBoolean stop = new AtomicBoolean();
            JobHandle<?> root = scheduler.submit(() -> deeper(scheduler, depth, stop));
            int until = 1 + round * 37 % 700;
            Stress.await(() -> depth.get() >= until, scheduler::dump);
            stop.set(round % 2 == 0);
            scheduler.shutdownNow();
            assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS))
                    .as("%s", scheduler.dump())
                    .isTrue();
            assertThat(root.isDone()).isTrue();
            SchedulerStats stats = scheduler.stats();
            assertThat(stats.jobsRun() + stats.jobsFailed() + stats.jobsCancelled() + stats.jobsHandedBack())
                    .as("%s", stats)
                    .isEqualTo(stats.jobsSubmitted());
        }
    }

    private static void deeper(PinnedScheduler scheduler, AtomicInteger depth, AtomicBoolean stop) {
        if (!stop.get() && depth.incrementAndGet() < 3000) {
            scheduler.submit(() -> deeper(scheduler, depth, stop)).join();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void shutdownNowInABlockingSectionDoesNotInterruptItsCaller(int spareThreads) throws Exception {
        PinnedScheduler scheduler =
                Schedulers.unpinned(1).spareThreads(spareThreads).build();
        JobHandle<Boolean> caller = scheduler.submit(() -> {
            scheduler.blocking(scheduler::shutdownNow);
            return Thread.currentThread().isInterrupted();
        });
        assertThat(Schedulers.result(scheduler, caller)).isFalse();
        Schedulers.awaitEnd(scheduler);
    }

    @Test
    void aListenerOfAJobThatIsHandedBackMayWaitForWhatShutdownNowInterrupts() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        AtomicReference<Outcome<String>> seen = new AtomicReference<>();
        JobHandle<String> interrupted = scheduler.submit(() -> {
            running.countDown();
            return Latches.isAwaited(never) ? "awaited" : "interrupted";
        });
        Schedulers.await(scheduler, running);
        JobHandle<?> queued = scheduler.submit(() -> {});
        queued.onComplete(outcome -> seen.set(Schedulers.outcome(scheduler, interrupted)));
        assertThat(scheduler.shutdownNow()).containsExactly((Runnable) queued);
        Schedulers.awaitEnd(scheduler);
        assertThat(seen.get()).isEqualTo(new Outcome.Done<>("interrupted"));
    }

    /** The caller of shutdown cancels the repeated jobs, whose listeners wait for the end. */
    @Test
    void aListenerOfARepeatedJobThatShutdownCancelsMayCloseTheScheduler() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        Stress.Threads threads = new Stress.Threads();
        Repetition inAnHour = Repetition.withFixedDelay(Duration.ofHours(1)).startingAfter(Duration.ofHours(1));
        try {
            for (int i = 0; i < 2; i++) {
                scheduler.repeat(() -> {}, inAnHour).onComplete(outcome -> scheduler.close());
            }
            threads.start("closer", scheduler::shutdown);
            threads.join(scheduler::dump);
            Schedulers.awaitEnd(scheduler);
        } finally {
            scheduler.shutdownNow();
        }
    }

    /** An outside thread runs a part of a fork that waits for it: a job of the scheduler, on whichever thread. */
    @Test
    void closeDoesNotWaitIfAForkCallsItOnAThreadFromOutside() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        Stress.Threads threads = new Stress.Threads();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try {
            scheduler.execute(
                    () -> { // so that nobody but the outside thread can run the part
                        held.countDown();
                        Latches.uninterruptibly(release);
                    });
            Schedulers.await(scheduler, held);
            threads.start("outside", () -> closeInFork(scheduler));
            threads.join(scheduler::dump);
            release.countDown();
            Schedulers.awaitEnd(scheduler);
        } finally {
            release.countDown();
            scheduler.shutdownNow();
        }
    }

    private static void closeInFork(PinnedScheduler scheduler) {
        AtomicBoolean started = new AtomicBoolean();
        AtomicBoolean closing = new AtomicBoolean();
        int ignored = scheduler.<Integer>scope(scope -> {
            Fork<Integer> fork = scope.fork(() -> {
                started.set(true);
                Fork<Integer> part = scope.fork(() -> {
                    closing.set(true);
                    scheduler.close();
                    return 1;
                });
                Stress.await(() -> closing.get() || scope.fork(() -> false).join(), scheduler::dump);
                return part.join();
            });
            Stress.await(started::get, scheduler::dump);
            return fork.join();
        });
    }

    /** Measured, not judged: a loaded machine is slow. */
    @Test
    void anIdleSchedulerEndsSoon() throws Exception {
        for (int workers : new int[] {1, 2, 8, 64}) {
            long longest = 0;
            for (int round = 0; round < 20; round++) {
                PinnedScheduler scheduler = PinnedSchedulerTest.unpinned(workers);
                scheduler.schedule(() -> {}, 0, TimeUnit.SECONDS).get();
                assertThat(scheduler.awaitQuiescence(Duration.ofMinutes(1))).isTrue();
                long before = System.nanoTime();
                scheduler.shutdown();
                assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
                longest = Math.max(longest, System.nanoTime() - before);
            }
            System.out.println("idle shutdown with " + workers + " workers and a timer thread: at most "
                    + TimeUnit.NANOSECONDS.toMicros(longest) + " us of 20");
        }
    }
}
