// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import java.util.List;
import java.util.Map;

/**
 * All that was found out, as it is written and rendered.
 *
 * @param command how to repeat it
 * @param machine facts in the order of showing
 * @param profile what was run
 * @param rawCosts nanoseconds by step
 * @param results of each fork
 * @param lines what they come to
 */
record Report(
        String command,
        Map<String, String> machine,
        Profile profile,
        Map<String, Double> rawCosts,
        List<ForkResult> results,
        List<Line> lines) {

    static Report of(String command, Map<String, String> machine, Profile profile, List<ForkResult> results) {
        Map<String, Double> raw = results.isEmpty() ? Map.of() : results.get(0).named();
        return new Report(
                command,
                machine,
                profile,
                raw,
                results,
                profile.rows().stream().map(row -> Line.of(row, results)).toList());
    }
}
