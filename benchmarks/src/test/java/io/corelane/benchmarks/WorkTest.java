// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class WorkTest {
    @Test
    void longerJobsHaveMoreRounds() {
        RunCounters counters = new RunCounters();
        assertThat(Work.calibrated(0, counters).rounds()).isZero();
        assertThat(Work.calibrated(100_000, counters).rounds())
                .isGreaterThan(Work.calibrated(1_000, counters).rounds());
    }

    @Test
    void aJobOfTooManyRoundsIsRefused() {
        assertThatThrownBy(() -> Work.calibrated(600_000_000_000L, new RunCounters()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching("jobNanos=600000000000 \\(expected at most \\d+ on this machine\\)");
    }
}
