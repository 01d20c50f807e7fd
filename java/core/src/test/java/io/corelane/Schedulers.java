// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.Pinning;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Support for tests that may hang: schedulers of daemon threads, and waits that fail after a minute with the scheduler's
 * dump. None of them closes a scheduler whose jobs do not end.
 */
final class Schedulers {
    private static final Duration HANGS = Duration.ofSeconds(60);

    private Schedulers() {}

    /** For each number of workers and order: {@code (int workers, LocalOrder order)}. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @ParameterizedTest
    @CsvSource({"1, FIFO", "1, LIFO", "2, FIFO", "2, LIFO"})
    @interface EachShape {}

    static PinnedScheduler.Builder unpinned(int workers) {
        return PinnedScheduler.builder().workers(workers).pinning(Pinning.OFF).daemon(true);
    }

    static PinnedScheduler unpinned(int workers, LocalOrder order) {
        return unpinned(workers).localOrder(order).build();
    }

    /** Returns a job's result. */
    static <T> T result(PinnedScheduler scheduler, JobHandle<T> job) {
        try {
            return job.join(HANGS);
        } catch (TimeoutException hangs) {
            throw new AssertionError(job + " hangs\n" + scheduler.dump(), hangs);
        }
    }

    /** Returns how a job has ended. */
    static <T> Outcome<T> outcome(PinnedScheduler scheduler, JobHandle<T> job) {
        try {
            return job.outcome(HANGS);
        } catch (TimeoutException hangs) {
            throw new AssertionError(job + " hangs\n" + scheduler.dump(), hangs);
        }
    }

    static void await(PinnedScheduler scheduler, CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(HANGS.toSeconds(), TimeUnit.SECONDS))
                .withFailMessage(scheduler::dump)
                .isTrue();
    }

    /** Waits until a thread is parked or blocked. */
    static void awaitParked(Thread thread) {
        Stress.awaitProgress(
                () -> thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING
                        ? 1
                        : 0,
                1,
                () -> thread + " does not park");
    }

    static long helped(PinnedScheduler scheduler) {
        return scheduler.stats().workers().stream()
                .mapToLong(WorkerStats::jobsHelped)
                .sum();
    }

    /** The worker that the calling thread serves, by the thread's name; -1 if it serves none. */
    static int currentWorker() {
        String name = Thread.currentThread().getName();
        int at = name.indexOf("-worker-");
        return at < 0 ? -1 : Integer.parseInt(name.substring(at + 8).split("-", 2)[0]);
    }

    /** Shuts down, waits for the end, and checks the books. */
    static void end(PinnedScheduler scheduler) throws InterruptedException {
        scheduler.shutdown();
        awaitEnd(scheduler);
    }

    /** After a shutdown: waits for the end, and checks the books. */
    static void awaitEnd(PinnedScheduler scheduler) throws InterruptedException {
        assertThat(scheduler.awaitTermination(HANGS.toSeconds(), TimeUnit.SECONDS))
                .withFailMessage(scheduler::dump)
                .isTrue();
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.threadsAway()).isZero();
        assertThat(stats.jobsRun() + stats.jobsFailed() + stats.jobsCancelled() + stats.jobsHandedBack())
                .as("%s", stats)
                .isEqualTo(stats.jobsSubmitted());
        assertThat(stats.workers()).allMatch(worker -> worker.lateFinds() == 0);
    }
}
