// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.ForkCounts;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What is counted outside the workers: on threads of others, and on rare paths. */
final class Counters {
    final LongAdder run = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder cancelled = new LongAdder();
    final LongAdder handedBack = new LongAdder();
    final LongAdder rejected = new LongAdder();
    /** Timed jobs accepted, again for each repetition. */
    final LongAdder timed = new LongAdder();
    /** Timed jobs that came to the injector. */
    final LongAdder fired = new LongAdder();
    /** Jobs that their submitters ran, because the injector was full. */
    final LongAdder byCaller = new LongAdder();
    /** Submissions that had to wait for room. */
    final LongAdder blocked = new LongAdder();

    /** Forks that threads without a worker have shared, and run for others. */
    final LongAdder forksShared = new LongAdder();

    final LongAdder forksTaken = new LongAdder();

    ForkCounts forks() {
        return new ForkCounts(forksShared.sum(), forksTaken.sum());
    }

    /**
     * Counts the end of a job.
     *
     * @param worker the worker that ran it, or null if another thread did
     * @param done whether it ended without a failure
     * @param by 1, or -1 to take it back
     */
    void ended(@Nullable Worker worker, boolean done, int by) {
        if (worker != null) {
            worker.countEnd(done, by);
        } else {
            (done ? run : failed).add(by);
        }
    }
}
