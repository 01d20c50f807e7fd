// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What every subject of the comparison has to do, or its figures mean nothing. */
class SubjectsTest {
    static final List<String> NAMES = Subjects.NAMES;
    private static final int PRODUCERS = 4;

    static List<String> poolsOfOurs() {
        return List.of(
                "mutex", "channel", "sharded", "ring", "ring-spin", "disruptor-block", "agrona", "thread-per-job");
    }

    private static ExecutorService running(String name, int workers) {
        String reason = Subjects.unavailable(name);
        assumeTrue(reason == null, () -> name + ": " + reason);
        return Subjects.create(name, workers);
    }

    private static int jobs(String name) {
        return name.equals("thread-per-job") ? 400 : 40_000;
    }

    private static void end(ExecutorService executor) throws InterruptedException {
        executor.shutdown();
        assertThat(executor.awaitTermination(60, TimeUnit.SECONDS))
                .as("terminated")
                .isTrue();
    }

    @ParameterizedTest
    @FieldSource("NAMES")
    void everySubjectRunsEveryJobOnce(String name) throws Exception {
        ExecutorService executor = running(name, 2);
        AtomicIntegerArray runs = new AtomicIntegerArray(jobs(name));
        AtomicInteger next = new AtomicInteger();
        try (Producers producers = new Producers(PRODUCERS)) {
            producers.submit(jobs(name), jobs -> {
                for (int i = 0; i < jobs; i++) {
                    int job = next.getAndIncrement();
                    executor.execute(() -> runs.incrementAndGet(job));
                }
            });
        }
        end(executor);
        for (int i = 0; i < runs.length(); i++) {
            assertThat(runs.get(i)).as("runs of job %d", i).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @FieldSource("NAMES")
    void everyResultComesBackToItsSubmitter(String name) throws Exception {
        ExecutorService executor = running(name, 2);
        List<Future<Integer>> results = new ArrayList<>();
        for (int i = 0; i < jobs(name) / 4; i++) {
            int result = i;
            results.add(executor.submit(() -> result));
        }
        for (int i = 0; i < results.size(); i++) {
            assertThat(results.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i);
            assertThat(results.get(i).get()).as("fetched again").isEqualTo(i);
            assertThat(results.get(i).isDone()).isTrue();
        }
        end(executor);
    }

    @ParameterizedTest
    @FieldSource("NAMES")
    void aSubmittedJobThatFailsTellsItsSubmitterAndNobodyElse(String name) throws Exception {
        ExecutorService executor = running(name, 1);
        Future<?> failed = executor.submit(() -> {
            throw new IOException("no");
        });
        Future<Integer> after = executor.submit(() -> 7);
        assertThatThrownBy(() -> failed.get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .rootCause()
                .isInstanceOf(IOException.class)
                .hasMessage("no");
        assertThat(after.get(60, TimeUnit.SECONDS)).isEqualTo(7);
        end(executor);
    }

    @ParameterizedTest
    @FieldSource("NAMES")
    void jobsThatSubmitJobsLoseNone(String name) throws Exception {
        ExecutorService executor = running(name, 2);
        int depth = name.equals("thread-per-job") ? 6 : 12;
        CountDownLatch ran = new CountDownLatch((1 << (depth + 1)) - 1);
        executor.execute(new Tree(executor, ran, depth));
        assertThat(ran.await(60, TimeUnit.SECONDS))
                .as("left: %d", ran.getCount())
                .isTrue();
        end(executor);
    }

    /** A job that submits two, down to a depth. */
    private record Tree(ExecutorService executor, CountDownLatch ran, int depth) implements Runnable {
        @Override
        public void run() {
            if (depth > 0) {
                executor.execute(new Tree(executor, ran, depth - 1));
                executor.execute(new Tree(executor, ran, depth - 1));
            }
            ran.countDown();
        }
    }

    @ParameterizedTest
    @FieldSource("NAMES")
    void afterShutdownJobsAreRefused(String name) throws Exception {
        ExecutorService executor = running(name, 2);
        end(executor);
        assertThat(executor.isShutdown()).isTrue();
        assertThat(executor.isTerminated()).isTrue();
        assertThatThrownBy(() -> executor.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    @ParameterizedTest
    @MethodSource("poolsOfOurs")
    void aShutdownAmidSubmissionsRunsWhatWasAcceptedAndNothingElse(String name) throws Exception {
        for (int round = 0; round < 20; round++) {
            ExecutorService executor = Subjects.create(name, 2);
            AtomicInteger accepted = new AtomicInteger();
            AtomicInteger ran = new AtomicInteger();
            CountDownLatch begun = new CountDownLatch(PRODUCERS);
            try (Producers producers = new Producers(PRODUCERS + 1)) {
                AtomicInteger role = new AtomicInteger();
                producers.submit(PRODUCERS + 1, one -> {
                    if (role.getAndIncrement() == PRODUCERS) {
                        awaitQuietly(begun);
                        executor.shutdown();
                    } else {
                        submitUntilRefused(executor, accepted, ran, begun);
                    }
                });
            }
            assertThat(executor.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            assertThat(ran.get()).as("round %d", round).isEqualTo(accepted.get());
        }
    }

    private static void submitUntilRefused(
            ExecutorService executor, AtomicInteger accepted, AtomicInteger ran, CountDownLatch begun) {
        try {
            while (true) {
                executor.execute(ran::incrementAndGet);
                accepted.incrementAndGet();
                begun.countDown();
            }
        } catch (RejectedExecutionException expected) {
            begun.countDown();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @MethodSource("poolsOfOurs")
    void aJobThatThrowsIsReportedAndCostsNoOther(String name) throws Exception {
        ConcurrentLinkedQueue<String> reported = new ConcurrentLinkedQueue<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, thrown) -> reported.add(String.valueOf(thrown.getMessage())));
        try {
            ExecutorService executor = Subjects.create(name, 2);
            int jobs = 200;
            CountDownLatch ran = new CountDownLatch(jobs);
            for (int i = 0; i < jobs; i++) {
                boolean fails = i % 10 == 0;
                executor.execute(() -> {
                    ran.countDown();
                    if (fails) {
                        throw new IllegalStateException("no");
                    }
                });
            }
            assertThat(ran.await(60, TimeUnit.SECONDS))
                    .as("left: %d", ran.getCount())
                    .isTrue();
            end(executor);
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (reported.size() < jobs / 10 && System.nanoTime() < deadline) {
                Thread.yield();
            }
            assertThat(reported).hasSize(jobs / 10).containsOnly("no");
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    @ParameterizedTest
    @MethodSource("poolsOfOurs")
    void shutdownNowEitherRunsOrReturnsAJob(String name) throws Exception {
        ExecutorService executor = Subjects.create(name, 1);
        AtomicInteger ran = new AtomicInteger();
        int jobs = 500;
        for (int i = 0; i < jobs; i++) {
            executor.execute(ran::incrementAndGet);
        }
        List<Runnable> never = executor.shutdownNow();
        assertThat(executor.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(ran.get() + never.size()).isEqualTo(jobs);
    }

    @Test
    void aRingThatIsFullHoldsItsSubmitterUpAndLosesNothing() throws Exception {
        for (String name : List.of("ring", "disruptor-block", "agrona", "tpe-abq")) {
            ExecutorService executor = Subjects.create(name, 1);
            CountDownLatch gate = new CountDownLatch(1);
            RunCounters counters = new RunCounters();
            executor.execute(() -> awaitQuietly(gate));
            Thread submitter = new Thread(() -> {
                for (int i = 0; i < 100_000; i++) {
                    executor.execute(counters::increment);
                }
            });
            submitter.start();
            while (submitter.getState() == Thread.State.RUNNABLE || submitter.getState() == Thread.State.NEW) {
                Thread.onSpinWait();
            }
            assertThat(counters.total()).as(name).isZero();
            gate.countDown();
            counters.awaitTotal(100_000);
            submitter.join();
            end(executor);
        }
    }

    @Test
    void anUnknownSubjectIsRefused() {
        assertThatThrownBy(() -> Subjects.create("none", 1)).hasMessageContaining("subject=none");
    }

    @Test
    void virtualThreadsAreLeftOutWithAReasonWhereThereAreNone() {
        assertThat(Subjects.unavailable("corelane")).isNull();
        if (Runtime.version().feature() < 21) {
            assertThat(Subjects.unavailable("virtual")).contains("JDK 21");
        } else {
            assertThat(Subjects.unavailable("virtual")).isNull();
        }
    }
}
