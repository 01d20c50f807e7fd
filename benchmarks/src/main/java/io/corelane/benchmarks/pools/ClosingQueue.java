// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.pools;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A lock-free queue that can be closed without losing a job. Such queues cannot take a certain job back out, so a submitter
 * that was overtaken by the closing has to find out whether a consumer still came by.
 *
 * <p><b>Thread safety:</b> any thread, within what the queue allows.
 */
final class ClosingQueue {
    /*
     * How it works. Consumers leave under a lock, and only if the queue is closed and empty. A submitter that sees the
     * queue closed after it has put its job there takes the same lock: if a consumer is left, that one will look again; if
     * none is, the queue is emptied into `late`, and whoever finds its job there has not been served.
     * Ordering        W1 <> W2  a submitter moves the queue's producer index by a CAS, then reads closed; the closer writes
     *                           closed, then a consumer reads the index: one of the two notices the other
     */
    private final Queue<Runnable> queue;
    private final List<Runnable> late = new ArrayList<>(); // under this
    private int consumers; // under this
    private volatile boolean closed;

    ClosingQueue(Queue<Runnable> queue, int consumers) {
        this.queue = queue;
        this.consumers = consumers;
    }

    /** Puts a job there unless there is no room; throws if the queue is closed. */
    boolean offer(Runnable job) {
        if (closed) {
            throw WorkerPool.refused();
        }
        if (!queue.offer(job)) { // [W1] CAS of the producer index
            return false;
        }
        if (closed && isLate(job)) { // [W1] volatile
            throw WorkerPool.refused();
        }
        return true;
    }

    private synchronized boolean isLate(Runnable job) {
        if (consumers > 0) {
            return false;
        }
        for (Runnable left = queue.poll(); left != null; left = queue.poll()) {
            late.add(left);
        }
        for (int i = 0; i < late.size(); i++) {
            if (late.get(i) == job) {
                late.remove(i);
                return true;
            }
        }
        return false;
    }

    @Nullable
    Runnable poll() {
        return queue.poll();
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** Refuses jobs from now on. */
    void close() {
        closed = true; // [W2] volatile
    }

    boolean isClosed() {
        return closed;
    }

    /** Called by a consumer that would like to end; if it returns true, the consumer must not poll again. */
    synchronized boolean leave() {
        if (!closed || !queue.isEmpty()) { // [W2]
            return false;
        }
        consumers--;
        return true;
    }
}
