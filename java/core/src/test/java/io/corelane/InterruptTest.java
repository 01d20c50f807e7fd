// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No job sees an interrupt that was meant for another. */
@Timeout(120)
class InterruptTest {
    private final Queue<String> leaks = new ConcurrentLinkedQueue<>();

    private static PinnedScheduler scheduler(int workers) {
        return PinnedScheduler.builder()
                .name("interrupts")
                .workers(workers)
                .pinning(Pinning.OFF)
                .failureHandler((job, failure) -> {})
                .build();
    }

    /** Nobody cancels it. */
    private void innocent(String where) {
        if (Thread.currentThread().isInterrupted()) {
            leaks.add(where);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aCancelThatRacesTheEndOfAJobHitsNoOther(int workers) throws Exception {
        try (PinnedScheduler scheduler = scheduler(workers)) {
            for (int i = 0; i < Stress.scaled(5_000); i++) {
                AtomicInteger step = new AtomicInteger();
                JobHandle<?> victim = i % 3 == 0
                        ? scheduler.lane(0).submit(step::incrementAndGet)
                        : scheduler.submit(step::incrementAndGet);
                scheduler.execute(() -> innocent("execute"));
                scheduler.lane(0).execute(() -> innocent("lane"));
                if (i % 2 == 0) {
                    for (int spins = 0; spins < 1_000 && step.get() == 0; spins++) {
                        Thread.onSpinWait();
                    }
                }
                victim.cancel(true);
                if (i % 64 == 0) {
                    scheduler.forEachLane(() -> innocent("forEachLane")).forEach(JobHandle::join);
                }
            }
        }
        assertThat(leaks).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aJobThatIsCancelledWhileItRunsKeepsItsInterruptToItself(int workers) throws Exception {
        try (PinnedScheduler scheduler = scheduler(workers)) {
            for (int i = 0; i < Stress.scaled(500); i++) {
                int kind = i % 4;
                CountDownLatch begun = new CountDownLatch(1);
                CountDownLatch hit = new CountDownLatch(1);
                Runnable body = () -> {
                    begun.countDown();
                    while (!Thread.currentThread().isInterrupted()) {
                        LockSupport.park();
                    }
                    hit.countDown(); // the flag is left as it is
                };
                JobHandle<?> victim =
                        switch (kind) {
                            case 0 -> scheduler.submit(body);
                            case 1 -> scheduler.lane(0).submit(body);
                            case 2 ->
                                scheduler.submit(() -> scheduler.blocking(() -> {
                                    body.run();
                                    return 1;
                                }));
                            default -> scheduler.schedule(body, 0, TimeUnit.SECONDS);
                        };
                assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
                scheduler.execute(() -> innocent("behind kind " + kind));
                assertThat(victim.cancel(true)).isTrue();
                scheduler
                        .forEachLane(() -> innocent("lanes after kind " + kind))
                        .forEach(JobHandle::join);
                scheduler.submit(() -> innocent("after kind " + kind)).join();
                assertThat(hit.await(60, TimeUnit.SECONDS)).isTrue();
            }
        }
        assertThat(leaks).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aJobThatRunsInsideAnotherKeepsItsInterruptToItselfAndSeesNotTheOuterOne(int workers) throws Exception {
        try (PinnedScheduler scheduler = scheduler(workers)) {
            for (int i = 0; i < Stress.scaled(500); i++) {
                CountDownLatch bothBegun =
                        new CountDownLatch(2); // the inner one may begin before the outer has its handle
                AtomicBoolean innerMayEnd = new AtomicBoolean();
                AtomicBoolean outerHit = new AtomicBoolean();
                JobHandle<?>[] inner = new JobHandle<?>[1];
                boolean cancelInner = i % 2 == 0;
                JobHandle<?> outer = scheduler.lane(0).submit(() -> {
                    inner[0] = scheduler.submit(() -> {
                        bothBegun.countDown();
                        while (!innerMayEnd.get() && !Thread.currentThread().isInterrupted()) {
                            LockSupport.parkNanos(10_000);
                        }
                        if (!cancelInner) {
                            innocent("inner");
                        }
                    });
                    bothBegun.countDown();
                    Outcome<?> ignored = inner[0].outcome();
                    if (cancelInner) {
                        innocent("outer");
                    } else {
                        outerHit.set(Thread.currentThread().isInterrupted());
                    }
                });
                assertThat(bothBegun.await(60, TimeUnit.SECONDS)).isTrue();
                if (cancelInner) {
                    inner[0].cancel(true);
                    assertThat(outer.join(Duration.ofSeconds(60))).isNull();
                } else {
                    outer.cancel(true);
                    innerMayEnd.set(true);
                    scheduler.lane(0).submit(() -> innocent("behind outer")).join();
                    assertThat(outerHit)
                            .as("the outer job learns of it after its join")
                            .isTrue();
                }
                scheduler.forEachLane(() -> innocent("afterwards")).forEach(JobHandle::join);
            }
        }
        assertThat(leaks).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aFlagThatAJobSetsItselfIsGoneBeforeTheNext(int workers) throws Exception {
        try (PinnedScheduler scheduler = scheduler(workers)) {
            Runnable careless = () -> Thread.currentThread().interrupt();
            for (int i = 0; i < Stress.scaled(200); i++) {
                scheduler.execute(careless);
                scheduler.execute(() -> innocent("execute"));
                scheduler.lane(0).execute(careless);
                scheduler.lane(0).execute(() -> innocent("lane"));
                scheduler.submit(careless).join();
                scheduler.submit(() -> innocent("submit")).join();
                scheduler.lane(0).submit(careless).join();
                scheduler.schedule(careless, 0, TimeUnit.SECONDS).join();
                scheduler
                        .schedule(() -> innocent("schedule"), 0, TimeUnit.SECONDS)
                        .join();
                scheduler
                        .submit(() -> {
                            scheduler.submit(careless).join();
                            innocent("outer");
                        })
                        .join();
                scheduler
                        .submit(() -> scheduler.blocking(() -> {
                            Thread.currentThread().interrupt();
                            return 1;
                        }))
                        .join();
                scheduler.forEachLane(() -> innocent("lanes")).forEach(JobHandle::join);
            }
        }
        assertThat(leaks).isEmpty();
    }

    /** Everything is cancelled by somebody at some time, but for the innocent jobs. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void underAStormOfCancellationsNoInnocentJobIsInterrupted(int workers) throws Exception {
        PinnedScheduler scheduler = scheduler(workers);
        Stress.Threads threads = new Stress.Threads();
        AtomicInteger innocents = new AtomicInteger();
        int rounds = Stress.scaled(2_000);
        for (int t = 0; t < 3; t++) {
            threads.start("canceller " + t, () -> {
                for (int i = 0; i < rounds; i++) {
                    JobHandle<?> handle =
                            switch (i % 4) {
                                case 0 ->
                                    scheduler.submit(
                                            () -> scheduler.submit(() -> 1).join());
                                case 1 -> scheduler.submit(() -> scheduler.blocking(() -> 1));
                                case 2 -> scheduler.laneFor(i).submit(() -> 1);
                                default -> scheduler.schedule(() -> 1, i % 50, TimeUnit.MICROSECONDS);
                            };
                    scheduler.laneFor(i + 1).execute(() -> {
                        innocent("lane");
                        innocents.incrementAndGet();
                    });
                    scheduler.execute(() -> {
                        innocent("execute");
                        scheduler.execute(() -> innocent("forked"));
                        innocents.incrementAndGet();
                    });
                    LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(20_000));
                    handle.cancel(true);
                }
            });
        }
        threads.join(scheduler::dump);
        scheduler.close();
        assertThat(innocents).hasValue(6 * rounds);
        assertThat(leaks).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shutdownNowInterruptsWhatRunsAndNothingElse(int workers) throws Exception {
        for (int round = 0; round < Stress.scaled(50); round++) {
            PinnedScheduler scheduler = scheduler(workers);
            CountDownLatch blocked = new CountDownLatch(1);
            CountDownLatch begun = new CountDownLatch(workers);
            AtomicInteger hit = new AtomicInteger();
            scheduler.submit(() -> scheduler.blocking(() -> {
                awaitInterrupt(blocked, hit);
                return 1;
            }));
            assertThat(blocked.await(60, TimeUnit.SECONDS)).isTrue(); // a lane's job would keep it from its only worker
            scheduler.forEachLane(() -> awaitInterrupt(begun, hit));
            assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
            PinnedScheduler bystander = round % 10 == 0 ? scheduler(1) : null;
            scheduler.shutdownNow();
            assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            assertThat(hit).hasValue(workers + 1);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            if (bystander != null) {
                bystander.submit(() -> innocent("another scheduler")).join();
                bystander.close();
            }
        }
        assertThat(leaks).isEmpty();
    }

    private static void awaitInterrupt(CountDownLatch begun, AtomicInteger hit) {
        begun.countDown();
        while (!Thread.currentThread().isInterrupted()) {
            LockSupport.park();
        }
        hit.incrementAndGet();
    }

    @Test
    void aJobThatRunsInsideAWaitingOneDoesNotSeeTheInterruptOfThat() {
        try (PinnedScheduler scheduler = scheduler(1)) {
            JobHandle<Boolean> outer = scheduler.submit(() -> {
                JobHandle<?> inner = scheduler.submit(() -> innocent("a job inside"));
                Thread.currentThread().interrupt();
                Object ignored = inner.join();
                return Thread.currentThread().isInterrupted();
            });
            assertThat(outer.join()).as("has its own interrupt back").isTrue();
        }
        assertThat(leaks).isEmpty();
    }

    /** Cancels a repeated job about when one of its runs ends, while other jobs look at their interrupt flags. */
    @Test
    void cancellingARepeatedJobInterruptsNoOtherJob() throws Exception {
        AtomicInteger looked = new AtomicInteger();
        try (PinnedScheduler scheduler = scheduler(1)) {
            for (int round = 0; round < Stress.scaled(300); round++) {
                AtomicInteger runs = new AtomicInteger();
                JobHandle<?> repeated =
                        scheduler.scheduleAtFixedRate(runs::incrementAndGet, 0, 1, TimeUnit.NANOSECONDS);
                int cancelledAt = 1 + round % 3;
                Stress.await(() -> runs.get() >= cancelledAt, scheduler::dump);
                for (int i = 0; i < 20; i++) {
                    scheduler.execute(() -> {
                        innocent("a job beside the repeated one");
                        looked.incrementAndGet();
                    });
                }
                repeated.cancel(true);
                int expected = 20 * (round + 1);
                Stress.await(() -> looked.get() >= expected, scheduler::dump);
            }
        }
        assertThat(leaks).isEmpty();
    }
}
