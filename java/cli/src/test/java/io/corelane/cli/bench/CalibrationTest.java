// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CalibrationTest {
    @Test
    void noWorkIsNoSpin() {
        assertThat(Calibration.of(0)).isEqualTo(new Calibration(new SpinWork(0), 0));
    }

    @Test
    void shortestWorkIsAtLeastOneStep() {
        Calibration calibration = Calibration.of(1);
        assertThat(calibration.work().steps()).isPositive();
        assertThat(calibration.measuredNanos()).isPositive();
    }

    @Test
    void longerWorkHasMoreSteps() {
        assertThat(Calibration.of(1_000_000).work().steps())
                .isGreaterThan(Calibration.of(1000).work().steps());
    }

    @Test
    void resultOfASpinDependsOnSeedAndSteps() {
        assertThat(new SpinWork(0).spin(4)).isEqualTo(5);
        assertThat(new SpinWork(10).spin(4)).isNotEqualTo(new SpinWork(11).spin(4));
        assertThat(new SpinWork(10).spin(4)).isNotEqualTo(new SpinWork(10).spin(6));
    }
}
