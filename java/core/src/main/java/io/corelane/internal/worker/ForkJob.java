// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.internal.deque.WorkDeque;
import io.corelane.internal.fork.ForkList;
import io.corelane.internal.fork.ForkMark;
import io.corelane.internal.fork.ForkNode;
import io.corelane.internal.fork.ForkShare;
import io.corelane.internal.fork.Sneaky;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * A fork that was shared: what stands in the queues for it, and what its parent waits for.
 *
 * <p><b>Thread safety:</b> any thread may call anything that does not say otherwise. <b>Memory effects:</b> what the parent
 * did before it forked is visible to the body, what the body did to the parent after its join.
 */
final class ForkJob extends WaiterStack implements ForkShare {
    /*
     * How it works. It is claimed once: by a worker that took it from a queue, by a thread that helps, by its parent, which
     * then runs the fork as if it had never been shared, or by its parent to cancel it. Entries in queues whose job was
     * claimed are stale. Who claims to run ends it, DONE or FAILED, and wakes the parent; a parent that has claimed it
     * itself has nobody to tell.
     *
     * It is no job in the scheduler's books: it is a part of the one whose tree it belongs to. shutdownNow takes it out of
     * the queues and leaves it to its parent.
     *
     * Ordering
     *   C1        CAS of state from NEW, by the claimant
     *   E1 -> E2  state.volatile -> state.volatile: a parent that sees DONE or FAILED sees `value` and what the body did
     *   H1 <> H2  a waiting parent writes `hungry`, then looks into the deques; who has shared a fork reads `hungry` after
     *             the push; with full fences in between one of the two sees the other
     *   Q1 <> Q2  who cancels writes `cancelRequested`, then reads `runner` for the alarm; the runner is written before
     *             the body starts, and messages are read at the first alarm: see ForkHost. A runner that is written after
     *             the read looks at `cancelRequested` afterwards
     */
    private static final int NEW = 0;
    private static final int CLAIMED = 1;
    private static final int DONE = 2;
    private static final int FAILED = 3;
    private static final int CANCELLED = 4;

    private static final int MOST_TRACES = 16;
    private static final int LOOKED_AT = 4;

    private static final VarHandle STATE;
    private static final VarHandle HUNGRY;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(ForkJob.class, "state", int.class).withInvokeExactBehavior();
            HUNGRY = lookup.findVarHandle(ForkJob.class, "hungry", Thread.class).withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Forking owner;
    /** The shared fork whose run has forked this one; null if that was the root of the tree. */
    final @Nullable ForkJob origin;

    /** Of the run that has forked it: cancelled with that, whatever its thread does meanwhile. */
    private final @Nullable ForkMark mark;

    private final @Nullable ClassLoader loader;
    /** The fork; null once nobody will run it any more, so that a stale entry keeps nothing reachable. */
    private volatile @Nullable ForkNode node;

    @SuppressWarnings("UnusedVariable") // STATE
    private int state;

    private @Nullable Object value;
    private volatile @Nullable Forking runner;
    private volatile boolean cancelRequested;

    /** The parent's thread while it is parked and could run a part of this fork. */
    @SuppressWarnings("UnusedVariable") // HUNGRY
    private @Nullable Thread hungry;

    ForkJob(Forking owner, ForkNode node, @Nullable ForkMark mark, @Nullable ClassLoader loader) {
        this.owner = owner;
        this.node = node;
        this.mark = mark;
        this.origin = mark == null ? null : (ForkJob) mark.origin();
        this.loader = loader;
    }

    /** Returns whether an entry of a queue is worth nothing any more. */
    static boolean isStale(Object entry) {
        return entry instanceof ForkJob job && !job.isUnclaimed();
    }

    boolean isUnclaimed() {
        return (int) STATE.getAcquire(this) == NEW;
    }

    @Override
    boolean ended() {
        return (int) STATE.getVolatile(this) > CLAIMED; // [E2]
    }

    private boolean claim(int next) {
        return isUnclaimed() && STATE.compareAndSet(this, NEW, next); // [C1]
    }

    /** Claims it for who runs it, see {@link Forking#runShared}. */
    boolean claimFor(Forking runner) {
        if (!claim(CLAIMED)) {
            return false;
        }
        this.runner = runner; // [Q2] volatile, before cancelRequested is read
        return true;
    }

    /** Claims it for its parent, which runs the fork, and nobody waits. */
    boolean claimBack() {
        if (!claim(CLAIMED)) {
            return false;
        }
        node = null;
        return true;
    }

