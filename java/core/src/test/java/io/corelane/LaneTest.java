// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that belong to one worker. */
@Timeout(300)
class LaneTest {
    @Schedulers.EachShape
    void jobsOfALaneRunOnItsWorkerOneAtATimeInTheOrderOfEachSubmitter(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        int submitters = 4;
        int each = Stress.scaled(2_000);
        int[] last = new int[submitters]; // without a lock: the lane is one
        AtomicIntegerArray seen = new AtomicIntegerArray(submitters * each);
        AtomicInteger done = new AtomicInteger();
        AtomicInteger faults = new AtomicInteger();
        AtomicInteger inside = new AtomicInteger();
        Lane lane = scheduler.lane(workers - 1);
        Stress.Threads threads = new Stress.Threads();
        for (int s = 0; s < submitters; s++) {
            int submitter = s;
            threads.start("submitter-" + s, () -> {
                for (int i = 0; i < each; i++) {
                    int number = i;
                    Runnable job = () -> {
                        faults.addAndGet(inside.getAndIncrement());
                        if (last[submitter]++ != number || Schedulers.currentWorker() != lane.index()) {
                            faults.incrementAndGet();
                        }
                        seen.incrementAndGet(submitter * each + number);
                        inside.decrementAndGet();
                        done.incrementAndGet();
                    };
                    if (number % 2 == 0) {
                        lane.execute(job);
                    } else {
                        lane.submit(job);
                    }
                    scheduler.execute(() -> {});
                }
            });
        }
        threads.join(scheduler::dump);
        Stress.awaitProgress(done::get, (long) submitters * each, scheduler::dump);
        Schedulers.end(scheduler);
        assertThat(faults).hasValue(0);
        assertThat(IntStream.range(0, seen.length())).allMatch(i -> seen.get(i) == 1);
        assertThat(scheduler.stats().submissions().toLanes()).isEqualTo((long) submitters * each);
    }

