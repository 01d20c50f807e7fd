// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Runs one round of one subject: starts a pool with all its threads, times the jobs, shuts the pool down and checks that
 * every job ran exactly once. The code is the same for every subject.
 */
final class RoundRunner {
    private final SpinWork work;
    private final Duration patience;
    private final GcClock gcClock = new GcClock();

    /**
     * Prepares to run rounds.
     *
     * @param work what a job does
     * @param patience how long to wait without any job ending before the round is given up
     */
    RoundRunner(SpinWork work, Duration patience) {
        this.work = work;
        this.patience = patience;
    }

    RoundTime run(Subject subject, int jobs) throws BenchException, InterruptedException {
        Round round = new Round(jobs, work);
        ExecutorService pool = subject.starter().get();
        RoundTime time;
        try {
            muster(subject, pool);
            time = time(round, pool);
        } finally {
            pool.shutdown();
        }
        boolean terminated = pool.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS);
        require(subject, round, time.finished() && terminated);
        return time;
    }

    /** Has every thread of the pool started: each of as many jobs waits until all of them run. */
    private void muster(Subject subject, ExecutorService pool) throws BenchException, InterruptedException {
        CountDownLatch absent = new CountDownLatch(subject.threads());
        for (int i = 0; i < subject.threads(); i++) {
            pool.execute(() -> arrive(absent));
        }
        if (!absent.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new BenchException(subject.name() + ": " + absent.getCount() + " of " + subject.threads()
                    + " first jobs did not start within " + patience.toSeconds()
                    + " s (expected one on each thread; please report this)");
        }
    }

    /** Waits longer than the one who counts, so that a thread that gives up cannot stand in for another. */
    private void arrive(CountDownLatch absent) {
        absent.countDown();
        try {
            boolean ignored = absent.await(2 * patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private RoundTime time(Round round, ExecutorService pool) throws InterruptedException {
        long gcBefore = gcClock.millis();
        long startNanos = System.nanoTime();
        for (int i = 0; i < round.jobs(); i++) {
            pool.execute(new BenchJob(round, i));
        }
        RoundTime time = new FinishWatch(round, startNanos, patience).await();
        return time.withGcMillis(gcClock.millis() - gcBefore);
    }

    /** The pool has shut down, so a late second run of a job is counted as well. */
    private void require(Subject subject, Round round, boolean ended) throws BenchException {
        OnceCheck check = round.check();
        if (!check.passed()) {
            throw new BenchException(subject.name() + ": " + check.describe()
                    + " (expected every job exactly once; please report this)");
        }
        if (!ended) {
            throw new BenchException(subject.name() + ": no job ended for " + patience.toSeconds()
                    + " s, or the pool did not shut down (expected it to go on; is the machine overloaded?)");
        }
    }
}
