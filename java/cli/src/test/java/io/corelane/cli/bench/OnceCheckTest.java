// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OnceCheckTest {
    @Test
    void everyJobOncePasses() {
        OnceCheck check = check(3, 2, 0, 1);
        assertThat(check.passed()).isTrue();
        assertThat(check.describe()).isEqualTo("3 jobs ran 3 times");
    }

    @Test
    void missingJobIsNamed() {
        OnceCheck check = check(4, 0, 3);
        assertThat(check.passed()).isFalse();
        assertThat(check.describe()).isEqualTo("4 jobs ran 2 times; 2 never ran (the first is job 1)");
    }

    @Test
    void doubleRunThatHidesAMissingJobIsFound() {
        OnceCheck check = check(3, 0, 1, 1);
        assertThat(check.passed()).isFalse();
        assertThat(check.describe())
                .isEqualTo("3 jobs ran 3 times; 1 never ran (the first is job 2);"
                        + " 1 ran more than once (the first is job 1)");
    }

    @Test
    void manyRunsOfOneJobDoNotWrapAround() {
        OnceCheck.Tally tally = new OnceCheck.Tally(1);
        for (int i = 0; i < 257; i++) {
            tally.ran(0);
        }
        assertThat(tally.check()).isEqualTo(new OnceCheck(1, 257, 0, -1, 1, 0));
    }

    private static OnceCheck check(int jobs, int... runs) {
        OnceCheck.Tally tally = new OnceCheck.Tally(jobs);
        for (int index : runs) {
            tally.ran(index);
        }
        return tally.check();
    }
}
