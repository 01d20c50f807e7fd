// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RoundRunnerTest {
    private static final int JOBS = 1000;
    private static final Duration PATIENCE = Duration.ofMillis(300); // what a test waits that expects a stall
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    @Test
    void everySubjectRunsEveryJobOnce() throws Exception {
        BenchSettings settings = new BenchSettings(JOBS, 0, 1, true, new SchedulerSettings(2, null, Pinning.OFF));
        List<Subject> subjects = Subjects.list(settings, 2);
        assertThat(subjects)
                .extracting(Subject::name)
                .containsExactly("Corelane", "ForkJoinPool", "ThreadPoolExecutor", "thread-per-job");
        for (Subject subject : subjects) {
            RoundTime time = runner(DEADLINE).run(subject, JOBS);
            assertThat(time.finished()).as(subject.name()).isTrue();
            assertThat(time.nanos()).isPositive();
            assertThat(time.resolutionNanos()).isBetween(0L, time.nanos());
        }
    }

    @Test
    void soundPoolPasses() throws Exception {
        assertThat(runner(DEADLINE).run(FaultyExecutor.sound(), JOBS).finished())
                .isTrue();
    }

    @Test
    void droppedJobIsFound() {
        assertFails(FaultyExecutor.dropping(7), PATIENCE, "1,000 jobs ran 999 times; 1 never ran (the first is job 7)");
    }

    @Test
    void repeatedJobIsFound() {
        assertFails(
                FaultyExecutor.repeating(0),
                DEADLINE,
                "1,000 jobs ran 1,001 times; 1 ran more than once (the first is job 0)");
    }

    @Test
    void jobRepeatedAfterTheClockStoppedIsFound() {
        assertFails(
                FaultyExecutor.repeatingLate(999),
                DEADLINE,
                "1,000 jobs ran 1,001 times; 1 ran more than once (the first is job 999)");
    }

    @Test
    void droppedJobThatARepeatedOneHidesInTheCountIsFound() {
        assertFails(
                FaultyExecutor.droppingAndRepeating(3, 5),
                DEADLINE,
                "1,000 jobs ran 1,000 times; 1 never ran (the first is job 3);"
                        + " 1 ran more than once (the first is job 5)");
    }

    @Test
    void poolWithFewerThreadsThanToldIsFound() {
        Subject subject = new Subject("small", "", 2, 2, 1, RoundRunnerTest::oneThread);
        assertFails(subject, PATIENCE, "1 of 2 first jobs did not start");
    }

    private static ExecutorService oneThread() {
        return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    }

    private static void assertFails(Subject subject, Duration patience, String message) {
        assertThatThrownBy(() -> runner(patience).run(subject, JOBS))
                .isInstanceOf(BenchException.class)
                .hasMessageStartingWith(subject.name() + ": ")
                .hasMessageContaining(message);
    }

    private static RoundRunner runner(Duration patience) {
        return new RoundRunner(new SpinWork(0), patience);
    }
}
