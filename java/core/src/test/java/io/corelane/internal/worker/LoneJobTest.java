// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.Stress;
import io.corelane.internal.deque.WorkDeque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoneJobTest {
    private static void awaitSettled(LoneJob job) {
        Stress.await(() -> !job.isPassing(), () -> "it never settles");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aJobThatHasJustComeIsLeftAloneUntilItHasBeenThereForAMoment(boolean lifo) {
        WorkDeque deque = WorkDeque.create(lifo);
        LoneJob lone = new LoneJob(deque);
        assertThat(lone.isPassing()).as("nothing there").isFalse();
        for (int i = 0; i < 1000; i++) {
            deque.push("job " + i);
            assertThat(lone.isPassing()).as("job %s has just come", i).isTrue();
            if (i % 10 == 0) {
                awaitSettled(lone);
                assertThat(lone.isPassing()).as("job %s stays settled", i).isFalse();
            }
            assertThat(i % 2 == 0 ? deque.pop() : deque.steal()).isEqualTo("job " + i);
            assertThat(lone.isPassing()).as("job %s is gone", i).isFalse();
        }
    }

    /** A second look in the same moment has to come out so at least once; on a busy machine it may take many trials. */
    @Test
    void aJobThatWasSeenOnceHasNotSettledYet() {
        WorkDeque deque = WorkDeque.create(false);
        LoneJob lone = new LoneJob(deque);
        Stress.await(
                () -> {
                    deque.push("job");
                    boolean first = lone.isPassing();
                    boolean second = lone.isPassing();
                    deque.pop();
                    return first && second;
                },
                () -> "whatever was seen once is taken");
    }

    @Test
    void oneOfSeveralJobsIsThereToBeTaken() {
        WorkDeque deque = WorkDeque.create(false);
        LoneJob lone = new LoneJob(deque);
        deque.push("first");
        deque.push("second");
        assertThat(lone.isPassing()).isFalse();
        assertThat(deque.pop()).isEqualTo("first");
        assertThat(lone.isPassing()).as("alone now").isTrue();
    }
}
