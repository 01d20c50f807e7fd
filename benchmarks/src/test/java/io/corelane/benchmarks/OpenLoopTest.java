// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class OpenLoopTest {
    @Test
    void poissonArrivalsHaveTheMeanGapAndTheSpreadOfTheirKind() {
        Arrivals arrivals = Arrivals.poisson(100_000, 1000);
        double mean = arrivals.nanos(99_999) / 100_000.0;
        int shorter = 0;
        for (int i = 1; i < 100_000; i++) {
            assertThat(arrivals.nanos(i)).isGreaterThanOrEqualTo(arrivals.nanos(i - 1));
            if (arrivals.nanos(i) - arrivals.nanos(i - 1) < 1000) {
                shorter++;
            }
        }
        assertThat(mean).isBetween(980.0, 1020.0);
        assertThat(shorter / 1e5).as("share of gaps below the mean, 1 - 1/e").isBetween(0.62, 0.645);
    }

    @Test
    void arrivalsAreTheSameForEverySubject() {
        assertThat(Arrivals.poisson(1000, 500).nanos(999))
                .isEqualTo(Arrivals.poisson(1000, 500).nanos(999));
    }

    @Test
    void burstsArriveAtOneMomentAndKeepTheMeanGap() {
        Arrivals arrivals = Arrivals.bursts(300, 100, 10);
        assertThat(arrivals.nanos(0)).isEqualTo(arrivals.nanos(99)).isZero();
        assertThat(arrivals.nanos(100)).isEqualTo(arrivals.nanos(199)).isEqualTo(1000);
        assertThat(arrivals.nanos(200)).isEqualTo(2000);
    }

    @Test
    void everyJobIsRecordedOnce() {
        ExecutorService executor = Executors.newFixedThreadPool(2);
        Histogram late = OpenLoop.run(executor, Arrivals.poisson(5000, 1000), 0);
        executor.shutdown();
        assertThat(late.getTotalCount()).isEqualTo(5000);
    }

    @Test
    void aSubmitterThatIsHeldUpOmitsNothing() {
        AtomicInteger jobs = new AtomicInteger();
        long stall = TimeUnit.MILLISECONDS.toNanos(50);
        Histogram late = OpenLoop.run(
                job -> {
                    if (jobs.getAndIncrement() == 0) {
                        long until = System.nanoTime() + stall;
                        while (System.nanoTime() < until) {
                            LockSupport.parkNanos(until - System.nanoTime());
                        }
                    }
                    job.run();
                },
                Arrivals.bursts(500, 1, 100_000),
                0);
        assertThat(late.getTotalCount()).isEqualTo(500);
        assertThat(late.getMaxValue()).as("the one that was held up").isGreaterThanOrEqualTo(stall * 99 / 100);
        assertThat(late.getValueAtPercentile(60))
                .as("all 500 were meant for these 50 ms, so most of them are late by far")
                .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(15));
    }

    @Test
    void theLoadsOfTheBenchmarkHaveTheirRates() {
        long second = TimeUnit.SECONDS.toNanos(1);
        assertThat(OpenLoopLatency.arrivals("50", 20_000, second).size()).isEqualTo(25_000);
        assertThat(OpenLoopLatency.arrivals("10", 20_000, second).size()).isEqualTo(5000);
        assertThat(OpenLoopLatency.arrivals("bursts", 20_000, second).size()).isEqualTo(25_000);
        assertThat(OpenLoopLatency.arrivals("idle", 20_000, second).size()).isEqualTo(100);
    }
}
