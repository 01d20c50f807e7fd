// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.List;
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

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aJoinOfAJobThatWaitsForTheClockLetsTheClocksJobRun(int workers) throws Exception {
        PinnedScheduler scheduler = start(workers);
        ScheduledJob<String> clock = scheduler.schedule(() -> "rang", 50, TimeUnit.MILLISECONDS);
        CountDownLatch waiting = new CountDownLatch(workers);
        List<JobHandle<String>> sleepers = List.of(submitJoin(scheduler, clock, waiting), submitJoin(scheduler, clock, waiting));
        waiting.await();
        List<JobHandle<String>> waiters = List.of(
                scheduler.submit(() -> sleepers.get(0).join()), scheduler.submit(() -> sleepers.get(1).join()));
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
        JobHandle<String> outer = scheduler.submit(() -> {
            AtomicReference<JobHandle<String>> invoker = new AtomicReference<>();
            invoker.set(scheduler.submit(() -> scheduler.invokeAny(List.of(() -> "a", () -> "a"))));
            return scheduler.submit(() -> invoker.get().join());
        }).join(DEADLINE);
        assertThat(outer.join(DEADLINE)).isEqualTo("a");
        scheduler.close();
    }

    private static PinnedScheduler start(int workers) {
        return PinnedScheduler.builder()
                .workers(workers)
                .pinning(Pinning.OFF)
                .daemon(true)
                .build();
    }
}
