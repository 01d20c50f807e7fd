// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * Run by {@link HeapExhaustionIT} with a small heap and without buffers for allocation: cancels a job that runs another inside,
 * without memory to tell the threads that may run its forks.
 */
public final class HeapExhaustionCancelProgram {
    private HeapExhaustionCancelProgram() {}

    /** Takes no arguments. */
    public static void main(String[] arguments) {
        FullHeap.run(HeapExhaustionCancelProgram::run);
    }

    private static void run() throws Exception {
        PinnedScheduler scheduler = PinnedScheduler.builder()
                .name("full")
                .workers(1)
                .pinning(Pinning.OFF)
                .daemon(true)
                .build();
        for (int i = 0; i < 4; i++) { // the JVM links a call once
            cancel(scheduler, i == 3);
        }
        Schedulers.end(scheduler);
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.jobsSubmitted()).isEqualTo(8);
        assertThat(stats.jobsRun()).isEqualTo(4);
        assertThat(stats.jobsCancelled()).isEqualTo(4);
    }

    private static void cancel(PinnedScheduler scheduler, boolean withoutMemory) throws Exception {
        CountDownLatch innerRuns = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        JobHandle<?> outer = scheduler.submit(() -> scheduler
                .submit(() -> {
                    innerRuns.countDown();
                    Latches.uninterruptibly(release);
                })
                .join());
        Schedulers.await(scheduler, innerRuns);
        Stress.Threads threads = new Stress.Threads();
        Thread waiter = threads.start("waiter", () -> awaitCancelled(outer));
        Schedulers.awaitParked(waiter);
        boolean refused = false;
        for (int length = 1 << 16; withoutMemory && length >= 1; length /= 4) {
            FullHeap.fill(length);
        }
        try {
            boolean ignored = outer.cancel(true);
        } catch (OutOfMemoryError noRoom) {
            refused = true;
        }
        FullHeap.empty();
        assertThat(refused).isEqualTo(withoutMemory);
        threads.join(scheduler::dump);
        release.countDown();
        assertThat(scheduler.awaitQuiescence(Duration.ofMinutes(1))).isTrue();
    }

    /** The waiter is waked while there is no memory even for the outcome. */
    private static void awaitCancelled(JobHandle<?> job) throws Exception {
        while (true) {
            try {
                assertThat(job.outcome(Duration.ofMinutes(1))).isInstanceOf(Outcome.Cancelled.class);
                return;
            } catch (OutOfMemoryError notYet) {
                Thread.sleep(1);
            }
        }
    }
}
