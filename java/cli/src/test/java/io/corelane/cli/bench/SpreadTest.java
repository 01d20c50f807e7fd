// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void medianOfAnOddNumberIsTheMiddleOne() {
        assertThat(Spread.of(9.0, 1.0, 5.0)).isEqualTo(new Spread(5, 1, 9));
    }

    @Test
    void medianOfAnEvenNumberIsBetweenTheMiddleTwo() {
        assertThat(Spread.of(4L, 1L, 2L, 9L)).isEqualTo(new Spread(3, 1, 9));
    }

    @Test
    void oneMeasurementIsAllThree() {
        assertThat(Spread.of(7L)).isEqualTo(new Spread(7, 7, 7));
    }

    @Test
    void nothingHasNoMedian() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Spread.of(new long[0]))
                .withMessageContaining("expected");
    }
}
