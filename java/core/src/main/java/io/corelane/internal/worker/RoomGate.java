// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import java.lang.invoke.VarHandle;
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
     * A signal is one place. Whoever leaves, with or without a place, signals the next, who finds out whether there is one
     * more: so no place is forgotten when a submitter gives up.
     */
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
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
    @SuppressWarnings("NonAtomicVolatileUpdate") // updated under the lock
    boolean await(BooleanSupplier offer, long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            boolean mayTry = waiting == 0;
            waiting++; // [G1] volatile
            long left = nanos;
            try {
                while (true) {
                    if (mayTry && offer.getAsBoolean()) { // [G1] after it
                        return true;
                    }
                    mayTry = true;
                    if (open || left <= 0) {
                        return false;
                    }
                    if (nanos == Long.MAX_VALUE) {
                        room.await();
                    } else {
                        left = room.awaitNanos(left);
                    }
                }
            } finally {
                waiting--;
                room.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Called by a worker that has taken a job out of the injector. */
    void roomMade() {
        VarHandle.fullFence(); // [G2] between the injector's release store and the read
        if (waiting != 0) {
            signal();
        }
    }

    private void signal() {
        lock.lock();
        try {
            room.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Sends everyone away, for good. */
    void open() {
        open = true;
        lock.lock();
        try {
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
