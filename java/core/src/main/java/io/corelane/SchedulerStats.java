// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.util.List;

/**
 * A snapshot of what a scheduler has done so far.
 *
 * <p>The parts are read one after the other while jobs go on. Once all jobs have ended, {@code jobsSubmitted = jobsRun +
 * jobsFailed + jobsCancelled + jobsHandedBack}, exactly.
 *
 * @param name the scheduler's name
 * @param note the empty string, or why workers run unpinned although pinning was asked for
 * @param submissions jobs accepted, by the way they took
 * @param jobsRun jobs that ended without a failure
 * @param jobsFailed jobs that threw
 * @param jobsCancelled jobs whose handle was cancelled before they ended
 * @param jobsHandedBack jobs that {@code shutdownNow} returned
 * @param jobsRejected jobs refused because the scheduler was shut down or its injector was full
 * @param submitterWaits submissions that had to wait for room ({@link OverflowPolicy#BLOCK})
 * @param queued about how many jobs wait in the injector
 * @param timersWaiting how many timed jobs wait for their time
 * @param threadsAway how many threads have left their workers because their jobs block
 * @param workers the workers, by index
 * @param forks forks that were shared, and taken by others, on the workers and on threads that called {@code invoke}
 */
public record SchedulerStats(
        String name,
        String note,
        Submissions submissions,
        long jobsRun,
        long jobsFailed,
        long jobsCancelled,
        long jobsHandedBack,
        long jobsRejected,
        long submitterWaits,
        long queued,
        int timersWaiting,
        int threadsAway,
        List<WorkerStats> workers,
        ForkCounts forks) {
    /**
     * Returns how many jobs were accepted.
     *
     * @return {@link Submissions#total}
     */
    public long jobsSubmitted() {
        return submissions.total();
    }
}
