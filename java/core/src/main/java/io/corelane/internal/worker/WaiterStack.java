// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for the end of a job, threads and listeners: a Treiber stack in one field of the job's superclass, so that a job
 * nobody waits for costs one field and no object. Such a job does its own bookkeeping when it is run.
 */
abstract class WaiterStack implements Runnable {
    /*
     * Ordering
     *   V1 <> V2  a waiter pushes its node (CAS), then reads the job's state; the job's end changes the state (CAS),
     *             then reads the stack: one of the two sees the other, so no waiter is left behind. The stack is taken
     *             as a whole, so each listener is called by one thread, once
     *
     * Source: java.util.concurrent.FutureTask has the same structure.
     */
    private static final VarHandle WAITERS;

    static {
        try {
            WAITERS = MethodHandles.lookup()
                    .findVarHandle(WaiterStack.class, "waiters", Waiter.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile @Nullable Waiter waiters;

    /** A waiting thread, cleared when it gives up or is woken; or a listener. */
    private static final class Waiter {
        volatile @Nullable Thread thread;
        final @Nullable Runnable listener;
        volatile @Nullable Waiter next;

        Waiter(@Nullable Thread thread, @Nullable Runnable listener) {
            this.thread = thread;
            this.listener = listener;
        }

        boolean isGone() {
            return thread == null && listener == null;
        }
    }

    /** Returns whether the job has ended, in whatever way. */
    abstract boolean ended();

    /** Whether the job is queued by the clock. */
    boolean isTimed() {
        return false;
    }

    /** Calls a listener and sees to what it throws. */
    abstract void tell(Runnable listener);

    /**
     * Calls a listener when the job has ended: now, if it has.
     *
     * @param listener what to call
     */
    final void addListener(Runnable listener) {
        push(new Waiter(null, listener)); // [V1] CAS
        if (ended()) { // [V1] read, after the push
            wakeWaiters();
        }
    }

    /**
     * Waits until the job has ended.
     *
     * @param deadlineNanos when to give up, by {@link System#nanoTime}, or 0 for never
     * @param interruptible whether an interrupt ends the wait
     * @param orUntil ends the wait as well; whoever makes it true unparks the thread
     * @return whether the job has ended
     * @throws InterruptedException if interrupted and {@code interruptible}; the flag is cleared then
     */
    final boolean awaitEnd(long deadlineNanos, boolean interruptible, BooleanSupplier orUntil)
            throws InterruptedException {
        Waiter node = null;
        boolean interrupted = false;
        try {
            while (!ended()) { // [V1] read, after the push
                if (interruptible && Thread.interrupted()) {
                    throw new InterruptedException();
                }
                if (node == null) {
                    node = new Waiter(Thread.currentThread(), null);
                    push(node); // [V1] CAS
                } else if (orUntil.getAsBoolean()) {
                    return false;
                } else if (deadlineNanos == 0) {
                    LockSupport.park(this);
                } else {
                    long left = deadlineNanos - System.nanoTime();
                    if (left <= 0) {
                        return false;
                    }
                    LockSupport.parkNanos(this, left);
                }
                if (!interruptible && Thread.interrupted()) {
                    interrupted = true; // a set flag would turn park into a spin
                }
            }
            return true;
        } finally {
            if (node != null && !ended()) {
                remove(node);
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Wakes all waiting threads, then calls the listeners in the order in which they came; after the job has ended. */
    final void wakeWaiters() {
        if (waiters == null) { // [V2] volatile read, after the CAS of the state
            return;
        }
        Waiter taken = (Waiter) WAITERS.getAndSet(this, (Waiter) null);
        int listeners = 0;
        for (Waiter node = taken; node != null; node = node.next) {
            Thread thread = node.thread;
            if (thread != null) {
                node.thread = null;
                LockSupport.unpark(thread);
            }
            listeners += node.listener != null ? 1 : 0;
        }
        if (listeners == 1) {
            tell(listenerAt(taken, 0));
        } else if (listeners > 1) {
            tellInOrder(taken, listeners);
        }
    }

    private void tellInOrder(@Nullable Waiter newest, int count) {
        Runnable[] listeners = null;
        try {
            listeners = new Runnable[count];
        } catch (OutOfMemoryError slower) {
            // looks each one up
        }
        int i = 0;
        for (Waiter node = newest; listeners != null && node != null; node = node.next) {
            if (node.listener != null) {
                listeners[i++] = node.listener;
            }
        }
        for (i = count - 1; i >= 0; i--) {
            tell(listeners != null ? listeners[i] : listenerAt(newest, i));
        }
    }

    /** The listeners of a stack that was taken: nothing but waiting threads that gave up is ever unlinked from it. */
    private static Runnable listenerAt(@Nullable Waiter newest, int index) {
        int left = index;
        for (Waiter node = newest; node != null; node = node.next) {
            if (node.listener != null && left-- == 0) {
                return node.listener;
            }
        }
        throw new AssertionError("listener " + index + " is gone");
    }

    private void push(Waiter node) {
        Waiter head;
        do {
            head = waiters;
            node.next = head;
        } while (!WAITERS.compareAndSet(this, head, node));
    }

    /** Unlinks a waiter that gave up, and others that did: a handle that is polled with timeouts must not grow. */
    private void remove(Waiter gone) {
        gone.thread = null;
        boolean raced;
        do {
            raced = false;
            Waiter previous = null;
            Waiter node = waiters;
            while (node != null && !raced) {
                Waiter next = node.next;
                if (!node.isGone()) {
                    previous = node;
                } else if (previous != null) {
                    previous.next = next;
                    raced = previous.isGone(); // it may have been unlinked meanwhile, and we with it
                } else {
                    raced = !WAITERS.compareAndSet(this, node, next);
                }
                node = next;
            }
        } while (raced);
    }
}
