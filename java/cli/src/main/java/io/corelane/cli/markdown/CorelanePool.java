// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import io.corelane.JobHandle;
import io.corelane.Outcome;
import io.corelane.PinnedScheduler;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * A Corelane scheduler.
 *
 * @param scheduler the scheduler; stays the caller's to close
 */
record CorelanePool(PinnedScheduler scheduler) implements JobPool {
    @Override
    public PendingJob submit(Callable<Ending> job) {
        return new Pending(scheduler.submit(job));
    }

    @Override
    public void stop(Duration grace) {
        scheduler.shutdown();
        try {
            scheduler.awaitTermination(grace.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        scheduler.shutdownNow();
    }

    private record Pending(JobHandle<Ending> handle) implements PendingJob {
        @Override
        public Ending ending() {
            Outcome<Ending> outcome = handle.outcome();
            if (outcome instanceof Outcome.Done<Ending> done) {
                return done.value();
            }
            return outcome instanceof Outcome.Failed<Ending> failed
                    ? new Ending.Failed(failed.cause())
                    : new Ending.Dropped();
        }

        @Override
        public boolean isDone() {
            return handle.isDone();
        }
    }
}
