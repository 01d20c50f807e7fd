// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ArrayCheckTest {
    @Test
    void equalArraysHaveNoDifference() {
        assertThat(ArrayCheck.differences(new long[] {}, new long[] {})).isEmpty();
        assertThat(ArrayCheck.differences(new long[] {1, 2}, new long[] {1, 2})).isEmpty();
    }

    @Test
    void theFirstDifferentElementIsNamed() {
        assertThat(ArrayCheck.differences(new long[] {1, 3, 4}, new long[] {1, 2, 3}))
                .containsExactly("element 1 is 3 (expected 2)");
    }

    @Test
    void aDifferentLengthIsNamed() {
        assertThat(ArrayCheck.differences(new long[] {1}, new long[] {1, 2}))
                .containsExactly("length is 1 (expected 2)");
    }
}
