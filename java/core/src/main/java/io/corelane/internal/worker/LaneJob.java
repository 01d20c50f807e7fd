// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A lane's job with a handle. Only the lane's worker runs it, in its turn, also when another job waits for it.
 *
 * @param <T> the type of the result
 */
final class LaneJob<T extends @Nullable Object> extends SubmittedJob<T> {
    private final Worker lane;

    LaneJob(WorkerPool pool, Worker lane, Callable<T> body) {
        super(pool, body);
        this.lane = lane;
    }

    LaneJob(WorkerPool pool, Worker lane, Runnable body) {
        super(pool, body);
        this.lane = lane;
    }

    @Override
    @Nullable
    Object callBody(Object body, @Nullable WorkerThread thread) throws Exception {
        if (thread == null || thread.worker != lane || lane.laneHeld) {
            return super.callBody(body, thread); // run() was called by a stranger, or past the lane's job that blocks
        }
        thread.laneDepth++;
        try {
            return super.callBody(body, thread);
        } finally {
            thread.laneDepth--;
        }
    }

    @Override
    boolean mayRunInJoin() {
        return false;
    }

    @Override
    Worker lane() {
        return lane;
    }
}
