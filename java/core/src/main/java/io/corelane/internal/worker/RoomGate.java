// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.internal.stack.StackReserve;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Where submitters wait for room in a full injector, first come, first served.
 *
 * <p><b>Thread safety:</b> any thread may call anything.
 */
final class RoomGate {
    /*
     * Ordering
     *   G1 <> G2  a submitter raises `waiting`, then tries to offer; a worker takes a job, then, after a full fence, reads
     *             `waiting`: either the submitter finds the room or the worker finds the submitter
     *
     * Only the first in the queue tries; whoever leaves the queue, with or without a place, wakes the next, who finds out
     * whether there is one more: so no place is forgotten, and a batch that needs many is not overtaken for ever by
     * single jobs.
     */
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Condition> queue = new ArrayDeque<>();
    private volatile int waiting;
    private volatile boolean open;

    /** Returns whether anyone waits; a newcomer queues up then. */
    boolean isCrowded() {
        return waiting != 0;
    }

    /**
     * Waits until an offer succeeds or the gate is opened for good.
     *
     * @param offer tries; called under the lock
     * @param nanos how long to wait, or {@link Long#MAX_VALUE} for ever
     * @return whether the offer has succeeded
     * @throws InterruptedException if interrupted while waiting
     */
    boolean await(BooleanSupplier offer, long nanos) throws InterruptedException {
        StackReserve.require(); // whoever joins the queue has to leave it
        Condition turn = lock.newCondition();
        lock.lockInterruptibly();
        try {
            queue.addLast(turn);
            waiting = queue.size(); // [G1] volatile
            long left = nanos;
            while (true) {
                if (queue.peekFirst() == turn && offer.getAsBoolean()) { // [G1] after it
                    return true;
                }
                if (open || left <= 0) {
                    return false;
                }
                if (nanos == Long.MAX_VALUE) {
                    turn.await();
                } else {
                    left = turn.awaitNanos(left);
                }
            }
        } finally {
            boolean ignored = queue.remove(turn);
            waiting = queue.size();
            wakeFirst();
            lock.unlock();
        }
    }

    private void wakeFirst() {
        Condition first = queue.peekFirst();
        if (first != null) {
            first.signal();
        }
    }

    /** Called by a worker that has taken a job out of the injector. */
    void roomMade() {
        VarHandle.fullFence(); // [G2] between the injector's release store and the read
        if (waiting != 0) {
            lock.lock();
            try {
                wakeFirst();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Sends everyone away, for good. */
    void open() {
        open = true;
        lock.lock();
        try {
            queue.forEach(Condition::signal);
        } finally {
            lock.unlock();
        }
    }
}
