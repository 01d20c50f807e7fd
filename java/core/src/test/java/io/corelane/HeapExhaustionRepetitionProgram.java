// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Run by {@link HeapExhaustionIT} with a heap in which the timers have no room to grow: a repeated job that cannot be queued
 * again must end, and be told of.
 */
public final class HeapExhaustionRepetitionProgram {
    /** A length that the array of timers has before it grows. */
    private static final int TIMERS = 1 << 18;

    private HeapExhaustionRepetitionProgram() {}

    /** Takes no arguments. */
    public static void main(String[] arguments) {
        FullHeap.run(HeapExhaustionRepetitionProgram::run);
    }

    private static void run() throws Exception {
        AtomicReference<Throwable> told = new AtomicReference<>();
        PinnedScheduler scheduler = PinnedScheduler.builder()
                .name("full")
                .workers(1)
                .pinning(Pinning.OFF)
                .daemon(true)
                .failureHandler((job, failure) -> told.set(failure))
                .build();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        ScheduledJob<?> repeated = scheduler.scheduleWithFixedDelay(
                () -> {
                    held.countDown();
                    Latches.uninterruptibly(release);
                },
                0,
                1,
                TimeUnit.NANOSECONDS);
        Schedulers.await(scheduler, held);
        List<ScheduledJob<?>> others = new ArrayList<>();
        for (int i = 0; i < TIMERS; i++) {
            others.add(scheduler.schedule(() -> {}, 1, TimeUnit.DAYS));
        }
        FullHeap.fill(1 << 15);
        FullHeap.giveBack(4); // some room, but less than the array of timers needs to grow
        release.countDown();
        Outcome<?> outcome = repeated.outcome(Duration.ofMinutes(1));
        FullHeap.empty();
        assertThat(outcome).isInstanceOf(Outcome.Failed.class);
        assertThat(((Outcome.Failed<?>) outcome).cause()).isInstanceOf(OutOfMemoryError.class);
        Stress.await(() -> told.get() instanceof OutOfMemoryError, scheduler::dump);
        others.forEach(job -> job.cancel(false));
        Schedulers.end(scheduler);
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.jobsSubmitted()).isEqualTo(TIMERS + 2);
        assertThat(stats.jobsRun()).isEqualTo(1);
        assertThat(stats.jobsFailed()).isEqualTo(1);
        assertThat(stats.jobsCancelled()).isEqualTo(TIMERS);
    }
}
