// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import io.corelane.affinity.ThreadAffinity;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs in blocking sections. */
@Timeout(300)
class BlockingTest {
    private static final CpuSet ALLOWED = ThreadAffinity.get();

    /** Counts the jobs that run outside their sections, and the most there ever were. */
    private static final class Running {
        private final AtomicInteger now = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        void begin() {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
        }

        void end() {
            now.decrementAndGet();
        }

        /** The job does not count while its section runs, nor while the worker changes hands. */
        <T> T blocking(PinnedScheduler scheduler, Callable<T> section) throws Exception {
            end();
            T result = scheduler.blocking(section);
            begin();
            return result;
        }
    }

    @Schedulers.EachShape
    void othersGoOnWhileThreeTimesAsManyJobsBlockAsThereAreWorkers(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        Running running = new Running();
        CountDownLatch gate = new CountDownLatch(1);
        List<JobHandle<Integer>> blocked = new ArrayList<>();
        for (int i = 0; i < 3 * workers; i++) {
            blocked.add(scheduler.submit(() -> {
                running.begin();
                running.blocking(scheduler, () -> Latches.isAwaited(gate));
                int worker = Schedulers.currentWorker();
                running.end();
                return worker;
            }));
        }
        Stress.awaitProgress(() -> scheduler.stats().threadsAway(), 3L * workers, scheduler::dump);
        CyclicBarrier all = new CyclicBarrier(workers); // full parallelism, not just progress
        List<JobHandle<Integer>> others = new ArrayList<>();
        for (int i = 0; i < 50 * workers; i++) {
            others.add(scheduler.submit(() -> {
                running.begin();
                all.await();
                running.end();
                return Schedulers.currentWorker();
            }));
        }
        for (JobHandle<Integer> other : others) {
            assertThat(Schedulers.result(scheduler, other)).isBetween(0, workers - 1);
        }
        assertThat(blocked).noneMatch(JobHandle::isDone);
        gate.countDown();
        for (JobHandle<Integer> job : blocked) {
            assertThat(Schedulers.result(scheduler, job))
                    .as("worker after the section")
                    .isBetween(0, workers - 1);
        }
        Schedulers.end(scheduler);
        assertThat(running.most.get()).isBetween(1, workers);
    }

    @ParameterizedTest
    @CsvSource({"1, 256", "2, 256", "2, 1", "1, 0"})
    void neverMoreJobsRunThanThereAreWorkersHoweverOftenTheyBlock(int workers, int spareThreads) throws Exception {
        PinnedScheduler scheduler =
                Schedulers.unpinned(workers).spareThreads(spareThreads).build();
        Running running = new Running();
        AtomicInteger done = new AtomicInteger();
        int jobs = Stress.scaled(2_000);
        for (int i = 0; i < jobs; i++) {
            scheduler.submit(() -> {
                running.begin();
                for (int k = 0; k < 3; k++) {
                    running.blocking(scheduler, () -> {
                        Thread.yield();
                        return 0;
                    });
                }
                running.end();
                return done.incrementAndGet();
            });
        }
        Stress.awaitProgress(done::get, jobs, scheduler::dump);
        Schedulers.end(scheduler);
        assertThat(running.most.get()).isBetween(1, workers);
    }

    private static final InheritableThreadLocal<String> OF_THE_JOB = new InheritableThreadLocal<>();

