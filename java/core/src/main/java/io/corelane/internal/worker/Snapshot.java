// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.ForkCounts;
import io.corelane.SchedulerStats;
import io.corelane.Submissions;
import io.corelane.WorkerStats;
import java.util.ArrayList;
import java.util.List;

/** Reads a pool's counters, one after the other while it runs. */
final class Snapshot {
    private Snapshot() {}

    static SchedulerStats of(WorkerPool pool, long startNanos) {
        Counters counters = pool.counters;
        long byJobs = 0;
        long run = counters.run.sum();
        long failed = counters.failed.sum();
        ForkCounts forks = counters.forks();
        List<WorkerStats> perWorker = new ArrayList<>(pool.workers.length);
        for (Worker worker : pool.workers) {
            byJobs += worker.submittedAcquire();
            run += worker.runAcquire();
            failed += worker.failedAcquire();
            WorkerStats stats = worker.stats(startNanos);
            forks = forks.plus(stats.forks());
            perWorker.add(stats);
        }
        Submissions submissions = new Submissions(
                pool.injector.offered() - counters.fired.sum(),
                byJobs,
                pool.lanes.offered(),
                counters.timed.sum(),
                counters.byCaller.sum());
        return new SchedulerStats(
                pool.config.name(),
                pool.log.unpinned(),
                submissions,
                run,
                failed,
                counters.cancelled.sum(),
                counters.handedBack.sum(),
                counters.rejected.sum(),
                counters.blocked.sum(),
                pool.injector.size(),
                pool.timers.jobs(),
                pool.spares.away(),
                List.copyOf(perWorker),
                forks);
    }
}
