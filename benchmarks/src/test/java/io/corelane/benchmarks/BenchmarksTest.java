// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One call of each benchmark that has a result to check; the figures mean nothing here. */
class BenchmarksTest {
    @ParameterizedTest
    @ValueSource(strings = {"corelane", "fjp-lifo", "tpe-lbq"})
    void spreadJobsComeTogetherAgain(String subject) throws Exception {
        FanOut benchmark = new FanOut();
        benchmark.subject = subject;
        benchmark.workers = 2;
        benchmark.width = 200;
        benchmark.start();
        assertThat(benchmark.results()).isEqualTo(127 * 128 / 2 + 71 * 72 / 2);
        benchmark.counted();
        benchmark.stop();
    }

    @ParameterizedTest
    @ValueSource(strings = {"direct", "corelane", "tpe-lbq"})
    void anOpenLoopEnds(String subject) throws Exception {
        Thread thread = new Thread(() -> {
            OpenLoopLatency benchmark = new OpenLoopLatency();
            benchmark.subject = subject;
            benchmark.load = "10";
            benchmark.jobNanos = 1000;
            benchmark.loopMillis = 20;
            benchmark.start();
            benchmark.loop();
            benchmark.stop();
        });
        Throwable[] thrown = new Throwable[1];
        thread.setUncaughtExceptionHandler((dead, of) -> thrown[0] = of);
        thread.start();
        thread.join();
        assertThat(thrown[0]).isNull();
    }
}
