// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.concurrent.Callable;

/** How the job of a page ended. */
sealed interface Ending {
    /**
     * Its Markdown is written, whole.
     *
     * @param bytesRead the size of the HTML
     * @param bytesWritten the size of the Markdown
     */
    record Converted(long bytesRead, long bytesWritten) implements Ending {}

    /** It is no text. */
    record Skipped() implements Ending {}

    /** The job threw; nothing is written. */
    record Failed(Throwable cause) implements Ending {}

    /** It did not start, or did not finish, before the command was told to stop; nothing is written. */
    record Dropped() implements Ending {}

    /** Runs a job here and now; whatever it throws is how it ended, as with a scheduler. */
    static Ending of(Callable<Ending> job) {
        try {
            return job.call();
        } catch (Throwable e) {
            return new Failed(e);
        }
    }
}