    /** Ends it before anybody has claimed it; returns false if somebody has. */
    boolean cancelUnclaimed() {
        if (!claim(CANCELLED)) {
            return false;
        }
        node = null;
        return true;
    }

    /** Asks its runner to stop in its next fork or join. */
    void requestCancel() {
        cancelRequested = true; // [Q1]
        Forking now = runner;
        if (now != null) {
            now.alarmAndWake();
        }
    }

    /** Why the run of this is to stop, be it for what surrounds it on other threads; null if it is not. */
    @Nullable
    String whyCancelled() {
        for (ForkJob job = this; job != null; job = job.origin) {
            if (job.cancelRequested) {
                return "the fork was cancelled: its parent has failed or was cancelled";
            }
            for (ForkMark at = job.mark; at != null && at.origin() == null; at = at.outer()) {
                String why = at.whyCancelled();
                if (why != null) {
                    return why;
                }
                if (at.job() instanceof SubmittedJob<?> tree && tree.isCancelled()) {
                    return "the job whose tree this is was cancelled";
                }
            }
        }
        return null;
    }

    @Nullable
    Forking runner() {
        return runner;
    }

    /** Returns whether this belongs to the tree of a run of another one. */
    boolean descendsFrom(ForkJob ancestor) {
        for (ForkJob job = origin; job != null; job = job.origin) {
            if (job == ancestor) {
                return true;
            }
        }
        return false;
    }

    /** Returns an unclaimed part of this that is one of the oldest entries of a deque, and leaves it there. */
    @Nullable
    ForkJob partIn(WorkDeque deque) {
        for (int i = 0; i < LOOKED_AT; i++) {
            Object entry = deque.peek(i);
            if (entry == null) {
                return null;
            }
            if (entry instanceof ForkJob part && part.isUnclaimed() && part.descendsFrom(this)) {
                return part;
            }
        }
        return null;
    }

    @Override
    void runQueued() {
        Forking here = owner.pool.currentForking();
        if (here != null) {
            boolean ignored = here.runShared(this);
        }
    }

    /** Calls the body; for the claimant. */
    @Nullable
    Object callBody() {
        ForkNode body = Objects.requireNonNull(node);
        if (loader == null) {
            return ForkList.call(body);
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return ForkList.call(body);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Ends it; for the claimant. */
    void end(@Nullable Throwable failure, @Nullable Object result) {
        value = failure == null ? result : failure; // plain: E1 publishes it
        node = null;
        runner = null;
        STATE.setVolatile(this, failure == null ? DONE : FAILED); // [E1]
        wakeWaiters();
    }

    /** Returns what the body threw; null if it has not ended or did not throw. */
    @Nullable
    Throwable failure() {
        return (int) STATE.getVolatile(this) == FAILED ? (Throwable) value : null;
    }

    @Override
    public @Nullable Object takeResult() {
        int s = (int) STATE.getVolatile(this); // [E2]
        Object result = value;
        value = null; // deques and lists of offers may keep this job for a while
        if (s == DONE) {
            return result;
        }
        if (s == FAILED) {
            throw Sneaky.thrown(traced((Throwable) Objects.requireNonNull(result)));
        }
        throw new CancellationException("the fork was cancelled");
    }

    /** The failure itself, with a trace of the thread that had forked: its own is that of the thread that ran the fork. */
    private static Throwable traced(Throwable failure) {
        if (failure.getSuppressed().length < MOST_TRACES) { // an exception that many share must not grow for ever
            failure.addSuppressed(new ForkTrace());
        }
        return failure;
    }

    /** Says who is parked for want of a part of this fork; null for nobody. */
    void setHungry(@Nullable Thread thread) {
        HUNGRY.setVolatile(this, thread); // [H1]
    }

    boolean isHungry() {
        return (Thread) HUNGRY.getVolatile(this) != null;
    }

    /** Returns the thread that is parked for want of a part of this fork, once; null if there is none. */
    @Nullable
    Thread takeHungry() {
        Thread thread = (Thread) HUNGRY.getVolatile(this); // [H2]
        return thread != null && HUNGRY.compareAndSet(this, thread, (Thread) null) ? thread : null;
    }

    @Override
    void tell(Runnable listener) {
        throw new AssertionError("nobody listens to a fork");
    }

    @Override
    public String toString() {
        return "Fork@" + Integer.toHexString(System.identityHashCode(this)) + "[" + node + "]";
    }
}
