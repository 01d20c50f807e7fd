// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that wait for other jobs. */
@Timeout(300)
class JoinTest {
    private static final int CHAIN = 10_000;

    @Schedulers.EachShape
    void tenThousandJobsThatEachSubmitAndJoinTheNextEnd(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        assertThat(Schedulers.result(scheduler, scheduler.submit(() -> nested(scheduler, CHAIN))))
                .isEqualTo(CHAIN);
        Schedulers.end(scheduler);
    }

    private static int nested(PinnedScheduler scheduler, int n) {
        return n == 0 ? 0 : 1 + scheduler.submit(() -> nested(scheduler, n - 1)).join();
    }

    @ParameterizedTest
    @CsvSource({
        "1, FIFO, later, outside",
        "1, FIFO, earlier, outside",
        "1, LIFO, later, inside",
        "1, LIFO, earlier, inside",
        "1, FIFO, later, inside",
        "2, FIFO, later, outside",
        "2, FIFO, earlier, outside",
        "2, LIFO, later, inside",
        "2, LIFO, earlier, inside",
        "2, FIFO, earlier, inside"
    })
    void tenThousandQueuedJobsThatEachJoinAnotherEnd(int workers, LocalOrder order, String awaited, String from)
            throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        CountDownLatch queued = new CountDownLatch(1);
        AtomicInteger held = new AtomicInteger();
        for (int i = 0; i < (from.equals("inside") ? workers - 1 : workers); i++) {
            scheduler.execute(() -> {
                held.incrementAndGet();
                Latches.uninterruptibly(queued);
            });
        }
        int next = awaited.equals("later") ? 1 : -1;
        List<JobHandle<Integer>> jobs = new ArrayList<>(Collections.nCopies(CHAIN, null));
        Runnable submitAll = () -> {
            for (int i = 0; i < CHAIN; i++) {
                int other = i + next;
                jobs.set(i, scheduler.submit(() -> {
                    Latches.uninterruptibly(queued);
                    return other < 0 || other == CHAIN ? 1 : 1 + jobs.get(other).join();
                }));
            }
            queued.countDown();
        };
        if (from.equals("inside")) {
            Schedulers.result(scheduler, scheduler.submit(submitAll));
        } else {
            Stress.awaitProgress(held::get, workers, scheduler::dump);
            submitAll.run();
        }
        for (int i = 0; i < CHAIN; i++) {
            assertThat(Schedulers.result(scheduler, jobs.get(i))).isEqualTo(next > 0 ? CHAIN - i : i + 1);
        }
        Schedulers.end(scheduler);
    }

    /** Each job waits for one of the other scheduler, deeper than either has workers. */
    @Schedulers.EachShape
    void twoSchedulersWhoseJobsWaitForEachOtherGoOn(int workers, LocalOrder order) throws Exception {
        PinnedScheduler one = Schedulers.unpinned(workers, order);
        PinnedScheduler two = Schedulers.unpinned(workers, order);
        assertThat(Schedulers.result(one, one.submit(() -> depth(two, one, 50))))
                .isEqualTo(50);
        assertThat(Schedulers.helped(one) + Schedulers.helped(two)).isZero();
        Schedulers.end(one);
        Schedulers.end(two);
    }

    private static int depth(PinnedScheduler next, PinnedScheduler other, int depth) {
        return depth == 0
                ? 0
                : 1 + next.submit(() -> depth(other, next, depth - 1)).join();
    }

    @Schedulers.EachShape
    void aLaneGoesOnWhileItsWorkerWaitsForAnotherScheduler(int workers, LocalOrder order) throws Exception {
        PinnedScheduler one = Schedulers.unpinned(workers, order);
        PinnedScheduler two = Schedulers.unpinned(workers, order);
        JobHandle<Integer> waiter = one.submit(() -> {
            Lane own = one.lane(Schedulers.currentWorker());
            return two.submit(() -> own.submit(Schedulers::currentWorker).join())
                            .join()
                    - own.index();
        });
        assertThat(Schedulers.result(one, waiter)).isZero();
        Schedulers.end(one);
        Schedulers.end(two);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aWaitForAnotherSchedulerEndsInTimeAndByAnInterrupt(int spareThreads) throws Exception {
        PinnedScheduler one = Schedulers.unpinned(1).spareThreads(spareThreads).build();
        PinnedScheduler two = Schedulers.unpinned(1).build();
        CountDownLatch gate = new CountDownLatch(1);
        JobHandle<?> held = two.submit(() -> Latches.uninterruptibly(gate));
        JobHandle<?> tooLong = one.submit(() -> held.join(Duration.ofMillis(1)));
        assertThat(Schedulers.outcome(one, tooLong).toString()).contains("TimeoutException");
        AtomicReference<Thread> thread = new AtomicReference<>();
        CountDownLatch interrupted = new CountDownLatch(1);
        JobHandle<?> waiter = one.submit(() -> {
            thread.set(Thread.currentThread());
            try {
                return held.get();
            } catch (InterruptedException expected) {
                interrupted.countDown();
                throw expected;
            }
        });
        Stress.await(() -> thread.get() != null, one::dump);
        Schedulers.awaitParked(thread.get());
        assertThat(waiter.cancel(true)).isTrue();
        Schedulers.await(one, interrupted);
        gate.countDown();
        Schedulers.result(two, held);
        Schedulers.end(one);
        Schedulers.end(two);
    }

    /**
     * A job is away from the only worker, and comes back when the one that has its worker waits for it, by way of
     * another scheduler's. No thread can be had for a stranger's job, which the waiter may have met before.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoWaitsForAnotherSchedulerGivesItsWorkerToAThreadThatComesBack(boolean strangerBefore) throws Exception {
        PinnedScheduler one = Schedulers.unpinned(1).spareThreads(1).build();
        PinnedScheduler two = Schedulers.unpinned(1).build();
        CountDownLatch gate = new CountDownLatch(1);
        JobHandle<Integer> away = one.submit(() -> one.blocking(() -> {
            gate.await();
            return 1;
        }));
        Stress.awaitProgress(() -> one.stats().threadsAway(), 1, one::dump);
        JobHandle<Integer> between = two.submit(() -> 1 + away.join());
        AtomicReference<Thread> thread = new AtomicReference<>();
        JobHandle<Integer> waiter = one.submit(() -> {
            thread.set(Thread.currentThread());
            return 1 + between.join();
        });
        Stress.awaitProgress(() -> thread.get() != null ? 1 : 0, 1, one::dump);
        Schedulers.awaitParked(thread.get());
        JobHandle<?> stranger = strangerBefore ? one.submit(() -> {}) : null;
        if (stranger != null) {
            assertThatThrownBy(() -> stranger.join(Duration.ofMillis(200))).isInstanceOf(TimeoutException.class);
        }
        gate.countDown();
        assertThat(Schedulers.result(one, waiter)).isEqualTo(3);
        Schedulers.end(one);
        Schedulers.end(two);
    }

    /**
     * rayon#592. Worker 1 runs what worker 0's job waits for, and a stranger's job that wants the lock of the waiter is
     * queued: a waiter that ran it inside itself would wait for itself.
     */
    @ParameterizedTest
    @EnumSource(
            value = JoinHelp.class,
            names = {"AWAITED", "OWN"})
    void aWaiterThatHoldsALockDoesNotRunAStrangersJobThatWantsIt(JoinHelp mode) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).joinHelp(mode).build();
        Semaphore lock = new Semaphore(1);
        ReentrantLock reentrant = new ReentrantLock();
        Contended contended = new Contended(scheduler, lock, reentrant);
        JobHandle<Boolean> stranger = contended.queueStranger();
        Schedulers.awaitParked(contended.waiterThread.get());
        contended.gate.countDown();
        Schedulers.result(scheduler, contended.waiter);
        assertThat(Schedulers.result(scheduler, stranger))
                .as("ran under the waiter's reentrant lock")
                .isFalse();
        assertThat(Schedulers.helped(scheduler)).isZero();
        Schedulers.end(scheduler);
    }

    /** The same with a waiter that runs anything: shows that the case is the right one. */
    @Test
    void aWaiterThatMayRunAnyJobMeetsItsOwnLock() throws Exception {
        PinnedScheduler scheduler =
                Schedulers.unpinned(2).joinHelp(JoinHelp.ANY).build();
        Semaphore lock = new Semaphore(1);
        ReentrantLock reentrant = new ReentrantLock();
        Contended contended = new Contended(scheduler, lock, reentrant);
        JobHandle<Boolean> stranger = contended.queueStranger();
        Schedulers.await(scheduler, contended.strangerStarted);
        contended.gate.countDown();
        Schedulers.result(scheduler, contended.awaited);
        assertThatThrownBy(() -> contended.waiter.join(Duration.ofMillis(200))).isInstanceOf(TimeoutException.class);
        assertThat(stranger.isDone()).isFalse();
        lock.release();
        assertThat(Schedulers.result(scheduler, stranger)).isTrue();
        Schedulers.result(scheduler, contended.waiter);
        Schedulers.end(scheduler);
    }

    /** A job in worker 1 until the gate opens, and one on worker 0 that holds two locks and waits for it. */
    private static final class Contended {
        final CountDownLatch gate = new CountDownLatch(1);
        final CountDownLatch strangerStarted = new CountDownLatch(1);
        private final CountDownLatch strangerQueued = new CountDownLatch(1);
        final AtomicReference<Thread> waiterThread = new AtomicReference<>();
        final JobHandle<?> awaited;
        final JobHandle<?> waiter;
        private final PinnedScheduler scheduler;
        private final Semaphore lock;
        private final ReentrantLock reentrant;
        private volatile boolean joins;

        Contended(PinnedScheduler scheduler, Semaphore lock, ReentrantLock reentrant) throws InterruptedException {
            this.scheduler = scheduler;
            this.lock = lock;
            this.reentrant = reentrant;
            CountDownLatch running = new CountDownLatch(1);
            awaited = scheduler.submit(() -> {
                running.countDown();
                Latches.uninterruptibly(gate);
            });
            Schedulers.await(scheduler, running);
            CountDownLatch locked = new CountDownLatch(1);
            waiter = scheduler.submit(() -> {
                lock.acquireUninterruptibly();
                reentrant.lock();
                try {
                    waiterThread.set(Thread.currentThread());
                    locked.countDown();
                    Latches.uninterruptibly(strangerQueued);
                    joins = true;
                    awaited.join();
                } finally {
                    reentrant.unlock();
                    lock.release();
                }
            });
            Schedulers.await(scheduler, locked);
        }

        /** Returns once the waiter's thread is about to look for jobs, or has found the stranger's. */
        JobHandle<Boolean> queueStranger() {
            JobHandle<Boolean> stranger = scheduler.submit(() -> {
                boolean insideWaiter = reentrant.isHeldByCurrentThread();
                strangerStarted.countDown();
                lock.acquireUninterruptibly();
                lock.release();
                return insideWaiter;
            });
            strangerQueued.countDown();
            Stress.awaitProgress(() -> joins ? 1 : 0, 1, scheduler::dump);
            return stranger;
        }
    }

    @Schedulers.EachShape
    void jobsThatHoldALockAcrossJoinsExcludeEachOtherAndEnd(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        Semaphore lock = new Semaphore(1);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger violations = new AtomicInteger();
        int jobs = Stress.scaled(2_000);
        Runnable job = () -> {
            lock.acquireUninterruptibly();
            violations.addAndGet(inside.getAndIncrement());
            List<JobHandle<Integer>> children = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                children.add(scheduler.submit(() -> inside.get() == 1 ? 1 : 0));
            }
            int sum = 0;
            for (JobHandle<Integer> child : children) {
                sum += child.join();
            }
            violations.addAndGet(children.size() - sum);
            inside.decrementAndGet();
            lock.release();
            ran.incrementAndGet();
        };
        scheduler.execute(() -> {
            for (int i = 0; i < jobs / 2; i++) {
                scheduler.execute(job);
            }
        });
        for (int i = 0; i < jobs - jobs / 2; i++) {
            scheduler.execute(job);
        }
        Stress.awaitProgress(ran::get, jobs, scheduler::dump);
        assertThat(violations).hasValue(0);
        Schedulers.end(scheduler);
    }

    /** A waiter on worker 0 with three children that nobody else can run, and a stranger's job. */
    @ParameterizedTest
    @CsvSource({"AWAITED, 0, 0", "OWN, 3, 0", "ANY, 3, 1"})
    void aWaiterHelpsWithAsMuchAsItsModeAllows(JoinHelp mode, int children, int strangers) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).joinHelp(mode).build();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        JobHandle<?> awaited = scheduler.submit(() -> {
            running.countDown();
            Latches.uninterruptibly(gate);
        });
        Schedulers.await(scheduler, running);
        AtomicReference<Thread> waiting = new AtomicReference<>();
        AtomicInteger childrenInside = new AtomicInteger();
        AtomicInteger strangersInside = new AtomicInteger();
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch strangerQueued = new CountDownLatch(1);
        JobHandle<?> waiter = scheduler.submit(() -> {
            List<JobHandle<?>> own = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                own.add(scheduler.submit(() -> countIfOn(waiting, childrenInside)));
            }
            started.countDown();
            Latches.uninterruptibly(strangerQueued);
            waiting.set(Thread.currentThread());
            awaited.join();
            waiting.set(null);
            assertThat(own).allMatch(child -> mode == JoinHelp.AWAITED || child.isDone());
        });
        Schedulers.await(scheduler, started);
        JobHandle<?> stranger = scheduler.submit(() -> countIfOn(waiting, strangersInside));
        strangerQueued.countDown();
        Stress.awaitProgress(() -> childrenInside.get() + strangersInside.get(), children + strangers, scheduler::dump);
        Stress.awaitProgress(() -> waiting.get() != null ? 1 : 0, 1, scheduler::dump);
        Schedulers.awaitParked(waiting.get());
        gate.countDown();
        Schedulers.result(scheduler, waiter);
        Schedulers.result(scheduler, stranger);
        Schedulers.end(scheduler);
        assertThat(childrenInside).hasValue(children);
        assertThat(strangersInside).hasValue(strangers);
        assertThat(Schedulers.helped(scheduler)).isEqualTo(children + strangers);
    }

    private static void countIfOn(AtomicReference<Thread> thread, AtomicInteger counter) {
        if (thread.get() == Thread.currentThread()) {
            counter.incrementAndGet();
        }
    }

    @ParameterizedTest
    @EnumSource
    void anUnstartedJobIsRunByItsWaiterInEveryMode(JoinHelp mode) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).joinHelp(mode).build();
        assertThat(Schedulers.result(scheduler, scheduler.submit(() -> {
                    Thread self = Thread.currentThread();
                    return scheduler
                            .submit(() -> Thread.currentThread() == self)
                            .join();
                })))
                .isTrue();
        assertThat(Schedulers.helped(scheduler)).isEqualTo(1);
        Schedulers.end(scheduler);
    }

    @Schedulers.EachShape
    void aJobThatIsInABlockingSectionComesBackToTheWorkerOfItsWaiter(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        CountDownLatch gate = new CountDownLatch(1);
        List<JobHandle<Integer>> blocked = new ArrayList<>();
        List<JobHandle<Integer>> waiters = new ArrayList<>();
        CountDownLatch waiting = new CountDownLatch(workers);
        List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < workers; i++) {
            blocked.add(scheduler.submit(() -> scheduler.blocking(() -> {
                gate.await();
                return 1;
            })));
        }
        Stress.awaitProgress(() -> scheduler.stats().threadsAway(), workers, scheduler::dump);
        for (JobHandle<Integer> job : blocked) {
            waiters.add(scheduler.submit(() -> {
                threads.add(Thread.currentThread());
                waiting.countDown();
                return 1 + job.join();
            }));
        }
        Schedulers.await(scheduler, waiting);
        threads.forEach(Schedulers::awaitParked);
        gate.countDown();
        for (JobHandle<Integer> waiter : waiters) {
            assertThat(Schedulers.result(scheduler, waiter)).isEqualTo(2);
        }
        Schedulers.end(scheduler);
    }

    /** All workers' threads wait in joins for jobs that are away, and those wait for a job that is queued. */
    @Schedulers.EachShape
    void aQueuedJobRunsAlthoughEveryWorkerWaitsInAJoin(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        CountDownLatch gate = new CountDownLatch(1);
        List<JobHandle<?>> waiters = new ArrayList<>();
        List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
        List<JobHandle<?>> blocked = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            blocked.add(scheduler.submit(() -> scheduler.blocking(() -> {
                gate.await();
                return 1;
            })));
        }
        Stress.awaitProgress(() -> scheduler.stats().threadsAway(), workers, scheduler::dump);
        for (JobHandle<?> job : blocked) {
            waiters.add(scheduler.submit(() -> {
                threads.add(Thread.currentThread());
                job.join();
            }));
        }
        Stress.awaitProgress(threads::size, workers, scheduler::dump);
        threads.forEach(Schedulers::awaitParked);
        scheduler.execute(gate::countDown);
        for (JobHandle<?> waiter : waiters) {
            Schedulers.result(scheduler, waiter);
        }
        Schedulers.end(scheduler);
    }

    @Schedulers.EachShape
    void aCommonJobMayWaitForTheLaneOfItsOwnWorker(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        for (int round = 0; round < Stress.scaled(200); round++) {
            Callable<Integer> job = () -> {
                int own = Schedulers.currentWorker();
                JobHandle<Integer> inLane = scheduler.lane(own).submit(Schedulers::currentWorker);
                return inLane.join() == own ? 1 : 0;
            };
            List<JobHandle<Integer>> jobs = new ArrayList<>();
            for (int i = 0; i < 3 * workers; i++) {
                jobs.add(scheduler.submit(job));
            }
            for (JobHandle<Integer> each : jobs) {
                assertThat(Schedulers.result(scheduler, each)).isEqualTo(1);
            }
        }
        Schedulers.end(scheduler);
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "256"})
    void twoWorkersMayWaitForEachOthersLanes(int spareThreads) throws Exception {
        PinnedScheduler scheduler =
                Schedulers.unpinned(2).spareThreads(spareThreads).build();
        for (int round = 0; round < Stress.scaled(200); round++) {
            CyclicBarrier both = new CyclicBarrier(2);
            Callable<Integer> job = () -> {
                both.await();
                int other = 1 - Schedulers.currentWorker();
                JobHandle<Integer> inLane = scheduler.lane(other).submit(Schedulers::currentWorker);
                both.await();
                return inLane.join() == other ? 1 : 0;
            };
            JobHandle<Integer> one = scheduler.submit(job);
            JobHandle<Integer> two = scheduler.submit(job);
            assertThat(Schedulers.result(scheduler, one)).isEqualTo(1);
            assertThat(Schedulers.result(scheduler, two)).isEqualTo(1);
        }
        Schedulers.end(scheduler);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aLanesJobMayWaitForALaterOneOfItsLaneAndRunsThoseInBetween(int workers) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers).build();
        Lane lane = scheduler.lane(workers - 1);
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch queued = new CountDownLatch(1);
        AtomicReference<JobHandle<?>> last = new AtomicReference<>();
        JobHandle<?> first = lane.submit(() -> {
            Latches.uninterruptibly(queued);
            order.add(0);
            last.get().join();
            order.add(100);
        });
        for (int i = 1; i < 10; i++) {
            int number = i;
            last.set(lane.submit(() -> {
                order.add(number);
            }));
        }
        lane.execute(() -> order.add(200));
        queued.countDown();
        Schedulers.result(scheduler, first);
        Schedulers.end(scheduler);
        assertThat(order).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 100, 200);
    }

    /** The chain of common jobs needs another stack if there is one, its end the lane that the first job may hold. */
    @ParameterizedTest
    @CsvSource({"true, 256, 300", "true, 2, 150", "true, 0, 160", "false, 256, 300", "false, 2, 150", "false, 0, 160"})
    void aDeepChainOfJoinsMayEndInALane(boolean fromLane, int spareThreads, int depth) throws Exception {
        PinnedScheduler scheduler =
                Schedulers.unpinned(1).spareThreads(spareThreads).build();
        Lane lane = scheduler.lane(0);
        Callable<Integer> chain =
                () -> nestedThen(scheduler, depth, () -> lane.submit(() -> 0).join());
        assertThat(Schedulers.result(scheduler, fromLane ? lane.submit(chain) : scheduler.submit(chain)))
                .isEqualTo(depth);
        assertThat(Schedulers.result(scheduler, lane.submit(() -> 1)))
                .as("the lane goes on")
                .isEqualTo(1);
        Schedulers.end(scheduler);
    }

    private static int nestedThen(PinnedScheduler scheduler, int n, Callable<Integer> last) throws Exception {
        return n == 0
                ? last.call()
                : 1 + scheduler.submit(() -> nestedThen(scheduler, n - 1, last)).join();
    }

    /**
     * A job that goes on with another thread's stack is cancelled while it blocks. As if it ran inside its waiter, that waits
     * for its body to end. Were the lane's job to go on earlier, the other thread would keep the lane for it, and nobody would
     * give it back.
     */
    @Test
    void aLanesJobGoesOnOnlyOnceACancelledJobThatItHandedToAnotherStackHasEnded() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        Lane lane = scheduler.lane(0);
        DeepChain chain = new DeepChain(scheduler);
        JobHandle<Integer> first = lane.submit(() -> chain.nested(300));
        Schedulers.await(scheduler, chain.blocks);
        assertThat(chain.firstOnAnotherStack().cancel(false)).isTrue();
        assertThatThrownBy(() -> first.join(Duration.ofMillis(200))).isInstanceOf(TimeoutException.class);
        chain.gate.countDown();
        assertThat(Schedulers.outcome(scheduler, first)).isInstanceOf(Outcome.Failed.class);
        assertThat(Schedulers.result(scheduler, lane.submit(() -> 1)))
                .as("the lane goes on")
                .isEqualTo(1);
        Schedulers.end(scheduler);
    }

    /** Each job waits for the next, and the last one blocks. */
    private static final class DeepChain {
        final CountDownLatch blocks = new CountDownLatch(1);
        final CountDownLatch gate = new CountDownLatch(1);
        private final PinnedScheduler scheduler;
        private final List<JobHandle<Integer>> jobs = Collections.synchronizedList(new ArrayList<>());
        private final List<Thread> threads = Collections.synchronizedList(new ArrayList<>());

        DeepChain(PinnedScheduler scheduler) {
            this.scheduler = scheduler;
        }

        int nested(int n) throws Exception {
            threads.add(Thread.currentThread());
            if (n == 0) {
                blocks.countDown();
                return scheduler.blocking(() -> {
                    gate.await();
                    return 0;
                });
            }
            JobHandle<Integer> next = scheduler.submit(() -> nested(n - 1));
            jobs.add(next);
            return 1 + next.join();
        }

        JobHandle<Integer> firstOnAnotherStack() {
            int i = 0;
            while (threads.get(i + 1) == threads.get(0)) {
                i++;
            }
            return jobs.get(i);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "1, 1", "1, 256", "2, 0", "2, 256"})
    void aTimedJobMayBeJoinedOnEveryWorker(int workers, int spareThreads) throws Exception {
        PinnedScheduler scheduler =
                Schedulers.unpinned(workers).spareThreads(spareThreads).build();
        List<JobHandle<Integer>> jobs = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            int millis = i % 5;
            jobs.add(scheduler.submit(() ->
                    scheduler.schedule(() -> 5, millis, TimeUnit.MILLISECONDS).join()));
        }
        for (JobHandle<Integer> job : jobs) {
            assertThat(Schedulers.result(scheduler, job)).isEqualTo(5);
        }
        Schedulers.end(scheduler);
    }

    @ParameterizedTest
    @CsvSource({"0, 100", "0, 130", "0, 160", "2, 150", "2, 300", "256, 300"})
    void aDeepChainOfJoinsMayEndInATimedJob(int spareThreads, int depth) throws Exception {
        PinnedScheduler scheduler =
                Schedulers.unpinned(1).spareThreads(spareThreads).build();
        JobHandle<Integer> root = scheduler.submit(() -> nestedThen(scheduler, depth, () -> scheduler
                .schedule(() -> 0, 1, TimeUnit.MILLISECONDS)
                .join()));
        assertThat(Schedulers.result(scheduler, root)).isEqualTo(depth);
        Schedulers.end(scheduler);
    }

    /** With no other thread to be had, the joining one looks for the timed job itself, behind the entries of jobs that ran in joins. */
    @Test
    void aJoinOnTheOnlyThreadPassesAllStaleEntriesAtOnce() throws Exception {
        int joined = 100_000; // at one each millisecond they would take longer than a test waits
        PinnedScheduler scheduler = Schedulers.unpinned(1).spareThreads(0).build();
        JobHandle<Integer> root = scheduler.submit(() -> {
            for (int i = 0; i < joined; i++) {
                scheduler.submit(() -> {}).join();
            }
            return scheduler.schedule(() -> 5, 1, TimeUnit.MILLISECONDS).join();
        });
        assertThat(Schedulers.result(scheduler, root)).isEqualTo(5);
        Schedulers.end(scheduler);
    }

    @Test
    void aTimedJoinOfARunningJobEndsInTime() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(1);
        JobHandle<?> awaited = scheduler.submit(() -> {
            running.countDown();
            Latches.uninterruptibly(gate);
        });
        Schedulers.await(scheduler, running);
        assertThat(Schedulers.outcome(scheduler, scheduler.submit(() -> awaited.join(Duration.ofMillis(1)))))
                .isInstanceOfSatisfying(Outcome.Failed.class, failed -> assertThat(failed.cause())
                        .isInstanceOf(TimeoutException.class));
        gate.countDown();
        Schedulers.end(scheduler);
    }

    @Test
    void aJobThatWaitsForItselfOrForOneBelowItIsRefused() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        AtomicReference<JobHandle<?>> outer = new AtomicReference<>();
        CountDownLatch set = new CountDownLatch(1);
        outer.set(scheduler.submit(() -> {
            Latches.uninterruptibly(set);
            assertThatThrownBy(() -> outer.get().join())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("waits for itself");
            JobHandle<?> inner = scheduler.submit(() -> outer.get().join());
            assertThatThrownBy(inner::join)
                    .isInstanceOf(JobFailedException.class)
                    .hasCauseInstanceOf(IllegalStateException.class);
        }));
        set.countDown();
        assertThat(Schedulers.outcome(scheduler, outer.get())).isInstanceOf(Outcome.Done.class);
        Schedulers.end(scheduler);
    }

    /** The longer ones go on with other threads' stacks. */
    @ParameterizedTest
    @ValueSource(ints = {1, 100, 200, 1_000})
    void aCycleOfJoinsIsRefusedHoweverLongItIs(int length) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        AtomicReference<JobHandle<Integer>> root = new AtomicReference<>();
        CountDownLatch set = new CountDownLatch(1);
        root.set(scheduler.submit(() -> {
            Latches.uninterruptibly(set);
            return nestedThen(scheduler, length, () -> {
                assertThatThrownBy(() -> root.get().join())
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("waits for itself");
                return 0;
            });
        }));
        set.countDown();
        assertThat(Schedulers.result(scheduler, root.get())).isEqualTo(length);
        Schedulers.end(scheduler);
    }

    @Test
    void cancellingTheOuterJobInterruptsItAndNotTheOneInside() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        for (int round = 0; round < Stress.scaled(500); round++) {
            CountDownLatch innerRuns = new CountDownLatch(1);
            CountDownLatch cancelled = new CountDownLatch(1);
            CountDownLatch ended = new CountDownLatch(1);
            AtomicBoolean innerSaw = new AtomicBoolean();
            AtomicBoolean outerSaw = new AtomicBoolean();
            JobHandle<?> outer = scheduler.submit(() -> {
                scheduler
                        .submit(() -> {
                            innerRuns.countDown();
                            innerSaw.set(!Latches.isAwaited(cancelled)
                                    || Thread.currentThread().isInterrupted());
                        })
                        .join();
                outerSaw.set(Thread.currentThread().isInterrupted());
                ended.countDown();
            });
            Schedulers.await(scheduler, innerRuns);
            assertThat(outer.cancel(true)).isTrue();
            cancelled.countDown();
            Schedulers.await(scheduler, ended);
            assertThat(innerSaw).isFalse();
            assertThat(outerSaw).isTrue();
        }
        Schedulers.end(scheduler);
    }

    @Test
    void cancellingTheJobInsideInterruptsItAndNotTheOuter() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        for (int round = 0; round < Stress.scaled(500); round++) {
            CountDownLatch innerRuns = new CountDownLatch(1);
            CountDownLatch never = new CountDownLatch(1);
            AtomicReference<JobHandle<?>> inner = new AtomicReference<>();
            JobHandle<Boolean> outer = scheduler.submit(() -> {
                inner.set(scheduler.submit(() -> {
                    innerRuns.countDown();
                    assertThat(Latches.isAwaited(never)).isFalse();
                }));
                inner.get().outcome();
                return Thread.currentThread().isInterrupted();
            });
            Schedulers.await(scheduler, innerRuns);
            assertThat(inner.get().cancel(true)).isTrue();
            assertThat(Schedulers.result(scheduler, outer)).isFalse();
        }
        Schedulers.end(scheduler);
    }

    @Test
    void cancelOfTheJobInsideRacingItsEndNeverInterruptsTheOuterOrALaterJob() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        int rounds = Stress.scaled(100_000);
        AtomicInteger seen = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        AtomicReference<JobHandle<?>> current = new AtomicReference<>(scheduler.submit(() -> {}));
        AtomicInteger hits = new AtomicInteger();
        Stress.Threads threads = new Stress.Threads();
        threads.start("canceller", () -> {
            while (!over.get()) {
                if (current.get().cancel(true)) {
                    hits.incrementAndGet();
                }
                Thread.onSpinWait();
            }
        });
        scheduler.execute(() -> {
            while (done.get() < rounds || hits.get() == 0) { // the canceller may have had no CPU until then
                JobHandle<?> inner = scheduler.submit(() -> {});
                current.set(inner);
                inner.outcome();
                if (Thread.interrupted()) {
                    seen.incrementAndGet();
                }
                if (scheduler
                        .submit(() -> Thread.currentThread().isInterrupted())
                        .join()) {
                    seen.incrementAndGet();
                }
                done.incrementAndGet();
            }
            over.set(true);
        });
        Stress.awaitProgress(
                () -> over.get() ? rounds : Math.min(done.get(), rounds - 1),
                rounds,
                () -> hits + " cancellations came in time\n" + scheduler.dump());
        threads.join(scheduler::dump);
        assertThat(seen).hasValue(0);
        Schedulers.end(scheduler);
    }

    /** The victim runs on a worker of its own; the next job on that worker follows at once. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void cancelRacingWithTheEndNeverInterruptsTheNextJobOfTheWorker(int workers) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers).build();
        int rounds = Stress.scaled(100_000);
        AtomicInteger seen = new AtomicInteger();
        AtomicInteger later = new AtomicInteger();
        Runnable next = () -> {
            if (Thread.currentThread().isInterrupted()) {
                seen.incrementAndGet();
            }
            later.incrementAndGet();
        };
        int started = 0;
        while (started < rounds) {
            int batch = Math.min(100, rounds - started);
            List<JobHandle<?>> victims = new ArrayList<>();
            for (int i = 0; i < batch; i++) {
                victims.add(scheduler.submit(() -> {}));
                scheduler.execute(next);
            }
            victims.forEach(victim -> victim.cancel(true));
            started += batch;
            Stress.awaitProgress(later::get, started, scheduler::dump);
        }
        assertThat(seen).hasValue(0);
        Schedulers.end(scheduler);
    }

    /**
     * A job joins a stranger, which runs inside it and submits a job, and then waits for what runs elsewhere. Meanwhile it may run
     * the child that it has submitted itself, and not the one that the stranger has, which may want a lock that it holds.
     */
    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void whatAJobInsideHasSubmittedIsNoChildOfTheWaiter(boolean byHand, boolean blocks) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch childRan = new CountDownLatch(1);
        JobHandle<?> elsewhere = scheduler.submit(() -> {
            running.countDown();
            Latches.uninterruptibly(childRan);
        });
        Schedulers.await(scheduler, running);
        CountDownLatch waiterRuns = new CountDownLatch(1);
        AtomicReference<JobHandle<?>> stranger = new AtomicReference<>();
        CountDownLatch known = new CountDownLatch(1);
        AtomicReference<Thread> holder = new AtomicReference<>();
        AtomicReference<JobHandle<Boolean>> strangersChild = new AtomicReference<>();
        JobHandle<?> waiter = scheduler.submit(() -> {
            waiterRuns.countDown();
            Latches.uninterruptibly(known);
            JobHandle<?> ignored = scheduler.submit(childRan::countDown);
            holder.set(Thread.currentThread());
            if (byHand) {
                ((Runnable) stranger.get()).run();
            } else {
                stranger.get().join();
            }
            elsewhere.join();
            holder.set(null);
        });
        Schedulers.await(scheduler, waiterRuns);
        stranger.set(scheduler.submit(() -> {
            if (blocks) {
                scheduler.blocking(() -> 0); // and comes back, maybe to another worker
            }
            strangersChild.set(scheduler.submit(() -> Thread.currentThread() == holder.get()));
            return 0;
        }));
        known.countDown();
        if (blocks) { // then the waiter does not know its own child any more either
            Thread.sleep(50); // time to do the wrong thing
            childRan.countDown();
        }
        Object ignored = Schedulers.result(scheduler, waiter);
        assertThat(Schedulers.result(scheduler, strangersChild.get())).isFalse();
        Schedulers.end(scheduler);
    }
}
