// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.util.Collections;
import java.util.List;

/**
 * The measured times of one version.
 *
 * @param name the version
 * @param nanos the time of each round; not empty
 */
record Timing(String name, List<Long> nanos) {
    /** Returns the middle time, or the mean of the two middle ones. */
    double medianMillis() {
        List<Long> sorted = nanos.stream().sorted().toList();
        int middle = sorted.size() / 2;
        double median =
                sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2.0;
        return median / 1e6;
    }

    double bestMillis() {
        return Collections.min(nanos) / 1e6;
    }

    /** Returns how many times as fast as another version this is, by medians; below 1 it loses. */
    double ratioTo(Timing other) {
        return other.medianMillis() / medianMillis();
    }
}
