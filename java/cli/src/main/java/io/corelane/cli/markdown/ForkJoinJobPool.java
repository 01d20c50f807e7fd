// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.TimeUnit;

/**
 * A {@link ForkJoinPool}, for comparison.
 *
 * @param pool the pool; stays the caller's to close
 */
record ForkJoinJobPool(ForkJoinPool pool) implements JobPool {
    @Override
    public PendingJob submit(Callable<Ending> job) {
        return new Pending(pool.submit(() -> Ending.of(job))); // the pool would wrap or copy what it throws
    }

    @Override
    public void stop(Duration grace) {
        pool.shutdown();
        try {
            pool.awaitTermination(grace.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        pool.shutdownNow();
    }

    private record Pending(ForkJoinTask<Ending> task) implements PendingJob {
        @Override
        public Ending ending() {
            task.quietlyJoin();
            return task.isCompletedNormally() ? task.getRawResult() : new Ending.Dropped();
        }

        @Override
        public boolean isDone() {
            return task.isDone();
        }
    }
}
