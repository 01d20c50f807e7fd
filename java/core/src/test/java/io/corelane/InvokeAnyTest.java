// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.affinity.Pinning;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class InvokeAnyTest {
    private final PinnedScheduler scheduler =
            PinnedScheduler.builder().workers(2).pinning(Pinning.OFF).build();

    @AfterEach
    void close() {
        scheduler.close();
    }

    @Test
    void theCauseIsWhatTheLastJobThrewWhateverThatIs() {
        for (Exception thrown : List.of(
                new IOException("a"), new CompletionException(new IOException("b")), new CancellationException("c"))) {
            Callable<String> failing = () -> {
                throw thrown;
            };
            assertThatThrownBy(() -> scheduler.invokeAny(List.of(failing, failing)))
                    .isInstanceOf(ExecutionException.class)
                    .hasCause(thrown);
        }
    }

    @Test
    void aFailureIsNoAnswerWhileAnotherJobMaySucceed() throws Exception {
        Callable<String> failing = () -> {
            throw new IOException("first");
        };
        Callable<String> late = () -> {
            while (scheduler.stats().jobsFailed() == 0) {
                Thread.onSpinWait();
            }
            TimeUnit.MILLISECONDS.sleep(20); // long enough for a caller that would take the failure
            return "late";
        };
        assertThat(scheduler.invokeAny(List.of(failing, late))).isEqualTo("late");
        assertThat(scheduler.stats().jobsCancelled()).isZero();
    }
}
