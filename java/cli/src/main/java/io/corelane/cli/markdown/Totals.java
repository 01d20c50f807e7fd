// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.Collection;

/**
 * Sums over the endings of jobs.
 *
 * @param converted documents written
 * @param failed documents and inputs that failed
 * @param skipped files that are no HTML, by name or by content
 * @param dropped documents not started or not finished because the command was told to stop
 * @param bytesRead HTML of the documents converted
 * @param bytesWritten Markdown of the documents converted
 */
record Totals(int converted, int failed, int skipped, int dropped, long bytesRead, long bytesWritten) {
    static Totals of(Collection<Ending> endings) {
        int failed = 0;
        int skipped = 0;
        int dropped = 0;
        int converted = 0;
        long bytesRead = 0;
        long bytesWritten = 0;
        for (Ending ending : endings) {
            if (ending instanceof Ending.Converted done) {
                converted++;
                bytesRead += done.bytesRead();
                bytesWritten += done.bytesWritten();
            }
            failed += ending instanceof Ending.Failed ? 1 : 0;
            skipped += ending instanceof Ending.Skipped ? 1 : 0;
            dropped += ending instanceof Ending.Dropped ? 1 : 0;
        }
        return new Totals(converted, failed, skipped, dropped, bytesRead, bytesWritten);
    }

    /** Returns these totals with what the search for pages failed on and skipped. */
    Totals plus(int moreFailed, int moreSkipped) {
        return new Totals(converted, failed + moreFailed, skipped + moreSkipped, dropped, bytesRead, bytesWritten);
    }
}
