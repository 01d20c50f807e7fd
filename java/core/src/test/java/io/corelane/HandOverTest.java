// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that leave their worker to another thread while others join, return, or go too deep. */
@Timeout(300)
class HandOverTest {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final int DEEP = 300; // more than one stack takes
    private static final int LAST_ON_A_STACK = 128;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aJoinOfAJobThatWaitsForTheClockLetsTheClocksJobRun(int workers) throws Exception {
        PinnedScheduler scheduler = start(workers);
        ScheduledJob<String> clock = scheduler.schedule(() -> "rang", 50, TimeUnit.MILLISECONDS);
        CountDownLatch waiting = new CountDownLatch(workers);
        List<JobHandle<String>> sleepers =
                List.of(submitJoin(scheduler, clock, waiting), submitJoin(scheduler, clock, waiting));
        waiting.await();
        List<JobHandle<String>> waiters =
                List.of(scheduler.submit(() -> sleepers.get(0).join()), scheduler.submit(() -> sleepers.get(1)
                        .join()));
        for (JobHandle<String> waiter : waiters) {
            assertThat(waiter.join(DEADLINE)).isEqualTo("rang");
        }
        scheduler.close();
    }

    private static JobHandle<String> submitJoin(
            PinnedScheduler scheduler, JobHandle<String> job, CountDownLatch started) {
        return scheduler.submit(() -> {
            started.countDown();
            return job.join();
        });
    }

    @Test
    void aJoinOfAJobThatInvokesOthersLetsThemRunOnTheOnlyWorker() throws Exception {
        PinnedScheduler scheduler = start(1);
        JobHandle<String> outer = scheduler
                .submit(() -> {
                    AtomicReference<JobHandle<String>> invoker = new AtomicReference<>();
                    invoker.set(scheduler.submit(() -> scheduler.invokeAny(List.of(() -> "a", () -> "a"))));
                    return scheduler.submit(() -> invoker.get().join());
                })
                .join(DEADLINE);
        assertThat(outer.join(DEADLINE)).isEqualTo("a");
        scheduler.close();
    }

    @Test
    void aJobThatComesBackDoesNotTakeThePlaceOfOneThatWentTooDeep() throws Exception {
        PinnedScheduler scheduler = start(1);
        AtomicReference<Thread> away = new AtomicReference<>();
        CountDownLatch left = new CountDownLatch(1);
        CountDownLatch mayReturn = new CountDownLatch(1);
        JobHandle<?> returning = scheduler.submit(() -> scheduler.blocking(() -> {
            away.set(Thread.currentThread());
            left.countDown();
            mayReturn.await();
            return true;
        }));
        left.await();
        JobHandle<Integer> deep = scheduler.submit(() -> {
            mayReturn.countDown();
            Stress.await(() -> isIn(away.get(), "awaitWorker"), scheduler::dump);
            return descend(scheduler, DEEP);
        });
        assertThat(deep.join(DEADLINE)).isEqualTo(DEEP);
        assertThat(returning.join(DEADLINE)).isEqualTo(true);
        scheduler.close();
    }

    @Test
    void aJobOnAFreshStackDoesNotRunStrangersWhileItWaits() throws Exception {
        PinnedScheduler scheduler = start(1);
        CountDownLatch strangerRan = new CountDownLatch(1);
        CountDownLatch left = new CountDownLatch(1);
        JobHandle<Boolean> blocked = scheduler.submit(() -> scheduler.blocking(() -> {
            left.countDown();
            return strangerRan.await(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        }));
        left.await();
        AtomicReference<Thread> waiter = new AtomicReference<>();
        AtomicReference<Thread> strangers = new AtomicReference<>();
        JobHandle<Boolean> deep = scheduler.submit(() -> descendTo(scheduler, LAST_ON_A_STACK, () -> {
            JobHandle<?> unused = scheduler.submit(() -> {
                strangers.set(Thread.currentThread());
                strangerRan.countDown();
            });
            JobHandle<Boolean> first = scheduler.submit(() -> {
                waiter.set(Thread.currentThread());
                return blocked.join();
            });
            return first.join();
        }));
        assertThat(deep.join(DEADLINE)).isTrue();
        assertThat(strangers.get()).isNotNull().isNotSameAs(waiter.get());
        scheduler.close();
    }

    private static PinnedScheduler start(int workers) {
        return PinnedScheduler.builder()
                .workers(workers)
                .pinning(Pinning.OFF)
                .daemon(true)
                .build();
    }

    private static int descend(PinnedScheduler scheduler, int levels) {
        return levels == 0
                ? 0
                : 1 + scheduler.submit(() -> descend(scheduler, levels - 1)).join();
    }

    private static <T> T descendTo(PinnedScheduler scheduler, int levels, Callable<T> end) throws Exception {
        return levels == 0
                ? end.call()
                : scheduler.submit(() -> descendTo(scheduler, levels - 1, end)).join();
    }

    static boolean isIn(Thread thread, String method) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals(method));
    }
}
