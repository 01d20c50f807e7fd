// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Submits jobs to a pool, a bounded number ahead of the workers. Told to stop, it submits no more and gives those that run
 * some seconds to finish.
 */
final class WindowedRunner implements ConversionRunner {
    private static final int DOCUMENTS_PER_WORKER = 8;
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final JobPool pool;
    private final int documents;
    private final Duration grace;

    /**
     * Makes a runner.
     *
     * @param workers how many workers the pool has
     */
    WindowedRunner(JobPool pool, int workers) {
        this(pool, workers, GRACE);
    }

    /**
     * Makes a runner.
     *
     * @param workers how many workers the pool has
     * @param grace how long documents may go on when the command is told to stop
     */
    WindowedRunner(JobPool pool, int workers, Duration grace) {
        this.pool = pool;
        this.documents = workers * DOCUMENTS_PER_WORKER;
        this.grace = grace;
    }

    @Override
    public List<Ending> run(List<PageJob> jobs, StopSignal stop, Runnable progress) {
        List<JobPool.PendingJob> pending = new ArrayList<>(jobs.size());
        Window window = new Window(documents, Runtime.getRuntime().maxMemory() / 2);
        try {
            for (PageJob job : jobs) {
                if (stop.requested()) {
                    break;
                }
                pending.add(pool.submit(window.enter(job, progress)));
            }
            window.awaitEmpty();
        } catch (InterruptedException e) {
            stop.request();
        }
        if (stop.requested()) {
            Thread.interrupted(); // it has told us what it had to
            pool.stop(grace);
        }
        return endings(jobs.size(), pending, stop);
    }

    private static List<Ending> endings(int jobs, List<JobPool.PendingJob> pending, StopSignal stop) {
        List<Ending> endings = new ArrayList<>(jobs);
        for (JobPool.PendingJob job : pending) {
            endings.add(stop.requested() && !job.isDone() ? new Ending.Dropped() : job.ending());
        }
        while (endings.size() < jobs) {
            endings.add(new Ending.Dropped());
        }
        return endings;
    }
}
