// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The measured times of the same work done in three ways.
 *
 * @param workers how many workers Corelane and the ForkJoinPool have
 * @param documents how many documents each round converted
 * @param sameWork whether every round of every way had the same result; if not, the times say nothing
 * @param ways the ways; Corelane is the first
 */
record Comparison(int workers, int documents, boolean sameWork, List<Way> ways) {
    /**
     * One way.
     *
     * @param name what it is called
     * @param seconds the time of each measured round
     */
    record Way(String name, List<Double> seconds) {
        double median() {
            List<Double> sorted = new ArrayList<>(seconds);
            Collections.sort(sorted);
            int middle = sorted.size() / 2;
            return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        }

        double fastest() {
            return Collections.min(seconds);
        }

        double slowest() {
            return Collections.max(seconds);
        }
    }

    /** Returns how many times as fast as a way Corelane is, by medians; below 1 it loses. */
    double ratio(Way way) {
        return way.median() / ways.get(0).median();
    }

    double documentsPerSecond(Way way) {
        return documents / way.median();
    }
}
