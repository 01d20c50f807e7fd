// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.affinity.Pinning;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that throw what no job should, on every path, and handlers that throw in turn. */
@Timeout(120)
class JobFailureTest {
    private record Told(Runnable job, Throwable failure) {}

    private final Queue<Told> told = new ConcurrentLinkedQueue<>();

    private PinnedScheduler.Builder builder(int workers) {
        return PinnedScheduler.builder()
                .name("failing")
                .workers(workers)
                .pinning(Pinning.OFF)
                .failureHandler((job, failure) -> told.add(new Told(job, failure)));
    }

    /** Thrown where nobody expects it, as {@code Thread.stop} did. */
    private static final class Death extends Error {
        private static final long serialVersionUID = 1L;
    }

    private static List<Throwable> throwables() {
        return List.of(
                new OutOfMemoryError("by a job"),
                new StackOverflowError("by a job"),
                new InternalError("by a job"),
                new UnknownError("by a job"),
                new Death(),
                new AssertionError("by a job"),
                new LinkageError("by a job"),
                new IOException("by a job"),
                new InterruptedException("by a job"),
                new IllegalStateException("by a job"));
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> void sneak(Throwable failure) throws E {
        throw (E) failure;
    }

    private static Runnable throwing(Throwable failure) {
        return () -> JobFailureTest.<RuntimeException>sneak(failure);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatExecutedJobsThrowReachesTheHandlerOnceWithTheJob(int workers) throws Exception {
        List<Told> expected = new ArrayList<>();
        PinnedScheduler scheduler = builder(workers).build();
        for (Throwable failure : throwables()) {
            List<Runnable> jobs = List.of(
                    throwing(failure), throwing(failure), throwing(failure), throwing(failure), throwing(failure));
            scheduler.execute(jobs.get(0));
            scheduler.lane(0).execute(jobs.get(1));
            scheduler.executeAll(List.of(jobs.get(2)));
            scheduler.submit(() -> scheduler.execute(jobs.get(3))).join();
            assertThat(scheduler.tryExecute(jobs.get(4))).isTrue();
            jobs.forEach(job -> expected.add(new Told(job, failure)));
        }
        assertThat(scheduler.submit(() -> 42).join()).isEqualTo(42);
        scheduler.close();
        assertThat(told).containsExactlyInAnyOrderElementsOf(expected);
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.jobsFailed()).isEqualTo(expected.size());
        assertThat(stats.jobsSubmitted()).isEqualTo(stats.jobsRun() + stats.jobsFailed());
        assertThat(stats.workers()).allMatch(worker -> worker.threadsReplaced() == 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void onlyVirtualMachineErrorsOfSubmittedJobsReachTheHandlerAsWell(int workers) throws Exception {
        List<Told> expected = new ArrayList<>();
        PinnedScheduler scheduler = builder(workers).build();
        for (Throwable failure : throwables()) {
            List<JobHandle<?>> handles = new ArrayList<>(List.of(
                    scheduler.submit(throwing(failure)),
                    scheduler.lane(0).submit(throwing(failure)),
                    scheduler.schedule(throwing(failure), 0, TimeUnit.SECONDS),
                    scheduler.submitWithin(
                            () -> {
                                throwing(failure).run();
                                return 1;
                            },
                            Duration.ofHours(1))));
            handles.addAll(scheduler.forEachLane(throwing(failure)));
            handles.add(scheduler
                    .submit(
                            () -> { // joined inside
                                JobHandle<?> inner = scheduler.submit(throwing(failure));
                                assertThat(inner.outcome()).isInstanceOf(Outcome.Failed.class);
                                return inner;
                            })
                    .join());
            for (JobHandle<?> handle : handles) {
                assertThat(handle.outcome()).isEqualTo(new Outcome.Failed<>(failure));
                if (failure instanceof VirtualMachineError) {
                    expected.add(new Told((Runnable) handle, failure));
                }
            }
        }
        scheduler.close();
        assertThat(told).containsExactlyInAnyOrderElementsOf(expected);
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.jobsFailed()).isEqualTo((5L + workers) * throwables().size());
        assertThat(stats.jobsSubmitted()).isEqualTo(stats.jobsRun() + stats.jobsFailed());
        assertThat(stats.workers()).allMatch(worker -> worker.threadsReplaced() == 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aRepeatedJobGoesOnAfterAnyThrowableIfItsPolicySaysSo(int workers) throws Exception {
        AtomicInteger runs = new AtomicInteger();
        List<Throwable> failures = throwables();
        PinnedScheduler scheduler = builder(workers).build();
        ScheduledJob<?> job = scheduler.repeat(
                () -> {
                    int run = runs.getAndIncrement();
                    if (run < failures.size()) {
                        throwing(failures.get(run)).run();
                    }
                },
                Repetition.atFixedRate(Duration.ofMillis(1)).onFailure(Repetition.AfterFailure.CONTINUE));
        Stress.await(() -> runs.get() > failures.size() + 2, scheduler::dump);
        assertThat(job.isDone()).isFalse();
        job.cancel(false);
        scheduler.close();
        assertThat(told.stream().map(Told::failure)).containsExactlyElementsOf(failures);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aHandlerThatThrowsChangesNothing(int workers) throws Exception {
        AtomicInteger asked = new AtomicInteger();
        int before = RecordedLog.linesWith("the failure handler of scheduler throwing-handler threw")
                .size();
        PinnedScheduler scheduler = PinnedScheduler.builder()
                .name("throwing-handler")
                .workers(workers)
                .pinning(Pinning.OFF)
                .failureHandler((job, failure) -> {
                    asked.incrementAndGet();
                    JobFailureTest.<RuntimeException>sneak(failure);
                })
                .build();
        JobHandle<?> last = null;
        for (Throwable failure : throwables()) {
            scheduler.execute(throwing(failure));
            last = scheduler.submit(throwing(failure));
        }
        assertThat(last.outcome()).isInstanceOf(Outcome.Failed.class);
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            scheduler.execute(ran::incrementAndGet);
        }
        scheduler.close();
        assertThat(ran).hasValue(100);
        assertThat(asked).hasValue(throwables().size() + 4); // and each VirtualMachineError of a submitted job
        assertThat(RecordedLog.linesWith("the failure handler of scheduler throwing-handler threw"))
                .hasSize(before + asked.get());
        assertThat(scheduler.stats().workers()).allMatch(worker -> worker.threadsReplaced() == 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void anUncaughtExceptionHandlerThatThrowsChangesNothing(int workers) throws Exception {
        Queue<Throwable> asked = new ConcurrentLinkedQueue<>();
        int before = RecordedLog.linesWith("the failure handler of scheduler throwing-thread threw")
                .size();
        PinnedScheduler scheduler = PinnedScheduler.builder()
                .name("throwing-thread")
                .workers(workers)
                .pinning(Pinning.OFF)
                .build();
        scheduler
                .forEachLane(() -> Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> {
                    asked.add(failure);
                    JobFailureTest.<RuntimeException>sneak(failure);
                }))
                .forEach(JobHandle::join);
        throwables().forEach(failure -> scheduler.execute(throwing(failure)));
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            scheduler.execute(ran::incrementAndGet);
        }
        scheduler.close();
        assertThat(ran).hasValue(100);
        assertThat(asked).hasSize(throwables().size());
        assertThat(RecordedLog.linesWith("the failure handler of scheduler throwing-thread threw"))
                .hasSize(before + asked.size());
        assertThat(scheduler.stats().workers()).allMatch(worker -> worker.threadsReplaced() == 0);
    }

    @Test
    void aSubmittersJobThatThrowsAnErrorDoesNotReachTheSubmitter() throws Exception {
        PinnedScheduler scheduler = builder(1)
                .injectorCapacity(1)
                .overflow(OverflowPolicy.CALLER_RUNS)
                .build();
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        scheduler.execute(() -> {
            begun.countDown();
            awaitQuietly(end);
        });
        begun.await();
        scheduler.execute(() -> {}); // the injector is full
        List<Told> expected = new ArrayList<>();
        for (Throwable failure : throwables()) {
            Runnable job = throwing(failure);
            scheduler.execute(job);
            expected.add(new Told(job, failure));
            JobHandle<?> handle = scheduler.submit(throwing(failure));
            assertThat(handle.outcome()).isEqualTo(new Outcome.Failed<>(failure));
            if (failure instanceof VirtualMachineError) {
                expected.add(new Told((Runnable) handle, failure));
            }
        }
        end.countDown();
        scheduler.close();
        assertThat(told).containsExactlyElementsOf(expected);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theHandlerDoesNotSeeTheInterruptOfTheJobThatFailed() throws Exception {
        Queue<Boolean> interrupted = new ConcurrentLinkedQueue<>();
        PinnedScheduler scheduler = builder(1)
                .failureHandler(
                        (job, failure) -> interrupted.add(Thread.currentThread().isInterrupted()))
                .build();
        scheduler.execute(() -> {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("by an interrupted job");
        });
        scheduler.close();
        assertThat(interrupted).containsExactly(false);
    }

    /** Thrown by jobs; says nothing of itself. */
    private static final class Mute extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new UnsupportedOperationException("no message");
        }
    }

    @Test
    void whoJoinsAJobLearnsOfItsFailureAlsoIfThatHasNoMessage() throws Exception {
        try (PinnedScheduler scheduler = builder(1).build()) {
            Mute failure = new Mute();
            JobHandle<?> job = scheduler.submit(throwing(failure));
            assertThatThrownBy(job::join)
                    .isInstanceOf(JobFailedException.class)
                    .hasMessage(Mute.class.getName())
                    .satisfies(thrown -> assertThat(thrown.getCause()).isSameAs(failure));
        }
    }
}
