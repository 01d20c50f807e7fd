// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundTest {
    private static final int JOBS = 100_000; // several chunks of a log

    @Test
    void eachThreadsRunsAreCountedAndChecked() throws InterruptedException {
        Round round = new Round(JOBS, new SpinWork(0));
        int threads = 4;
        List<Thread> running = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int first = t;
            Thread thread = new Thread(() -> {
                for (int i = first; i < JOBS; i += threads) {
                    round.run(i);
                }
            });
            running.add(thread);
            thread.start();
        }
        for (Thread thread : running) {
            thread.join();
        }
        assertThat(round.runs()).isEqualTo(JOBS);
        assertThat(round.check()).isEqualTo(new OnceCheck(JOBS, JOBS, 0, -1, 0, -1));
    }

    @Test
    void roundsOfTheSameThreadDoNotMix() {
        Round first = new Round(2, new SpinWork(0));
        Round second = new Round(2, new SpinWork(0));
        first.run(0);
        second.run(0);
        first.run(1);
        assertThat(first.check().passed()).isTrue();
        assertThat(second.check()).isEqualTo(new OnceCheck(2, 1, 1, 1, 0, -1));
    }
}
