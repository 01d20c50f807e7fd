// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import org.jspecify.annotations.Nullable;

/** The thread of a worker: pins itself, runs the worker's jobs, and tells the pool how it ended. */
final class WorkerThread extends Thread {
    final WorkerPool pool;
    final Worker worker;
    private final Startup startup;

    /** The innermost submitted job that this thread runs; for this thread only. */
    @Nullable
    SubmittedJob<?> current;

    WorkerThread(WorkerPool pool, Worker worker, Startup startup) {
        super(WorkerNames.threadName(pool.config.name(), worker.index, worker.cpuAsked));
        this.pool = pool;
        this.worker = worker;
        this.startup = startup;
        setDaemon(pool.config.daemon());
    }

    @Override
    public void run() {
        Throwable death = null;
        boolean started = false;
        try {
            started = startup.begin(pool, worker);
            if (started) {
                worker.runJobs();
            }
        } catch (Throwable t) {
            death = t;
        }
        pool.threadEnded(this, death);
    }

    /**
     * Runs a job inside the one that waits for it, keeping the interrupts of the two apart.
     *
     * @param inner a job that this thread has claimed
     */
    void runInside(SubmittedJob<?> inner) {
        SubmittedJob<?> outer = current;
        boolean interrupted = Thread.interrupted();
        if (outer != null && outer.suspend()) {
            interrupted = true;
            boolean ignored = Thread.interrupted();
        }
        inner.runClaimedInside();
        if (outer != null && outer.resume()) {
            interrupted = true;
        }
        if (interrupted || pool.isStopping()) {
            interrupt();
        }
    }
}
