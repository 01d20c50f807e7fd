// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.IdlePolicy;
import io.corelane.JobHandle;
import io.corelane.Outcome;
import io.corelane.PinnedScheduler;
import io.corelane.Stress;
import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers that change hands, jobs that change threads, and waits that must end: what the chaos run has found. */
@Timeout(120)
class HandoverTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private static PinnedScheduler.Builder builder(int workers) {
        return PinnedScheduler.builder()
                .name("handover")
                .workers(workers)
                .pinning(Pinning.OFF)
                .daemon(true)
                .failureHandler((job, failure) -> {}); // not on the console
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** When the nested joins reach the bound, the awaited job goes to a fresh stack, also if some thread wants a worker. */
    @Test
    void aJobForAFreshStackIsNotLeftToAThreadThatComesBack() throws Exception {
        PinnedScheduler scheduler = builder(1).build();
        Spares spares = Insider.of(scheduler).pool.spares;
        CountDownLatch blocked = new CountDownLatch(1);
        JobHandle<?> away = scheduler.submit(() -> {
            scheduler.blocking(() -> {
                await(blocked);
                return 0;
            });
            return 0;
        });
        JobHandle<Integer> chain = scheduler.submit(() -> chain(scheduler, 0, level -> {
            if (level == Joining.MAX_DEPTH - 1) {
                blocked.countDown();
                Stress.await(spares::isAnyReturning, scheduler::dump);
            }
        }));
        assertThat(chain.join(LONG)).isEqualTo(2 * Joining.MAX_DEPTH);
        assertThat(away.join(LONG)).isEqualTo(0);
        scheduler.shutdown();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    private interface Level {
        void reached(int level);
    }

    private static int chain(PinnedScheduler scheduler, int level, Level told) {
        told.reached(level);
        return level == 2 * Joining.MAX_DEPTH
                ? level
                : scheduler.submit(() -> chain(scheduler, level + 1, told)).join();
    }

    @Test
    void shutdownNowInTheMiddleOfDeepJoinsLeavesNobodyWaiting() throws Exception {
        for (int round = 0; round < Stress.scaled(100); round++) {
            PinnedScheduler scheduler = builder(1).build();
            CountDownLatch deep = new CountDownLatch(1);
            scheduler.execute(() -> chain(scheduler, 0, level -> {
                if (level == Joining.MAX_DEPTH - 1) {
                    deep.countDown();
                }
            }));
            await(deep);
            long until = System.nanoTime() + round * 1000L;
            while (System.nanoTime() - until < 0) {
                Thread.onSpinWait();
            }
            scheduler.shutdownNow();
            assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS))
                    .as(scheduler::dump)
                    .isTrue();
        }
    }

    @Test
    void whoAwaitsQuiescenceReturnsWhenTheSchedulerTerminates() throws Exception {
        PinnedScheduler scheduler = builder(2).build();
        CountDownLatch end = new CountDownLatch(1);
        scheduler.execute(() -> Stress.await(() -> end.getCount() == 0, scheduler::dump));
        Stress.Threads waiter = new Stress.Threads();
        Thread thread = waiter.start("waiter", () -> assertThat(scheduler.awaitQuiescence(Duration.ofDays(1)))
                .isTrue());
        Stress.await(() -> LockSupport.getBlocker(thread) != null, scheduler::dump);
        scheduler.shutdownNow();
        end.countDown();
        waiter.join(scheduler::dump);
    }

    @Test
    void quiescenceIsSeenAlthoughWorkersSpin() throws Exception {
        try (PinnedScheduler scheduler = builder(2).idle(IdlePolicy.busySpin()).build()) {
            scheduler.execute(() -> {});
            assertThat(scheduler.awaitQuiescence(LONG)).as(scheduler::dump).isTrue();
        }
    }

    @Test
    void aDeadlineHoldsAlthoughTheSchedulerWasShutDownBefore() throws Exception {
        PinnedScheduler scheduler = builder(1).build();
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch shutDown = new CountDownLatch(1);
        JobHandle<JobHandle<Integer>> submitter = scheduler.submit(() -> {
            started.countDown();
            await(shutDown);
            return scheduler.submitWithin(
                    () -> {
                        new CountDownLatch(1).await();
                        return 1;
                    },
                    Duration.ofMillis(1));
        });
        await(started);
        scheduler.shutdown();
        shutDown.countDown();
        assertThat(submitter.join(LONG).outcome(LONG)).isInstanceOf(Outcome.Cancelled.class);
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    /** Cancels a repeated job about when one of its runs ends, while other jobs look at their interrupt flags. */
    @Test
    void cancellingARepeatedJobInterruptsNoOtherJob() throws Exception {
        AtomicInteger leaked = new AtomicInteger();
        AtomicInteger looked = new AtomicInteger();
        try (PinnedScheduler scheduler = builder(1).build()) {
            for (int round = 0; round < Stress.scaled(300); round++) {
                AtomicInteger runs = new AtomicInteger();
                JobHandle<?> repeated =
                        scheduler.scheduleAtFixedRate(runs::incrementAndGet, 0, 1, TimeUnit.NANOSECONDS);
                int cancelledAt = 1 + round % 3;
                Stress.await(() -> runs.get() >= cancelledAt, scheduler::dump);
                for (int i = 0; i < 20; i++) {
                    scheduler.execute(() -> {
                        if (Thread.currentThread().isInterrupted()) {
                            leaked.incrementAndGet();
                        }
                        looked.incrementAndGet();
                    });
                }
                repeated.cancel(true);
                int expected = 20 * (round + 1);
                Stress.await(() -> looked.get() >= expected, scheduler::dump);
            }
        }
        assertThat(leaked).hasValue(0);
    }
}
