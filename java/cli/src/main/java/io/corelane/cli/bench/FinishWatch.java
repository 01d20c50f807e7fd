// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits until all jobs of a round have run.
 *
 * <p>It polls the threads' logs, so that jobs need not touch anything shared. Between polls it parks for an eighth of
 * the time that is left at the pace so far: some dozen polls in a round, which take no CPU time from the workers worth
 * mention, and short ones when the end is near. The end lies between the last two polls; their distance is reported.
 */
final class FinishWatch {
    private static final long MIN_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int FRACTION = 8;

    private final Round round;
    private final long startNanos;
    private final long patienceNanos;

    /**
     * Prepares to watch.
     *
     * @param round the round whose jobs have been submitted
     * @param startNanos {@link System#nanoTime} before the first submission
     * @param patience how long to wait without any job ending before giving up
     */
    FinishWatch(Round round, long startNanos, Duration patience) {
        this.round = round;
        this.startNanos = startNanos;
        this.patienceNanos = patience.toNanos();
    }

    RoundTime await() throws InterruptedException {
        long pollNanos = System.nanoTime();
        long progressNanos = pollNanos;
        long before = -1;
        while (true) {
            long runs = round.runs();
            long now = System.nanoTime();
            if (runs >= round.jobs()) {
                return new RoundTime(now - startNanos, now - pollNanos, 0, true);
            }
            if (runs != before) {
                before = runs;
                progressNanos = now;
            } else if (now - progressNanos > patienceNanos) {
                return new RoundTime(now - startNanos, now - pollNanos, 0, false);
            }
            pollNanos = now;
            pause(pauseNanos(runs, round.jobs(), now - startNanos));
        }
    }

    /** How long to wait until the next poll, after {@code runs} of {@code jobs} in so many nanoseconds. */
    static long pauseNanos(long runs, long jobs, long elapsedNanos) {
        double perRun = (double) elapsedNanos / Math.max(1, runs);
        long leftNanos = (long) (perRun * (jobs - runs));
        long pauseNanos = Math.min(leftNanos, elapsedNanos) / FRACTION;
        return Math.max(MIN_PAUSE_NANOS, Math.min(MAX_PAUSE_NANOS, pauseNanos));
    }

    private void pause(long nanos) throws InterruptedException {
        LockSupport.parkNanos(this, nanos);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }
}
