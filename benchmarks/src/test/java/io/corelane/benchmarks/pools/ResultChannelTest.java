// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ResultChannelTest {
    @Test
    void aReaderPutsTheResultBackForTheNext() throws Exception {
        ResultChannel<String> channel = new ResultChannel<>(() -> "x");
        channel.run();
        assertThat(channel.get()).isEqualTo("x");
        assertThat(channel.get(1, TimeUnit.SECONDS)).isEqualTo("x");
    }

    @Test
    void nullIsAResult() throws Exception {
        ResultChannel<String> channel = new ResultChannel<>(() -> null);
        channel.run();
        assertThat(channel.get()).isNull();
    }

    @Test
    void aJobThatIsCancelledBeforeItRunsNeverRuns() {
        AtomicInteger runs = new AtomicInteger();
        ResultChannel<Integer> channel = new ResultChannel<>(runs::incrementAndGet);
        assertThat(channel.cancel(true)).isTrue();
        channel.run();
        assertThat(runs).hasValue(0);
        assertThat(channel.isCancelled()).isTrue();
        assertThat(channel.isDone()).isTrue();
        assertThatThrownBy(channel::get).isInstanceOf(CancellationException.class);
        assertThat(channel.cancel(true)).as("a second time").isFalse();
    }

    @Test
    void aJobRunsOnceHoweverOftenItIsRun() {
        AtomicInteger runs = new AtomicInteger();
        ResultChannel<Integer> channel = new ResultChannel<>(runs::incrementAndGet);
        channel.run();
        channel.run();
        assertThat(runs).hasValue(1);
        assertThat(channel.cancel(false)).isFalse();
    }

    @Test
    void aFailureComesThroughTheChannel() {
        ResultChannel<Integer> channel = new ResultChannel<>(() -> {
            throw new IllegalStateException("no");
        });
        channel.run();
        assertThatThrownBy(channel::get).isInstanceOf(ExecutionException.class).hasRootCauseMessage("no");
    }

    @Test
    void withoutAResultATimedReaderGivesUp() {
        ResultChannel<Integer> channel = new ResultChannel<>(() -> 1);
        assertThatThrownBy(() -> channel.get(1, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
    }
}
