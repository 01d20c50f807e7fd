// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of one round: what each does, and which have run.
 *
 * <p><b>Thread safety:</b> any thread may call {@link #run} and {@link #runs}; {@link #check} is for whoever knows that
 * no job runs any more.
 */
final class Round {
    private static final ThreadLocal<@Nullable RunLog> LOG = new ThreadLocal<>();

    private final int jobs;
    private final SpinWork work;
    private final AtomicReference<@Nullable RunLog> logs = new AtomicReference<>();

    Round(int jobs, SpinWork work) {
        this.jobs = jobs;
        this.work = work;
    }

    int jobs() {
        return jobs;
    }

    /** Does the work of a job and notes that it ran. */
    void run(int index) {
        long result = work.spin(index);
        RunLog log = LOG.get();
        (log != null && log.round == this ? log : openLog()).add(index, result);
    }

    /** Returns how many times a job has run so far, double runs included. */
    long runs() {
        long sum = 0;
        for (RunLog log = logs.get(); log != null; log = log.next) {
            sum += log.runsAcquire();
        }
        return sum;
    }

    /** Counts how often each job ran. */
    OnceCheck check() {
        OnceCheck.Tally tally = new OnceCheck.Tally(jobs);
        for (RunLog log = logs.get(); log != null; log = log.next) {
            log.indices().forEach(tally::ran);
        }
        return tally.check();
    }

    private RunLog openLog() {
        RunLog log;
        RunLog head;
        do {
            head = logs.get();
            log = new RunLog(this, head);
        } while (!logs.compareAndSet(head, log));
        LOG.set(log);
        return log;
    }
}
