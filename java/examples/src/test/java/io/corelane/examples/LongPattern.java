// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/**
 * Arrays that a quicksort may split badly, and ordinary ones.
 *
 * @param name what they look like
 * @param element makes an element from its index
 */
record LongPattern(String name, LongUnaryOperator element) {
    static final List<LongPattern> ALL = List.of(
            new LongPattern("ascending", i -> i),
            new LongPattern("descending", i -> -i),
            new LongPattern("equal", i -> 7),
            new LongPattern("two values", i -> i % 2),
            new LongPattern("zigzag", i -> i % 2 == 0 ? i : -i),
            new LongPattern("hill", i -> i < 5_000 ? i : 10_000 - i),
            new LongPattern("extremes", i -> i % 3 == 0 ? Long.MIN_VALUE : i % 3 == 1 ? Long.MAX_VALUE : 0),
            new LongPattern("random", i -> new SplittableRandom(i).nextLong()));

    long[] make(int size) {
        return LongStream.range(0, size).map(element).toArray();
    }
}