    /** Worker 1 is held up with jobs in its lane; worker 0 has nothing to do. */
    @Test
    void aJobOfALaneIsNeverStolen() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        CountDownLatch gate = new CountDownLatch(1);
        List<Integer> ranOn = Collections.synchronizedList(new ArrayList<>());
        scheduler.lane(1).execute(() -> Latches.uninterruptibly(gate));
        for (int i = 0; i < 100; i++) {
            scheduler.lane(1).execute(() -> ranOn.add(Schedulers.currentWorker()));
        }
        for (int i = 0; i < 1000; i++) {
            assertThat(Schedulers.result(scheduler, scheduler.submit(Schedulers::currentWorker)))
                    .isZero();
        }
        assertThat(ranOn).isEmpty();
        assertThat(scheduler.stats().workers().get(1).laneQueued()).isEqualTo(100);
        gate.countDown();
        Schedulers.end(scheduler);
        assertThat(ranOn).hasSize(100).containsOnly(1);
    }

    @Schedulers.EachShape
    void aLaneThatKeepsFeedingItselfDoesNotStarveCommonJobs(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        AtomicBoolean stop = new AtomicBoolean();
        for (int i = 0; i < workers; i++) {
            feed(scheduler.lane(i), stop);
            feed(scheduler.lane(i), stop);
        }
        for (int i = 0; i < 100; i++) {
            Schedulers.result(
                    scheduler, scheduler.submit(() -> scheduler.submit(() -> {}).outcome()));
            CountDownLatch local = new CountDownLatch(1);
            scheduler.execute(() -> scheduler.execute(local::countDown));
            Schedulers.await(scheduler, local);
        }
        stop.set(true);
        Schedulers.end(scheduler);
    }

    private static void feed(Lane lane, AtomicBoolean stop) {
        lane.execute(() -> {
            if (!stop.get()) {
                feed(lane, stop);
            }
        });
    }

    @Schedulers.EachShape
    void commonJobsThatKeepFeedingThemselvesDoNotStarveALane(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        AtomicBoolean stop = new AtomicBoolean();
        for (int i = 0; i < 2 * workers; i++) {
            scheduler.execute(() -> feed(scheduler, stop));
        }
        for (int i = 0; i < 100; i++) {
            assertThat(Schedulers.result(scheduler, scheduler.lane(i % workers).submit(Schedulers::currentWorker)))
                    .isEqualTo(i % workers);
        }
        stop.set(true);
        Schedulers.end(scheduler);
    }

    private static void feed(PinnedScheduler scheduler, AtomicBoolean stop) {
        if (!stop.get()) {
            scheduler.execute(() -> feed(scheduler, stop));
        }
    }

    @Test
    void equalKeysHaveTheSameLaneAndKeysAreSpread() throws Exception {
        int workers = 8;
        PinnedScheduler scheduler = Schedulers.unpinned(workers).build();
        int[] consecutive = new int[workers];
        int[] strings = new int[workers];
        for (int key = 0; key < 8_000; key++) {
            Lane lane = scheduler.laneFor("key-" + key);
            assertThat(scheduler.laneFor(String.valueOf(new char[] {'k', 'e', 'y', '-'}) + key))
                    .isSameAs(lane);
            assertThat(lane).isSameAs(scheduler.lane(lane.index()));
            strings[lane.index()]++;
            consecutive[scheduler.laneFor(key).index()]++;
        }
        assertThat(IntStream.of(consecutive)).allMatch(count -> count > 500 && count < 2_000);
        assertThat(IntStream.of(strings)).allMatch(count -> count > 500 && count < 2_000);
        assertThat(IntStream.of(Integer.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE))
                .allMatch(key -> scheduler.laneFor(key).index() >= 0);
        Schedulers.end(scheduler);
    }

    @Test
    void anIndexOutsideTheWorkersIsRefused() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        for (int index : new int[] {-1, 2, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> scheduler.lane(index))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessage("lane=" + index + " (expected 0..1)");
        }
        assertThat(scheduler.lane(1).index()).isEqualTo(1);
        assertThatThrownBy(() -> scheduler.lane(0).execute(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> scheduler.laneFor(null)).isInstanceOf(NullPointerException.class);
        Schedulers.end(scheduler);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void forEachLaneRunsOnceOnEachWorker(int workers) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers).build();
        for (int round = 0; round < 50; round++) {
            AtomicIntegerArray runs = new AtomicIntegerArray(workers);
            List<JobHandle<?>> handles = scheduler.forEachLane(() -> runs.incrementAndGet(Schedulers.currentWorker()));
            assertThat(handles).hasSize(workers);
            for (JobHandle<?> handle : handles) {
                Schedulers.result(scheduler, handle);
            }
            assertThat(IntStream.range(0, workers)).allMatch(i -> runs.get(i) == 1);
        }
        Schedulers.end(scheduler);
    }

    @Test
    void aLanesJobHandleGivesResultsFailuresAndCancellations() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        Lane lane = scheduler.lane(0);
        CountDownLatch started = new CountDownLatch(1);
        JobHandle<?> running = lane.submit(() -> {
            started.countDown();
            new CountDownLatch(1).await();
            return 0;
        });
        AtomicBoolean ran = new AtomicBoolean();
        JobHandle<?> queued = lane.submit(() -> ran.set(true));
        IllegalStateException failure = new IllegalStateException("x");
        JobHandle<String> failing = lane.submit(() -> {
            throw failure;
        });
        JobHandle<Boolean> last = lane.submit(() -> Thread.currentThread().isInterrupted());
        Schedulers.await(scheduler, started);
        assertThat(queued.cancel(true)).isTrue();
        assertThat(running.cancel(true)).isTrue();
        assertThat(Schedulers.outcome(scheduler, failing)).isEqualTo(new Outcome.Failed<>(failure));
        assertThat(Schedulers.result(scheduler, last)).isFalse();
        Schedulers.end(scheduler);
        assertThat(ran).isFalse();
    }

    /** While a lane's job blocks, its worker runs other jobs, but none of the lane. */
    @ParameterizedTest
    @CsvSource({"1, execute", "2, execute", "1, submit", "2, submit"})
    void aLanesJobInABlockingSectionHoldsItsLane(int workers, String how) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers).build();
        for (int round = 0; round < Stress.scaled(50); round++) {
            Lane lane = scheduler.lane(workers - 1);
            CountDownLatch gate = new CountDownLatch(1);
            List<String> order = Collections.synchronizedList(new ArrayList<>());
            Runnable blocking = () -> {
                order.add("first begins");
                try {
                    scheduler.blocking(() -> {
                        gate.await();
                        return 0;
                    });
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
                order.add("first ends on " + Schedulers.currentWorker());
            };
            if (how.equals("execute")) {
                lane.execute(blocking);
            } else {
                lane.submit(blocking);
            }
            JobHandle<?> second = lane.submit(() -> {
                order.add("second on " + Schedulers.currentWorker());
            });
            Stress.awaitProgress(() -> scheduler.stats().threadsAway(), 1, scheduler::dump);
            AtomicBoolean lanesWorkerRan = new AtomicBoolean();
            while (!lanesWorkerRan.get()) { // a common job on the lane's own worker
                CountDownLatch together = new CountDownLatch(workers);
                for (int i = 0; i < workers; i++) {
                    scheduler.execute(() -> {
                        together.countDown();
                        Latches.uninterruptibly(together);
                        if (Schedulers.currentWorker() == lane.index()) {
                            lanesWorkerRan.set(true);
                        }
                    });
                }
                Schedulers.await(scheduler, together);
            }
            assertThat(order).containsExactly("first begins");
            gate.countDown();
            Schedulers.result(scheduler, second);
            assertThat(order)
                    .containsExactly("first begins", "first ends on " + lane.index(), "second on " + lane.index());
        }
        Schedulers.end(scheduler);
    }

    /** A handle's run(), called by a common job on the lane's worker, does not make that job the lane's. */
    @Test
    void aLaneJobThatACommonJobRunsWhileTheLanesJobBlocksDoesNotOpenTheLane() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        Lane lane = scheduler.lane(0);
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch blocks = new CountDownLatch(1);
        JobHandle<?> first = lane.submit(() -> scheduler.blocking(() -> {
            blocks.countDown();
            gate.await();
            return order.add("first ends");
        }));
        JobHandle<?> second = lane.submit(() -> scheduler.blocking(() -> order.add("second")));
        JobHandle<?> third = lane.submit(() -> {
            order.add("third");
        });
        Schedulers.await(scheduler, blocks);
        Schedulers.result(scheduler, scheduler.submit((Runnable) second));
        Schedulers.result(scheduler, scheduler.submit(() -> 1)); // on the lane's worker, after the above
        assertThat(order).containsExactly("second");
        gate.countDown();
        Schedulers.result(scheduler, first);
        Schedulers.result(scheduler, third);
        Schedulers.end(scheduler);
        assertThat(order).containsExactly("second", "first ends", "third");
    }

    @Schedulers.EachShape
    void aLaneStaysInOrderWhileItsJobsBlockAndJoin(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        int jobs = Stress.scaled(3_000);
        int[] next = new int[workers];
        boolean[] inside = new boolean[workers];
        AtomicInteger faults = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        for (int i = 0; i < jobs; i++) {
            for (int w = 0; w < workers; w++) {
                int number = i;
                int lane = w;
                scheduler.lane(w).submit(() -> {
                    if (inside[lane] || next[lane]++ != number || Schedulers.currentWorker() != lane) {
                        faults.incrementAndGet();
                    }
                    inside[lane] = true;
                    if (number % 3 == 0) {
                        scheduler.blocking(() -> {
                            Thread.yield();
                            return 0;
                        });
                    } else if (number % 3 == 1) {
                        scheduler.submit(() -> 1).join();
                    }
                    if (Schedulers.currentWorker() != lane) {
                        faults.incrementAndGet();
                    }
                    inside[lane] = false;
                    return done.incrementAndGet();
                });
            }
        }
        Stress.awaitProgress(done::get, (long) jobs * workers, scheduler::dump);
        Schedulers.end(scheduler);
        assertThat(faults).hasValue(0);
    }

    @Test
    void shutdownRunsWhatTheLanesHaveAccepted() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        AtomicInteger ran = new AtomicInteger();
        CountDownLatch gate = new CountDownLatch(1);
        scheduler.lane(0).execute(() -> {
            Latches.uninterruptibly(gate);
            scheduler.lane(1).execute(ran::incrementAndGet); // from an accepted job: accepted
        });
        for (int i = 0; i < 100; i++) {
            scheduler.lane(0).execute(ran::incrementAndGet);
        }
        scheduler.shutdown();
        assertThatThrownBy(() -> scheduler.lane(0).execute(ran::incrementAndGet))
                .isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> scheduler.lane(1).submit(ran::incrementAndGet))
                .isInstanceOf(RejectedExecutionException.class);
        gate.countDown();
        Schedulers.awaitEnd(scheduler);
        assertThat(ran).hasValue(101);
        assertThat(scheduler.stats().jobsRejected()).isEqualTo(2);
    }

    @Test
    void aLaneThatIsFirstAskedForAfterTheEndRejects() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        Schedulers.end(scheduler);
        assertThatThrownBy(() -> scheduler.lane(0).execute(() -> {}))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("terminated");
        assertThatThrownBy(() -> scheduler.laneFor("key").submit(() -> 1))
                .isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> scheduler.forEachLane(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void shutdownNowHandsBackQueuedLaneJobsAsTheyWereGiven() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        CountDownLatch started = new CountDownLatch(2);
        CountDownLatch never = new CountDownLatch(1);
        for (int i = 0; i < 2; i++) {
            scheduler.lane(i).execute(() -> {
                started.countDown();
                try {
                    never.await();
                } catch (InterruptedException expected) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        Schedulers.await(scheduler, started);
        List<Runnable> queued = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            int number = i;
            Runnable job = () -> {
                throw new AssertionError("ran " + number);
            };
            if (i % 2 == 0) {
                scheduler.lane(i / 2 % 2).execute(job);
                queued.add(job);
            } else {
                queued.add((Runnable) scheduler.lane(i / 2 % 2).submit(job));
            }
        }
        assertThat(scheduler.shutdownNow()).containsExactlyInAnyOrderElementsOf(queued);
        Schedulers.awaitEnd(scheduler);
        assertThat(queued)
                .filteredOn(job -> job instanceof JobHandle<?>)
                .hasSize(10)
                .allMatch(job -> ((JobHandle<?>) job).isCancelled());
        assertThat(scheduler.stats().jobsHandedBack()).isEqualTo(20);
    }

    /** Sixteen submitters, outside and inside, race with the end: each job is run, rejected or handed back, once. */
    @ParameterizedTest
    @CsvSource({"1, false", "1, true", "2, false", "2, true"})
    void everyLaneJobThatRacesWithTheEndIsRunRejectedOrHandedBack(int workers, boolean now) throws Exception {
        for (int round = 0; round < Stress.scaled(60); round++) {
            PinnedScheduler scheduler = Schedulers.unpinned(workers).build();
            AtomicInteger ran = new AtomicInteger();
            AtomicInteger accepted = new AtomicInteger();
            ConcurrentLinkedQueue<JobHandle<?>> handles = new ConcurrentLinkedQueue<>();
            Stress.Threads threads = new Stress.Threads();
            for (int t = 0; t < 16; t++) {
                int number = t;
                threads.start("submitter-" + t, () -> {
                    try {
                        for (int i = 0; true; i++) {
                            if (accepted.get() - ran.get() > 500 && !scheduler.isShutdown()) {
                                Thread.yield(); // a short backlog: the race is at the end of the round
                                continue;
                            }
                            Lane lane = scheduler.lane((i + number) % workers);
                            switch (number % 3) {
                                case 0 -> lane.execute(ran::incrementAndGet);
                                case 1 -> handles.add(lane.submit(ran::incrementAndGet));
                                default ->
                                    lane.execute(() -> {
                                        ran.incrementAndGet();
                                        submitMore(scheduler, ran, accepted, handles);
                                    });
                            }
                            accepted.incrementAndGet();
                        }
                    } catch (RejectedExecutionException expected) {
                        assertThat(scheduler.isShutdown()).isTrue();
                    }
                });
            }
            Stress.awaitProgress(ran::get, round * 13 % 700, scheduler::dump);
            List<Runnable> unstarted = now ? scheduler.shutdownNow() : List.of();
            scheduler.shutdown();
            threads.join(scheduler::dump);
            Schedulers.awaitEnd(scheduler);
            assertThat(handles).allMatch(JobHandle::isDone);
            assertThat(ran.get() + unstarted.size()).as("%s", scheduler.stats()).isEqualTo(accepted.get());
        }
    }

    private static void submitMore(
            PinnedScheduler scheduler,
            AtomicInteger ran,
            AtomicInteger accepted,
            ConcurrentLinkedQueue<JobHandle<?>> handles) {
        try {
            handles.add(scheduler.lane(ran.get() % scheduler.workers()).submit(ran::incrementAndGet));
            accepted.incrementAndGet();
        } catch (RejectedExecutionException expected) {
            assertThat(scheduler.isShutdown()).isTrue();
        }
    }

    /** The first job waits for what has nothing to do with the lane; a child of it waits for the lane's next job. */
    @ParameterizedTest
    @EnumSource(JoinHelp.class)
    void whatALanesJobCouldHelpDoesNotBringTheLanesNextJobForward(JoinHelp help) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).joinHelp(help).build();
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(1);
        AtomicInteger elsewhere = new AtomicInteger();
        JobHandle<?> awaited = scheduler.submit(() -> {
            elsewhere.set(Schedulers.currentWorker());
            running.countDown();
            Latches.uninterruptibly(release);
        });
        Schedulers.await(scheduler, running);
        Lane lane = scheduler.lane(1 - elsewhere.get());
        AtomicReference<JobHandle<Boolean>> second = new AtomicReference<>();
        AtomicBoolean inTheMiddle = new AtomicBoolean();
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch known = new CountDownLatch(1);
        JobHandle<?> first = lane.submit(() -> {
            Latches.uninterruptibly(known);
            JobHandle<Boolean> ignored = scheduler.submit(() -> second.get().join());
            inTheMiddle.set(true);
            waits.countDown();
            awaited.join();
            inTheMiddle.set(false);
        });
        second.set(lane.submit(inTheMiddle::get));
        known.countDown();
        Schedulers.await(scheduler, waits);
        Thread.sleep(50); // time to do the wrong thing
        release.countDown();
        assertThat(Schedulers.result(scheduler, second.get())).isFalse();
        Object ignored = Schedulers.result(scheduler, first);
        Schedulers.end(scheduler);
    }

    /** The same where the first job waits for a fork that another worker runs. */
    @ParameterizedTest
    @EnumSource(JoinHelp.class)
    void noOtherJobRunsInALanesJobThatWaitsForAFork(JoinHelp help) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).joinHelp(help).build();
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(1);
        Lane lane = scheduler.lane(0);
        AtomicReference<JobHandle<Boolean>> second = new AtomicReference<>();
        AtomicBoolean inTheMiddle = new AtomicBoolean();
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch known = new CountDownLatch(1);
        JobHandle<Integer> first = lane.submit(() -> {
            Latches.uninterruptibly(known);
            return scheduler.<Integer>scope(scope -> {
                Fork<Integer> fork = scope.fork(() -> {
                    running.countDown();
                    Latches.uninterruptibly(release);
                    return 1;
                });
                Latches.uninterruptibly(running);
                JobHandle<Boolean> ignored = scheduler.submit(() -> second.get().join());
                inTheMiddle.set(true);
                waits.countDown();
                int result = fork.join();
                inTheMiddle.set(false);
                return result;
            });
        });
        second.set(lane.submit(inTheMiddle::get));
        known.countDown();
        Schedulers.await(scheduler, waits);
        Thread.sleep(50); // time to do the wrong thing
        release.countDown();
        assertThat(Schedulers.result(scheduler, second.get())).isFalse();
        assertThat(Schedulers.result(scheduler, first)).isEqualTo(1);
        Schedulers.end(scheduler);
    }
}
