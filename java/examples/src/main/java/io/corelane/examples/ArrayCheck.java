// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.util.Arrays;
import java.util.List;

/** Compares arrays of longs. */
final class ArrayCheck {
    private ArrayCheck() {}

    /** Returns the first difference, or none. */
    static List<String> differences(long[] result, long[] expected) {
        int index = Arrays.mismatch(result, expected);
        if (index < 0) {
            return List.of();
        }
        if (index == Math.min(result.length, expected.length)) {
            return List.of("length is " + result.length + " (expected " + expected.length + ")");
        }
        return List.of("element " + index + " is " + result[index] + " (expected " + expected[index] + ")");
    }
}
