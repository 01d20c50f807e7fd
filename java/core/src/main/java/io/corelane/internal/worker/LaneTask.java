// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

/** A lane's job without a handle: what it wraps counts as the lane's while it runs. */
final class LaneTask extends Wrapper {
    LaneTask(Runnable body) {
        super(body);
    }

    @Override
    public void run() {
        WorkerThread thread = (WorkerThread) Thread.currentThread(); // only the lane's worker takes it
        thread.laneDepth++;
        try {
            body.run();
        } finally {
            thread.laneDepth--;
        }
    }
}
