// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The table of times, for people. */
final class Report {
    private static final String HEAD = "%-14s %12s %12s %14s %16s%n";
    private static final String ROW = "%-14s %,12.1f %,12.1f %14.2f %16.2f%n";

    private Report() {}

    /** Returns how each version does the work, a line for each. */
    static String setups(List<? extends Version<?, ?>> versions) {
        return versions.stream()
                .map(version -> String.format("%s: %s%n", version.name(), version.setup()))
                .collect(Collectors.joining());
    }

    /**
     * Returns the table.
     *
     * @param timings the times of the sequential version, the one on a ForkJoinPool and the one on Corelane
     */
    static String table(List<Timing> timings) {
        Timing sequential = timings.get(0);
        Timing forkJoinPool = timings.get(1);
        StringBuilder table = new StringBuilder();
        table.append(format(HEAD, "", "median ms", "best ms", "/ sequential", "/ ForkJoinPool"));
        for (Timing timing : timings) {
            table.append(format(
                    ROW,
                    timing.name(),
                    timing.medianMillis(),
                    timing.bestMillis(),
                    timing.ratioTo(sequential),
                    timing.ratioTo(forkJoinPool)));
        }
        table.append(
                format("Ratios: how many times as fast, by medians; below 1 it is slower. All results are the same."));
        return table.toString();
    }

    static String format(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }
}
