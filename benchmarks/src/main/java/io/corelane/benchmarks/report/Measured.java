// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the rounds of one JVM came to.
 *
 * @param values one figure for each round, in the unit of the row
 * @param steps jobs or steps of all rounds
 * @param used what they used up together, as far as it is known
 */
record Measured(List<Double> values, long steps, Map<Cost, Double> used) {
    /**
     * Returns what each of the smallest parts took.
     *
     * @param costs which
     * @param partsPerStep how many jobs or forks a step has
     * @param ownBytes bytes that are not counted: those of the part itself
     */
    Map<Cost, Double> each(Set<Cost> costs, double partsPerStep, long ownBytes) {
        Map<Cost, Double> each = new EnumMap<>(Cost.class);
        used.forEach((cost, amount) -> {
            if (costs.contains(cost)) {
                double own = cost == Cost.BYTES ? ownBytes : 0;
                each.put(cost, Math.max(0, amount / (steps * partsPerStep) - own));
            }
        });
        return each;
    }
}
