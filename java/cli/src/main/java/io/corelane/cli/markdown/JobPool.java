// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.time.Duration;
import java.util.concurrent.Callable;

/** The worker threads of a {@link WindowedRunner}. */
interface JobPool {
    /** Hands a job to the workers. */
    PendingJob submit(Callable<Ending> job);

    /** Lets no more jobs start and waits for those that run, but no longer than this. */
    void stop(Duration grace);

    /** A job that was submitted. */
    interface PendingJob {
        /** Waits for the job, and tells how it ended. */
        Ending ending();

        boolean isDone();
    }
}
