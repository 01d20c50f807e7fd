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
abstract class WaiterStack {
    /*
     * Ordering
     *   V1 <> V2  a waiter pushes its node (CAS), then reads the job's state; the job's end changes the state (CAS),
     *             then reads the stack: one of the two sees the other, so no waiter is left behind. Who finds the job
     *             ended after the push sees to its own node; each listener is called by who wins its node's `called`
     *
     * Waking may be cut short by a StackOverflowError, and is begun anew then by a frame that has room: it leaves the nodes
     * where they are until it is through, a thread is woken before its node is cleared, and a listener that was not told
     * is given back.
     *
     * Source: java.util.concurrent.FutureTask has the same structure.
     */
    private static final VarHandle WAITERS;
    private static final VarHandle CALLED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            WAITERS = lookup.findVarHandle(WaiterStack.class, "waiters", Waiter.class)
                    .withInvokeExactBehavior();
            CALLED = lookup.findVarHandle(Waiter.class, "called", boolean.class).withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile @Nullable Waiter waiters;

    /** A waiting thread, cleared when it gives up or is woken; or a listener, cleared when it was told. */
    private static final class Waiter {
        volatile @Nullable Thread thread;
        volatile @Nullable Runnable listener;
        /** Whether somebody tells the listener, or has. */
        @SuppressWarnings("UnusedVariable") // CALLED
        volatile boolean called;

        volatile @Nullable Waiter next;

        Waiter(@Nullable Thread thread, @Nullable Runnable listener) {
            this.thread = thread;
            this.listener = listener;
        }

        boolean isGone() {
            return thread == null && listener == null;
        }
    }

    /** Called by a worker that has taken this from a queue, and that runs nothing else or has set it aside. */
    abstract void runQueued();

    /** Returns whether the job has ended, in whatever way. */
    abstract boolean ended();

    /** Whether the job is queued by the clock. */
    boolean isTimed() {
        return false;
    }

    /** Calls a listener and sees to what it throws, but for a StackOverflowError: then the listener is called again. */
    abstract void tell(Runnable listener);

    /**
     * Calls a listener when the job has ended: now, if it has.
     *
     * @param listener what to call
     */
    final void addListener(Runnable listener) {
        if (ended()) {
            tell(listener); // not added: a handle that is kept would grow with each call
            return;
        }
        Waiter node = new Waiter(null, listener);
        push(node); // [V1] CAS
        if (ended()) { // [V1] read, after the push
            call(node);
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

    /**
     * Wakes all waiting threads, then calls the listeners in the order in which they came; after the job has ended, by the
     * thread that ended it. To be called again if a StackOverflowError comes out of it.
     */
    final void wakeWaiters() {
        Waiter newest = waiters; // [V2] volatile read, after the CAS of the state
        if (newest == null) {
            return;
        }
        int listeners = 0;
        for (Waiter node = newest; node != null; node = node.next) {
            Thread thread = node.thread;
            if (thread != null) {
                LockSupport.unpark(thread);
                node.thread = null;
            }
            listeners += node.listener != null ? 1 : 0;
        }
        if (listeners == 1) {
            call(withListener(newest, 0));
        } else if (listeners > 1) {
            callInOrder(newest, listeners);
        }
        waiters = null; // who came since the read sees the end, and to itself
    }

    private void call(@Nullable Waiter node) {
        Runnable listener = node == null ? null : node.listener;
        if (node == null || listener == null || !CALLED.compareAndSet(node, false, true)) {
            return;
        }
        boolean told = false;
        try {
            tell(listener);
            told = true;
        } finally {
            if (told) {
                node.listener = null;
            } else {
                node.called = false;
            }
        }
    }

    private void callInOrder(Waiter newest, int count) {
        @Nullable Waiter[] nodes = null;
        try {
            nodes = new @Nullable Waiter[count];
        } catch (OutOfMemoryError slower) {
            // looks each one up
        }
        int i = 0;
        for (Waiter node = newest; nodes != null && i < count && node != null; node = node.next) {
            if (node.listener != null) {
                nodes[i++] = node;
            }
        }
        for (i = count - 1; i >= 0; i--) {
            call(nodes != null ? nodes[i] : withListener(newest, i));
        }
    }

    /** The listeners that are not told yet: newer ones are told by whoever adds them, after these or at the same time. */
    private static @Nullable Waiter withListener(Waiter newest, int index) {
        int left = index;
        for (Waiter node = newest; node != null; node = node.next) {
            if (node.listener != null && left-- == 0) {
                return node;
            }
        }
        return null; // told by whoever added it
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