    @Test
    @SuppressWarnings("ThreadPriorityCheck") // of one job, to see that it is not that of others
    void aSpareThreadInheritsNothingFromTheJobThatBlocks() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        CountDownLatch gate = new CountDownLatch(1);
        try {
            JobHandle<Boolean> blocked = scheduler.submit(() -> {
                Thread.currentThread().setPriority(Thread.MIN_PRIORITY);
                OF_THE_JOB.set("secret");
                return scheduler.blocking(() -> Latches.isAwaited(gate));
            });
            Stress.awaitProgress(() -> scheduler.stats().threadsAway(), 1, scheduler::dump);
            JobHandle<List<Object>> other = scheduler.submit(
                    () -> Arrays.asList(OF_THE_JOB.get(), Thread.currentThread().getPriority()));
            assertThat(Schedulers.result(scheduler, other)).containsExactly(null, Thread.NORM_PRIORITY);
            gate.countDown();
            assertThat(Schedulers.result(scheduler, blocked)).isTrue();
            Schedulers.end(scheduler);
        } finally {
            gate.countDown();
            scheduler.shutdownNow();
        }
    }

    /** Jobs that come back at the same time each get a worker of their own, without any job's end in between. */
    @Test
    void allThreadsThatComeBackAtOnceGetTheFreeWorkers() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        int rounds = Stress.scaled(2_000);
        for (int round = 0; round < rounds; round++) {
            CountDownLatch gate = new CountDownLatch(1);
            CyclicBarrier both = new CyclicBarrier(2);
            Callable<Integer> job = () -> {
                scheduler.blocking(() -> Latches.isAwaited(gate));
                return both.await();
            };
            JobHandle<Integer> one = scheduler.submit(job);
            JobHandle<Integer> two = scheduler.submit(job);
            Stress.awaitProgress(() -> scheduler.stats().threadsAway(), 2, scheduler::dump);
            gate.countDown();
            Schedulers.result(scheduler, one);
            Schedulers.result(scheduler, two);
        }
        Schedulers.end(scheduler);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void theBlockedThreadMayUseAllCpusAndTheSpareThreadHasTheWorkers(int workers) throws Exception {
        assumeTrue(ALLOWED.size() >= workers, "needs " + workers + " CPUs");
        PinnedScheduler scheduler = PinnedScheduler.builder()
                .name("masks")
                .workers(workers)
                .pinning(Pinning.REQUIRED)
                .daemon(true)
                .build();
        for (int round = 0; round < 20; round++) {
            CountDownLatch gate = new CountDownLatch(1);
            AtomicInteger tid = new AtomicInteger();
            JobHandle<?> job = scheduler.submit(() -> {
                assertOnItsCpu(scheduler);
                scheduler.blocking(() -> {
                    assertThat(ThreadAffinity.get()).isEqualTo(ALLOWED);
                    assertThat(Schedulers.currentWorker()).isEqualTo(-1);
                    tid.set(ThreadAffinity.threadId());
                    return Latches.isAwaited(gate);
                });
                assertOnItsCpu(scheduler);
                assertThat(ThreadAffinity.threadId()).isEqualTo(tid.get());
                return null;
            });
            Stress.awaitProgress(tid::get, 1, scheduler::dump);
            assertThat(ThreadAffinity.get(tid.get())).isEqualTo(ALLOWED);
            CyclicBarrier all = new CyclicBarrier(workers);
            List<JobHandle<Integer>> others = new ArrayList<>();
            for (int i = 0; i < workers; i++) {
                others.add(scheduler.submit(() -> {
                    all.await();
                    assertOnItsCpu(scheduler);
                    return Schedulers.currentWorker();
                }));
            }
            List<Integer> used = new ArrayList<>();
            for (JobHandle<Integer> other : others) {
                used.add(Schedulers.result(scheduler, other));
            }
            assertThat(used).doesNotHaveDuplicates();
            gate.countDown();
            assertThat(Schedulers.outcome(scheduler, job)).isInstanceOf(Outcome.Done.class);
        }
        Schedulers.end(scheduler);
    }

    private static void assertOnItsCpu(PinnedScheduler scheduler) {
        int cpu = scheduler.cpus().toArray()[Schedulers.currentWorker()];
        assertThat(ThreadAffinity.get()).isEqualTo(CpuSet.of(cpu));
        assertThat(ThreadAffinity.currentCpu()).isEqualTo(cpu);
        assertThat(Thread.currentThread().getName()).endsWith("-worker-" + Schedulers.currentWorker() + "-cpu" + cpu);
    }

    @Schedulers.EachShape
    void withoutSpareThreadsASectionBlocksItsWorkerAndNothingElseHappens(int workers, LocalOrder order)
            throws Exception {
        PinnedScheduler scheduler =
                Schedulers.unpinned(workers).localOrder(order).spareThreads(0).build();
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch inside = new CountDownLatch(workers);
        List<JobHandle<Boolean>> jobs = new ArrayList<>();
        for (int i = 0; i < 5 * workers; i++) {
            jobs.add(scheduler.submit(() -> {
                int before = Schedulers.currentWorker();
                int during = scheduler.blocking(() -> {
                    inside.countDown();
                    gate.await();
                    return Schedulers.currentWorker();
                });
                return before == during && before == Schedulers.currentWorker();
            }));
        }
        Schedulers.await(scheduler, inside);
        assertThat(scheduler.stats().threadsAway()).isZero();
        gate.countDown();
        for (JobHandle<Boolean> job : jobs) {
            assertThat(Schedulers.result(scheduler, job)).isTrue();
        }
        Schedulers.end(scheduler);
    }

    @Test
    void atTheLimitOneMoreSectionBlocksItsWorkerUntilAThreadIsBack() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).spareThreads(1).build();
        CountDownLatch firstGate = new CountDownLatch(1);
        CountDownLatch secondGate = new CountDownLatch(1);
        CountDownLatch secondInside = new CountDownLatch(1);
        JobHandle<?> first = scheduler.submit(() -> scheduler.blocking(() -> Latches.isAwaited(firstGate)));
        JobHandle<Integer> second = scheduler.submit(() -> scheduler.blocking(() -> {
            secondInside.countDown();
            secondGate.await();
            return Schedulers.currentWorker();
        }));
        JobHandle<Integer> third = scheduler.submit(() -> scheduler.blocking(Schedulers::currentWorker));
        Schedulers.await(scheduler, secondInside);
        assertThat(scheduler.stats().threadsAway()).isEqualTo(1);
        assertThat(third.isDone()).isFalse();
        firstGate.countDown();
        secondGate.countDown();
        Schedulers.result(scheduler, first);
        assertThat(Schedulers.result(scheduler, second))
                .as("second blocked its worker")
                .isZero();
        Schedulers.result(scheduler, third);
        Schedulers.end(scheduler);
    }

    /** Whatever the order in which the sections end, those that are away and those that hold a worker. */
    @ParameterizedTest
    @CsvSource({"1, 1, false", "1, 1, true", "2, 1, false", "2, 3, true"})
    void atTheLimitNothingIsThrownAndEveryJobEndsAsTheSectionsDo(int workers, int spareThreads, boolean lastFirst)
            throws Exception {
        PinnedScheduler scheduler =
                Schedulers.unpinned(workers).spareThreads(spareThreads).build();
        int jobs = 3 * (workers + spareThreads);
        List<CountDownLatch> gates = new ArrayList<>();
        List<JobHandle<Integer>> handles = new ArrayList<>();
        AtomicInteger inside = new AtomicInteger();
        for (int i = 0; i < jobs; i++) {
            int number = i;
            CountDownLatch gate = new CountDownLatch(1);
            gates.add(gate);
            handles.add(scheduler.submit(() -> scheduler.blocking(() -> {
                inside.incrementAndGet();
                gate.await();
                return number;
            })));
        }
        Stress.await(() -> inside.get() == workers + spareThreads, scheduler::dump);
        SchedulerStats full = scheduler.stats();
        assertThat(full.threadsAway()).isEqualTo(spareThreads);
        assertThat(full.jobsRun()).isZero();
        for (int i = 0; i < jobs; i++) {
            gates.get(lastFirst ? jobs - 1 - i : i).countDown();
        }
        for (int i = 0; i < jobs; i++) {
            assertThat(Schedulers.result(scheduler, handles.get(i))).isEqualTo(i);
        }
        Schedulers.end(scheduler);
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.threadsAway()).isZero();
        assertThat(stats.jobsSubmitted()).isEqualTo(jobs).isEqualTo(stats.jobsRun());
    }

    @Test
    void aManagedBlockerIsBlockedUntilItIsReleasable() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        class Blocker implements ForkJoinPool.ManagedBlocker {
            final List<Integer> workers = new ArrayList<>();
            final int blocks;

            Blocker(int blocks) {
                this.blocks = blocks;
            }

            @Override
            public boolean block() {
                workers.add(Schedulers.currentWorker());
                return workers.size() == blocks;
            }

            @Override
            public boolean isReleasable() {
                return workers.size() >= blocks;
            }
        }
        for (int blocks = 0; blocks < 4; blocks++) {
            Blocker blocker = new Blocker(blocks);
            Schedulers.result(scheduler, scheduler.submit(() -> {
                scheduler.blocking(blocker);
                return null;
            }));
            assertThat(blocker.workers).hasSize(blocks).allMatch(worker -> worker == -1);
        }
        Blocker outside = new Blocker(2);
        scheduler.blocking(outside);
        assertThat(outside.workers).hasSize(2);
        Schedulers.end(scheduler);
    }

    @Test
    void whatAManagedBlockerThrowsComesThrough() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        for (Exception thrown : List.of(new InterruptedException("a"), new IllegalStateException("b"))) {
            ForkJoinPool.ManagedBlocker blocker = new ForkJoinPool.ManagedBlocker() {
                @Override
                public boolean block() throws InterruptedException {
                    if (thrown instanceof InterruptedException interrupted) {
                        throw interrupted;
                    }
                    throw (RuntimeException) thrown;
                }

                @Override
                public boolean isReleasable() {
                    return false;
                }
            };
            assertThat(Schedulers.outcome(scheduler, scheduler.submit(() -> {
                        scheduler.blocking(blocker);
                        return 0;
                    })))
                    .isEqualTo(new Outcome.Failed<>(thrown));
        }
        Schedulers.end(scheduler);
    }

    @Test
    void aSectionInsideASectionIsAPlainCall() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        JobHandle<Integer> job = scheduler.submit(() -> {
            int away = scheduler.blocking(() -> scheduler.blocking(() -> {
                assertThat(Schedulers.currentWorker()).isEqualTo(-1);
                return scheduler.stats().threadsAway();
            }));
            assertThat(Schedulers.currentWorker()).isZero();
            return away;
        });
        assertThat(Schedulers.result(scheduler, job)).isEqualTo(1);
        Schedulers.end(scheduler);
    }

    @Test
    void whatASectionThrowsComesThroughAndTheJobIsBackOnAWorker() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        for (Throwable thrown :
                List.of(new IOException("a"), new IllegalStateException("b"), new StackOverflowError())) {
            JobHandle<Throwable> job = scheduler.submit(() -> {
                Throwable caught = null;
                try {
                    scheduler.blocking(() -> {
                        if (thrown instanceof Error error) {
                            throw error;
                        }
                        throw (Exception) thrown;
                    });
                } catch (Throwable t) {
                    caught = t;
                }
                assertThat(Schedulers.currentWorker()).isZero();
                return caught;
            });
            assertThat(Schedulers.result(scheduler, job)).isSameAs(thrown);
        }
        Schedulers.end(scheduler);
    }

    @Test
    void onAnyOtherThreadASectionIsAPlainCall() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        PinnedScheduler other = Schedulers.unpinned(1).build();
        Thread self = Thread.currentThread();
        assertThat(scheduler.blocking(() -> Thread.currentThread() == self)).isTrue();
        JobHandle<Integer> foreign = other.submit(() -> scheduler.blocking(Schedulers::currentWorker));
        assertThat(Schedulers.result(other, foreign)).isZero();
        assertThatThrownBy(() -> scheduler.blocking((Callable<Integer>) null)).isInstanceOf(NullPointerException.class);
        Schedulers.end(scheduler);
        Schedulers.end(other);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void cancelInterruptsTheSectionAndNoOtherJobOfTheThreadsThatTookPart(int workers) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers).build();
        AtomicInteger leaks = new AtomicInteger();
        AtomicInteger interrupts = new AtomicInteger();
        CountDownLatch never = new CountDownLatch(1);
        int rounds = Stress.scaled(1_000);
        AtomicInteger others = new AtomicInteger();
        Runnable other = () -> {
            leaks.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
            others.incrementAndGet();
        };
        for (int round = 0; round < rounds; round++) {
            CountDownLatch inside = new CountDownLatch(1);
            JobHandle<?> victim = scheduler.submit(() -> scheduler.blocking(() -> {
                inside.countDown();
                try {
                    never.await();
                } catch (InterruptedException e) {
                    interrupts.incrementAndGet();
                    throw e;
                }
                return 0;
            }));
            scheduler.execute(other);
            Schedulers.await(scheduler, inside);
            scheduler.execute(other);
            assertThat(victim.cancel(true)).isTrue();
            scheduler.execute(other);
        }
        Stress.awaitProgress(others::get, 3L * rounds, scheduler::dump);
        Schedulers.end(scheduler);
        assertThat(interrupts).hasValue(rounds);
        assertThat(leaks).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shutdownWaitsForJobsInSectionsAndForWhatTheyDoAfterwards(int workers) throws Exception {
        for (int round = 0; round < Stress.scaled(20); round++) {
            PinnedScheduler scheduler =
                    Schedulers.unpinned(workers).name("blocking-end").build();
            CountDownLatch gate = new CountDownLatch(1);
            List<JobHandle<Integer>> jobs = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                jobs.add(scheduler.submit(() -> {
                    scheduler.blocking(() -> Latches.isAwaited(gate));
                    return scheduler.submit(() -> 1).join() + 1;
                }));
            }
            Stress.awaitProgress(() -> scheduler.stats().threadsAway(), 4, scheduler::dump);
            scheduler.shutdown();
            assertThat(scheduler.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();
            gate.countDown();
            Schedulers.awaitEnd(scheduler);
            assertThat(jobs).allSatisfy(job -> assertThat(job.resultNow()).isEqualTo(2));
            awaitNoThread("blocking-end");
        }
    }

    @ParameterizedTest
    @CsvSource({"1, false", "2, false", "1, true", "2, true"})
    void shutdownNowInterruptsSectionsAndEndsEveryHandle(int workers, boolean stubborn) throws Exception {
        for (int round = 0; round < Stress.scaled(20); round++) {
            PinnedScheduler scheduler =
                    Schedulers.unpinned(workers).name("blocking-now").build();
            CountDownLatch gate = new CountDownLatch(1);
            AtomicInteger interrupted = new AtomicInteger();
            AtomicBoolean open = new AtomicBoolean();
            List<JobHandle<Integer>> jobs = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                jobs.add(scheduler.submit(() -> scheduler.blocking(() -> {
                    if (!Latches.isAwaited(gate)) {
                        interrupted.incrementAndGet();
                    }
                    while (stubborn && !open.get()) {
                        Thread.yield();
                    }
                    return 3;
                })));
            }
            Stress.awaitProgress(() -> scheduler.stats().threadsAway(), 4, scheduler::dump);
            List<JobHandle<?>> waiters = new ArrayList<>();
            for (JobHandle<Integer> job : jobs) {
                waiters.add(scheduler.submit(() -> job.join()));
                waiters.add(scheduler.lane(0).submit(() -> job.join()));
            }
            scheduler.shutdownNow();
            open.set(true);
            Schedulers.awaitEnd(scheduler);
            assertThat(interrupted).hasValue(4);
            assertThat(jobs).allSatisfy(job -> assertThat(job.resultNow()).isEqualTo(3));
            assertThat(waiters).allMatch(JobHandle::isDone);
            awaitNoThread("blocking-now");
        }
    }

    /** Sections come and go, and joins hand over workers, while the scheduler stops. */
    @ParameterizedTest
    @CsvSource({"1, false", "2, false", "1, true", "2, true"})
    void shutdownRacesWithThreadsThatLeaveAndComeBack(int workers, boolean now) throws Exception {
        for (int round = 0; round < Stress.scaled(300); round++) {
            PinnedScheduler scheduler =
                    Schedulers.unpinned(workers).name("blocking-race").build();
            List<JobHandle<Integer>> jobs = new ArrayList<>();
            AtomicInteger started = new AtomicInteger();
            for (int i = 0; i < 20; i++) {
                jobs.add(scheduler.submit(() -> {
                    started.incrementAndGet();
                    return scheduler.blocking(() -> {
                        Thread.yield();
                        return 1;
                    });
                }));
                JobHandle<Integer> last = jobs.get(jobs.size() - 1);
                jobs.add(scheduler.submit(() -> last.join()));
            }
            int some = round % 20;
            Stress.awaitProgress(started::get, some, scheduler::dump);
            if (now) {
                scheduler.shutdownNow();
            }
            Schedulers.end(scheduler);
            assertThat(jobs).allMatch(JobHandle::isDone);
            assertThat(jobs).allMatch(job -> now || !job.isCancelled());
        }
        awaitNoThread("blocking-race");
    }

    @Test
    void aThreadThatComesBackInAStoppedSchedulerSeesTheInterrupt() throws Exception {
        for (int round = 0; round < Stress.scaled(200); round++) {
            PinnedScheduler scheduler = Schedulers.unpinned(2).build();
            CountDownLatch gate = new CountDownLatch(1);
            CountDownLatch never = new CountDownLatch(1);
            List<JobHandle<Boolean>> jobs = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                jobs.add(scheduler.submit(() -> {
                    scheduler.blocking(() -> {
                        while (gate.getCount() > 0) {
                            Thread.onSpinWait();
                        }
                        return 0;
                    });
                    return Latches.isAwaited(never);
                }));
            }
            Stress.awaitProgress(() -> scheduler.stats().threadsAway(), 4, scheduler::dump);
            gate.countDown();
            scheduler.shutdownNow();
            Schedulers.awaitEnd(scheduler);
            assertThat(jobs).allMatch(JobHandle::isDone);
        }
    }

    @Test
    void spareThreadsAreUsedAgainAndEndAfterTenIdleSeconds() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).name("blocking-idle").build();
        for (int round = 0; round < 50; round++) {
            CountDownLatch gate = new CountDownLatch(1);
            List<JobHandle<?>> jobs = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                jobs.add(scheduler.submit(() -> scheduler.blocking(() -> Latches.isAwaited(gate))));
            }
            Stress.awaitProgress(() -> scheduler.stats().threadsAway(), 4, scheduler::dump);
            gate.countDown();
            for (JobHandle<?> job : jobs) {
                Schedulers.result(scheduler, job);
            }
        }
        assertThat(PinnedSchedulerTest.threadsNamed("blocking-idle").size()).isBetween(1, 20);
        if (Stress.isLong()) {
            Stress.awaitProgress(
                    () -> PinnedSchedulerTest.threadsNamed("blocking-idle").size() == 1 ? 1 : 0, 1, scheduler::dump);
        }
        Schedulers.end(scheduler);
        awaitNoThread("blocking-idle");
    }

    private static void awaitNoThread(String prefix) {
        Stress.awaitProgress(
                () -> PinnedSchedulerTest.threadsNamed(prefix).isEmpty() ? 1 : 0,
                1,
                () -> "threads left: " + PinnedSchedulerTest.threadsNamed(prefix));
    }
}
