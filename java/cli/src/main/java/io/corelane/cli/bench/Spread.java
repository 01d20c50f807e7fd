// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import java.util.Arrays;

/**
 * The middle and the extremes of some measurements.
 *
 * @param median the middle value, or the mean of the two middle ones
 * @param min the smallest
 * @param max the largest
 */
record Spread(double median, double min, double max) {
    static Spread of(long... values) {
        return of(Arrays.stream(values).asDoubleStream().toArray());
    }

    static Spread of(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("values is empty (expected at least one measurement)");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }
}
