// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class TimingTest {
    @Test
    void medianIsTheMiddleOrTheMeanOfTheTwoMiddleTimes() {
        assertThat(millis(9, 1, 2).medianMillis()).isEqualTo(2);
        assertThat(millis(9, 1, 2, 4).medianMillis()).isEqualTo(3);
        assertThat(millis(5).medianMillis()).isEqualTo(5);
    }

    @Test
    void bestIsTheSmallest() {
        assertThat(millis(9, 1, 2).bestMillis()).isEqualTo(1);
    }

    @Test
    void ratioAboveOneIsFaster() {
        assertThat(millis(2).ratioTo(millis(6))).isEqualTo(3);
        assertThat(millis(6).ratioTo(millis(3))).isEqualTo(0.5);
    }

    private static Timing millis(long... times) {
        return new Timing(
                "", Arrays.stream(times).mapToObj(time -> time * 1_000_000).toList());
    }
}
