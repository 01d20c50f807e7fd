// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class BenchRunTest {
    private final List<String> started = new ArrayList<>();

    @Test
    void orderRotatesFromRoundToRound() throws Exception {
        StringWriter progress = new StringWriter();
        List<SubjectResult> results = run(3, progress);
        assertThat(String.join("", started)).isEqualTo("abc" + "bca" + "cab" + "abc" + "bca" + "cab");
        assertThat(results).extracting(result -> result.rounds().size()).containsExactly(3, 3, 3);
        assertThat(results).extracting(result -> result.subject().name()).containsExactly("a", "b", "c");
        assertThat(results).extracting(SubjectResult::jobs).containsExactly(500, 500, 100);
    }

    @Test
    void progressTellsEachRound() throws Exception {
        StringWriter progress = new StringWriter();
        run(1, progress);
        assertThat(progress.toString().lines())
                .hasSize(4)
                .allMatch(line -> line.matches("(warm-up ./3|round 1/1): a [0-9.]+ ms, b [0-9.]+ ms, c [0-9.]+ ms"));
    }

    @Test
    void warmUpOfLongJobsWorksAboutASecond() {
        assertThat(BenchRun.warmupJobs(1_000_000, 0)).isEqualTo(1_000_000);
        assertThat(BenchRun.warmupJobs(1_000_000, 5000)).isEqualTo(200_000);
        assertThat(BenchRun.warmupJobs(1000, 5000)).isEqualTo(1000);
        assertThat(BenchRun.warmupJobs(1000, Long.MAX_VALUE)).isEqualTo(1);
    }

    private List<SubjectResult> run(int rounds, StringWriter progress) throws Exception {
        List<Subject> subjects = List.of(subject("a", 1), subject("b", 1), subject("c", 100));
        RoundRunner runner = new RoundRunner(new SpinWork(0), Duration.ofSeconds(60));
        return new BenchRun(subjects, runner, new PrintWriter(progress, true)).run(500, 0, rounds);
    }

    private Subject subject(String name, int divisor) {
        return new Subject(name, "", 1, 1, divisor, () -> {
            started.add(name);
            return Executors.newFixedThreadPool(1);
        });
    }
}
