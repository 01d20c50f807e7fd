// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import io.corelane.SchedulerStats;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run of the command did.
 *
 * @param totals documents and bytes
 * @param seconds how long the conversion took, from the first submit to the last file
 * @param stats what the scheduler did meanwhile
 * @param failures the pages and inputs that were not converted
 * @param interrupted whether it was told to stop
 * @param comparison the runs of {@code --compare}, or null
 */
record Report(
        Totals totals,
        double seconds,
        SchedulerStats stats,
        List<Failure> failures,
        boolean interrupted,
        @Nullable Comparison comparison) {

    double documentsPerSecond() {
        return seconds > 0 ? totals.converted() / seconds : 0;
    }

    double megabytesPerSecond() {
        return seconds > 0 ? totals.bytesRead() / 1e6 / seconds : 0;
    }
}
