// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A pool with two threads that drops one job, runs one twice, or both. Jobs are numbered from 0 after the two that
 * muster the threads; -1 is none.
 */
final class FaultyExecutor extends ThreadPoolExecutor {
    private final int drop;
    private final int repeat;
    private final boolean late;
    private int next = -2;
    private @Nullable Runnable lateJob;

    private FaultyExecutor(int drop, int repeat, boolean late) {
        super(2, 2, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        this.drop = drop;
        this.repeat = repeat;
        this.late = late;
    }

    static Subject sound() {
        return subject(-1, -1, false);
    }

    static Subject dropping(int drop) {
        return subject(drop, -1, false);
    }

    static Subject repeating(int repeat) {
        return subject(-1, repeat, false);
    }

    /** Runs a job again only when the pool is shut down, after all jobs have run. */
    static Subject repeatingLate(int repeat) {
        return subject(-1, repeat, true);
    }

    static Subject droppingAndRepeating(int drop, int repeat) {
        return subject(drop, repeat, false);
    }

    private static Subject subject(int drop, int repeat, boolean late) {
        return new Subject("faulty", "", 2, 2, 1, () -> new FaultyExecutor(drop, repeat, late));
    }

    @Override
    public void execute(Runnable job) {
        int index = next++;
        if (index < 0 || index != drop) {
            super.execute(job);
        }
        if (index >= 0 && index == repeat) {
            repeat(job);
        }
    }

    private void repeat(Runnable job) {
        if (late) {
            lateJob = job;
        } else {
            super.execute(job);
        }
    }

    @Override
    public void shutdown() {
        if (lateJob != null) {
            super.execute(lateJob);
        }
        super.shutdown();
    }
}
