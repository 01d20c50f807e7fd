// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FinishWatchTest {
    private static final Duration PATIENCE = Duration.ofMillis(20);

    @Test
    void pauseIsAnEighthOfWhatIsLeft() {
        assertThat(FinishWatch.pauseNanos(750, 1000, 48_000_000)).isEqualTo(2_000_000);
    }

    @Test
    void pauseIsShortNearTheEndAndNeverLong() {
        assertThat(FinishWatch.pauseNanos(999_999, 1_000_000, 50_000_000)).isEqualTo(50_000);
        assertThat(FinishWatch.pauseNanos(1, 1_000_000, 50_000_000)).isEqualTo(6_250_000);
        assertThat(FinishWatch.pauseNanos(0, 1_000_000, 5_000_000_000L)).isEqualTo(10_000_000);
    }

    @Test
    void roundWhoseJobsHaveRunIsFinished() throws InterruptedException {
        Round round = new Round(1, new SpinWork(0));
        round.run(0);
        assertThat(new FinishWatch(round, System.nanoTime(), PATIENCE).await().finished())
                .isTrue();
    }

    @Test
    void roundWithoutProgressIsGivenUp() throws InterruptedException {
        Round round = new Round(2, new SpinWork(0));
        round.run(0);
        RoundTime time = new FinishWatch(round, System.nanoTime(), PATIENCE).await();
        assertThat(time.finished()).isFalse();
        assertThat(time.nanos()).isGreaterThanOrEqualTo(PATIENCE.toNanos());
    }

    @Test
    void interruptEndsTheWait() {
        Round round = new Round(1, new SpinWork(0));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> new FinishWatch(round, System.nanoTime(), PATIENCE).await())
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
}
