// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.JoinHelp;
import io.corelane.internal.deque.WorkDeque;
import io.corelane.internal.fork.ForkList;
import io.corelane.internal.fork.ForkNode;
import io.corelane.internal.stack.StackReserve;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How a job that runs on a thread of the pool waits for another job, so that waiting never stops the pool.
 *
 * <p><b>Thread safety:</b> for its thread alone.
 */
final class Joining {
    /*
     * The waiter, in this order,
     *   1. runs the awaited job itself if nobody has started it. That is safe whatever locks it holds: the awaited job
     *      would have to end before it anyway;
     *   2. runs jobs that it has submitted itself (JoinHelp.OWN), or any (ANY);
     *   3. parks. While it is parked its worker is free for those who can use nothing else: its own lane's jobs, and
     *      threads that want a worker back; and for any queued job if every worker has such a waiter, because what they
     *      wait for may itself wait for that job. Then the waiter leaves its worker to another thread, as in a blocking
     *      section. As long as one worker's thread is not in a join, queued jobs are left to it: a thread for each
     *      waiter would soon be too many.
     * Jobs that run inside others use the same stack. At MAX_DEPTH a thread leaves its worker, with the awaited job, to
     * another thread (FreshStack): that way ten thousand jobs of which each waits for the next need about eighty threads,
     * and overflow none.
     *
     * A StackOverflowError can strike at every call, and in the middle of a join it must not take a claimed job with it.
     *   - A claim is noted before the call that makes it. A note goes only after its job has ended and its waiters are woken
     *     (SubmittedJob.settle can be repeated), so what cannot be done for want of stack is done by the next frame of this
     *     class further up (runInside), by the next join of a job that has caught the error (settleLeftOvers), or when the outermost
     *     job ends. Such a job ends as failed, if its own end was not counted yet.
     *   - What this thread has to remember is put right by assignments, which need no stack, before anything is called.
     *   - Where jobs are taken out of a queue, or a worker is left, half a step could not be put right. These paths are
     *     longer anyway, and make sure first that there is stack enough (StackReserve).
     * Not guaranteed is how soon: until then a handle claimed here is open. And an interrupt may get lost with the error.
     *
     * A job of another pool is for that pool's threads, and the waiter only parks. Its worker is free meanwhile for the same
     * others: two pools whose jobs wait for each other do not stop. If no spare thread can be had, it blocks its worker, as a
     * blocking section would: nothing says here that it would wait for ever.
     *
     * A job that waits for a job further down on the same stack, or on the stacks that it continues, would wait for ever: that
     * is refused.
     *
     * Jobs that the running job has submitted are those in the own deque from `base` on, the deque's bottom when the job
     * began: whoever pushes there is this thread. Those that jobs inside it have submitted are not its own: they are between
     * `strangersFrom` and `strangersTo`, with some of its own in between, if it goes on submitting. They are claimed in place;
     * the entry that is left is stale, and is skipped by whoever takes it.
     *
     * A lane's job runs nothing but what it waits for: another job, on top of it, might wait for a later one of the lane, which
     * would have to run before its turn.
     */
    static final int MAX_DEPTH = 128;

    private static final int CHILDREN_LOOKED_AT = 32;
    private static final int SPINS = 64; // some microseconds
    private static final long DEGENERATE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final WorkerThread thread;
    /** The submitted jobs below the innermost one on this thread's stack. */
    private @Nullable SubmittedJob<?>[] suspended = new SubmittedJob<?>[8];

    private int suspendedCount;

    /** The jobs that this thread has claimed and not brought to an end, innermost last. */
    private @Nullable SubmittedJob<?>[] claims = new SubmittedJob<?>[8];

    private int claimCount;
    /** How many of them run, or are about to: those behind are left over from a StackOverflowError. */
    private int live;
    /** A job that this thread is about to claim, or has. */
    private @Nullable SubmittedJob<?> claiming;

    private int depth;
    /** The full stack that this one continues, if it does. */
    @Nullable
    FreshStack continues;

    private long base;
    private long strangersFrom;
    private long strangersTo;
    /** How often it became unknown, in the middle of a job, whose the jobs in the deque are. */
    private int shuffles;

    Joining(WorkerThread thread) {
        this.thread = thread;
    }

    /** A job of a worker's queues is about to run, outermost on this thread. */
    void begins(Worker worker) {
        beginsAt(worker.deque.bottom());
    }

    private void beginsAt(long bottom) {
        base = bottom;
        strangersFrom = bottom;
        strangersTo = bottom;
    }

    /** The thread serves another worker now, in the middle of a job: nothing in that deque is the job's own. */
    void attached(Worker worker) {
        shuffled(worker);
    }

    /** Nothing that is in the deque now is the job's own, nor that of those around it. */
    private void shuffled(Worker worker) {
        shuffles++;
        begins(worker);
    }

    /** Where the jobs that a job has submitted are, see above. */
    record Own(int shuffles, long base, long strangersFrom, long strangersTo, long bottom) {}

    /** Returns where the jobs are that the running one has submitted. */
    Own own() {
        Worker worker = thread.worker;
        return new Own(shuffles, base, strangersFrom, strangersTo, worker == null ? base : worker.deque.bottom());
    }

    /** What runs from now on is not the job that has submitted those. */
    void setAside(Own outer) {
        beginsAt(outer.bottom());
    }

    /** Undoes {@link #setAside}. */
    void restore(Own outer) {
        Worker worker = thread.worker;
        if (shuffles == outer.shuffles()) {
            base = outer.base();
            strangersFrom = outer.strangersFrom();
            strangersTo = outer.strangersTo();
            strangersCame(outer.bottom(), worker == null ? outer.bottom() : worker.deque.bottom());
        } else if (worker != null) {
            begins(worker);
        }
    }

    /** A job has run inside another; the deque's bottom was at two places before and after. */
    private void strangersCame(long before, long after) {
        if (after - before > 0) {
            boolean first = strangersFrom == strangersTo;
            strangersFrom = first || before - strangersFrom < 0 ? before : strangersFrom;
            strangersTo = after;
        }
    }

    /**
     * Waits for a job, see above.
     *
     * @param job the job
     * @param deadlineNanos when to give up, by {@link System#nanoTime}, or 0 for never
     * @param interruptible whether an interrupt ends the wait
     * @return whether the job has ended
     * @throws InterruptedException if interrupted and {@code interruptible}
     * @throws IllegalStateException if the job waits for itself
     */
    boolean await(SubmittedJob<?> job, long deadlineNanos, boolean interruptible) throws InterruptedException {
        if (job.isClaimed() && isBelow(job)) {
            throw job.waitsForItself();
        }
        if (!job.isOf(thread.pool)) {
            return awaitForeign(job, deadlineNanos, interruptible, () -> false);
        }
        while (!job.ended()) {
            if (interruptible && Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (deadlineNanos != 0 && deadlineNanos - System.nanoTime() <= 0) {
                return false;
            }
            if (!runAwaited(job) && !help()) {
                return park(job, deadlineNanos, interruptible, () -> false);
            }
        }
        return true;
    }

    /** Whether a job waits further down on this stack, or on one that this one continues. */
    boolean isBelow(SubmittedJob<?> job) {
        for (int i = 0; i < suspendedCount; i++) {
            if (suspended[i] == job) {
                return true;
            }
        }
        FreshStack fresh = continues;
        return fresh != null && fresh.isBelow(job);
    }

    /** Runs the awaited job, or what has to run before it; returns whether anything was run. */
    private boolean runAwaited(SubmittedJob<?> job) {
        Worker worker = thread.worker;
        if (worker == null) {
            return false;
        }
        if (job.mayRunInJoin()) {
            return claim(job) && runClaimed(worker, job);
        }
        if (thread.laneDepth == 0 || job.lane() != worker) {
            return false;
        }
        StackReserve.require();
        Object next = worker.pollMailbox();
        if (next == null) {
            return false;
        }
        runInside(worker, next, false);
        return true;
    }

    private boolean claim(SubmittedJob<?> job) {
        if (claimCount == claims.length) {
            claims = Arrays.copyOf(claims, 2 * claimCount);
        }
        claiming = job;
        boolean claimed = job.claimFor(this);
        if (claimed) {
            claims[claimCount++] = job;
        }
        claiming = null;
        return claimed;
    }

    /** Ends the jobs that were claimed and did not come to their end; may be cut short and repeated. */
    private void settle(int level) {
        SubmittedJob<?> maybe = claiming;
        if (maybe != null) {
            if (maybe.isClaimedBy(this)) {
                claims[claimCount++] = maybe; // there is room: see claim
            }
            claiming = null;
        }
        while (claimCount > level) {
            SubmittedJob<?> job = Objects.requireNonNull(claims[claimCount - 1]);
            job.settle(noStack());
            claims[--claimCount] = null;
        }
    }

    private static Error noStack() {
        try {
            return new StackOverflowError("no stack was left to run this job inside the one that waits for it");
        } catch (OutOfMemoryError noMemoryEither) {
            return noMemoryEither;
        }
    }

    /** Before a wait: what is left over from a StackOverflowError may be what the caller is about to wait for. */
    void settleLeftOvers() {
        if (claimCount != live || claiming != null) {
            settle(live);
        }
    }

    /** The outermost job of this thread has ended, or the thread. */
    void ended() {
        live = 0;
        if (claimCount != 0 || claiming != null) {
            settle(0);
        }
    }

    private boolean runClaimed(Worker worker, SubmittedJob<?> job) {
        if (depth >= MAX_DEPTH) {
            StackReserve.require();
            FreshStack fresh = new FreshStack(job, thread);
            worker.first = fresh;
            if (thread.leave(worker)) {
                claims[--claimCount] = null; // the other thread's now
                try {
                    fresh.awaitEnd();
                } finally {
                    thread.comeBack(worker);
                }
                return true;
            }
            worker.first = null; // no other thread to be had: this stack has to do
        }
        runInside(worker, job, true);
        return true;
    }

    private boolean help() {
        Worker worker = thread.worker;
        JoinHelp mode = thread.pool.config.joinHelp();
        boolean mayHelp = mode != JoinHelp.AWAITED && depth < MAX_DEPTH && thread.laneDepth == 0;
        if (worker == null || !mayHelp || thread.pool.isStopping()) {
            return false;
        }
        SubmittedJob<?> child = claimChild(worker.deque);
        if (child != null) {
            runInside(worker, child, true);
            return true;
        }
        if (mode != JoinHelp.ANY) {
            return false;
        }
        StackReserve.require();
        return runAnyQueued(worker);
    }

    private @Nullable SubmittedJob<?> claimChild(WorkDeque deque) {
        int left = CHILDREN_LOOKED_AT;
        long oldest = deque.taken(); // in the slots of those below there may be newer jobs
        for (long i = deque.bottom() - 1; i - base >= 0 && i - oldest >= 0 && left > 0; i--, left--) {
            if (i - strangersFrom >= 0 && i - strangersTo < 0) {
                i = strangersFrom;
            } else if (deque.at(i) instanceof SubmittedJob<?> child && child.mayRunInJoin() && claim(child)) {
                return child;
            }
        }
        return null;
    }

    /** Runs the next job of the queues that is not a stale entry; returns whether there was one. */
    private boolean runAnyQueued(Worker worker) {
        Object any;
        do {
            any = thread.pool.isStopping() ? null : worker.anyJob();
            if (any == null) {
                return false;
            }
        } while (!runInside(worker, any, false));
        return true;
    }

    /**
     * Runs a job inside the waiting one, keeping the interrupts and the surroundings of the two apart; returns whether it ran,
     * which a stale entry does not.
     */
    private boolean runInside(Worker worker, Object inner, boolean claimed) {
        if (!claimed && inner instanceof SubmittedJob<?> queued && !claim(queued)) {
            return false;
        }
        int level = claimCount - (inner instanceof SubmittedJob<?> ? 1 : 0);
        int outerLive = live;
        int outerDepth = depth;
        int outerSuspended = suspendedCount;
        SubmittedJob<?> outer = thread.current;
        long outerBase = base;
        long outerFrom = strangersFrom;
        long outerTo = strangersTo;
        long begun = worker.deque.bottom();
        long ended = begun;
        int before = shuffles;
        ForkNode aside = null;
        GuestDeques.Place place = null;
        Forking guest = null;
        ForkNode guestAside = null;
        GuestDeques.Place guestPlace = null;
        boolean hasSetAside = false;
        boolean interrupted = false;
        boolean keepsContext = false;
        ClassLoader outerContext = null;
        try {
            thread.forking.shareAll(); // nobody asks for forks of trees that are set aside
            aside = thread.forking.list().setAside();
            place = thread.forking.setPlaceAside();
            hasSetAside = true;
            guest = foreignTrees();
            if (guest != null) { // the tree of another pool, around the join, is none of the job's either
                StackReserve.require();
                guest.shareAll();
                guestPlace = guest.setPlaceAside();
                guestAside = guest.list().setAside();
            }
            interrupted = Thread.interrupted();
            if (thread.pool.config.context().kept()) {
                outerContext = thread.getContextClassLoader();
                keepsContext = true;
                thread.restoreContext();
            }
            if (outer != null && suspend(outer)) {
                interrupted = true;
                boolean ignored = Thread.interrupted();
            }
            thread.current = null;
            begins(worker);
            live = claimCount;
            depth = outerDepth + 1;
            worker.countHelped();
            if (thread.pool.isStopping()) {
                thread.interrupt(); // the interrupt of shutdownNow may have been among those that were kept back above
            }
            if (inner instanceof SubmittedJob<?> job) {
                job.runClaimed();
                boolean ignored = Thread.interrupted();
                settleLeftOvers(); // what it has claimed lies above its own claim
                claims[--claimCount] = null;
            } else {
                worker.run(thread, inner);
            }
            ended = worker.deque.bottom();
            return true;
        } finally {
            live = outerLive;
            depth = outerDepth;
            if (shuffles == before) {
                base = outerBase;
                strangersFrom = outerFrom;
                strangersTo = outerTo;
            }
            thread.current = outer;
            for (int i = outerSuspended; i < suspendedCount; i++) {
                suspended[i] = null;
            }
            suspendedCount = outerSuspended; // up to here nothing was called
            if (hasSetAside) {
                thread.forking.list().restore(aside);
                thread.forking.restorePlace(place);
                if (aside != null) {
                    thread.forking.alarm(); // its messages may have come meanwhile, and the job inside have read them
                }
            }
            if (guest != null && guestAside != null) {
                guest.list().restore(guestAside);
                guest.restorePlace(guestPlace);
                guest.alarm();
            }
            if (claimCount > level || claiming != null) {
                settle(level);
            }
            Worker here = thread.worker;
            if (shuffles == before) {
                strangersCame(begun, ended);
            } else if (here != null) {
                begins(here);
            }
            if (keepsContext) {
                thread.setContextClassLoader(outerContext);
            }
            if (outer != null && outer.resume()) {
                interrupted = true;
            }
            if (interrupted || thread.pool.isStopping()) {
                thread.interrupt();
            }
        }
    }

    /** The trees of another pool that this thread runs as a guest, innermost; null if it runs none there. */
    private @Nullable Forking foreignTrees() {
        ForkList list = ForkList.currentOrNull();
        return list != null && list.host() instanceof Forking here && here != thread.forking ? here : null;
    }

    /** The job that runs here will run another inside; returns whether it was interrupted. */
    boolean suspend(SubmittedJob<?> outer) {
        if (suspendedCount == suspended.length) {
            suspended = Arrays.copyOf(suspended, 2 * suspendedCount);
        }
        suspended[suspendedCount++] = outer;
        return outer.suspend();
    }

    /** Undoes {@link #suspend}; returns whether the job was interrupted meanwhile. */
    boolean resume(SubmittedJob<?> outer) {
        suspended[--suspendedCount] = null;
        return outer.resume();
    }

    private boolean park(WaiterStack job, long deadlineNanos, boolean interruptible, BooleanSupplier orUntil)
            throws InterruptedException {
        StackReserve.require();
        thread.forking.shareAll();
        boolean needsWorker = job.isTimed(); // it will come to the injector, and this may be the only worker
        if (!needsWorker && endsSoon(job)) {
            return true;
        }
        while (true) {
            Worker worker = thread.worker; // not always the one of the last round: a job inside may have left that
            if (worker == null) {
                return job.awaitEnd(deadlineNanos, interruptible, orUntil);
            }
            if (needsWorker && thread.leave(worker)) {
                try {
                    return job.awaitEnd(deadlineNanos, interruptible, orUntil);
                } finally {
                    thread.comeBack(worker);
                }
            }
            boolean ended = needsWorker
                    ? awaitHelping(worker, job, deadlineNanos, interruptible, orUntil)
                    : awaitUntilNeeded(worker, job, deadlineNanos, interruptible, orUntil);
            if (ended || orUntil.getAsBoolean() || (deadlineNanos != 0 && deadlineNanos - System.nanoTime() <= 0)) {
                return ended;
            }
            needsWorker = !needsWorker || job.isTimed();
        }
    }

    /** Parks until a fork of this thread, in a tree of another pool, has ended or there is news. */
    boolean awaitForeignFork(ForkJob fork, BooleanSupplier orUntil) throws InterruptedException {
        return awaitForeign(fork, 0, false, orUntil);
    }

    private boolean awaitForeign(WaiterStack job, long deadlineNanos, boolean interruptible, BooleanSupplier orUntil)
            throws InterruptedException {
        StackReserve.require();
        thread.forking.shareAll();
        Worker worker = thread.worker;
        if (worker == null) {
            return job.awaitEnd(deadlineNanos, interruptible, orUntil);
        }
        if (endsSoon(job)) {
            return true;
        }
        while (true) {
            if (awaitUntilNeeded(worker, job, deadlineNanos, interruptible, orUntil)) {
                return true;
            }
            if (orUntil.getAsBoolean()) {
                return false;
            }
            if (deadlineNanos != 0 && deadlineNanos - System.nanoTime() <= 0) {
                return false;
            }
            if (thread.leave(worker)) {
                try {
                    return job.awaitEnd(deadlineNanos, interruptible, orUntil);
                } finally {
                    thread.comeBack(worker);
                }
            }
            if (job.awaitEnd(pauseUntil(deadlineNanos), interruptible, orUntil)) { // then there may be one
                return true;
            }
        }
    }

    /** When to look again, where no thread can be had; not after a deadline. */
    private static long pauseUntil(long deadlineNanos) {
        long pause = System.nanoTime() + DEGENERATE_PAUSE_NANOS;
        long until = deadlineNanos != 0 && deadlineNanos - pause < 0 ? deadlineNanos : pause;
        return until == 0 ? 1 : until;
    }

    /** A job that another worker is about to end is not worth a change of threads. */
    private static boolean endsSoon(WaiterStack job) {
        for (int i = 0; i < SPINS; i++) {
            Thread.onSpinWait();
            if (job.ended()) {
                return true;
            }
        }
        return false;
    }

    private boolean awaitUntilNeeded(
            Worker worker, WaiterStack job, long deadlineNanos, boolean interruptible, BooleanSupplier orUntil)
            throws InterruptedException {
        worker.waitsInJoin(thread); // [R2] volatile, before the looks for those who need the worker
        try {
            return job.awaitEnd(
                    deadlineNanos,
                    interruptible,
                    () -> orUntil.getAsBoolean() || isNeeded(worker) || thread.pool.isStuckInJoins());
        } finally {
            worker.waitsInJoin(null);
        }
    }

    /** Whether somebody waits who can use no other worker, or any. */
    boolean isNeeded(Worker worker) {
        return thread.pool.spares.wants(worker) || (thread.laneDepth == 0 && worker.hasMail());
    }

    /**
     * Others need the worker, and no spare thread can be had: the limit is reached, or the system has none. Its lane's jobs
     * run inside then, and any job if nobody else can run one. That may bury a job that somebody waits for below one that
     * waits; but it beats waiting for ever.
     */
    private boolean awaitHelping(
            Worker worker, WaiterStack job, long deadlineNanos, boolean interruptible, BooleanSupplier orUntil)
            throws InterruptedException {
        long until = pauseUntil(deadlineNanos);
        Object mail = thread.laneDepth == 0 ? worker.pollMailbox() : null;
        if (mail != null) {
            runInside(worker, mail, false);
            return job.ended();
        }
        boolean stuck;
        worker.waitsInJoin(thread);
        try {
            if (job.awaitEnd(until, interruptible, orUntil)) {
                return true;
            }
            stuck = thread.pool.isStuckInJoins();
        } finally {
            worker.waitsInJoin(null);
        }
        return stuck && runAny(worker) && job.ended(); // at whatever depth: nobody else will
    }

    /** Parks until a fork of this thread has ended, which another thread runs, or there is news. */
    boolean awaitFork(ForkJob fork, BooleanSupplier orUntil) throws InterruptedException {
        return park(fork, 0, false, orUntil);
    }

    /** Runs any job inside what runs here; returns whether there was one. */
    boolean runAny() {
        Worker worker = thread.worker;
        return worker != null && depth < MAX_DEPTH && thread.laneDepth == 0 && runAny(worker);
    }

    private boolean runAny(Worker worker) {
        boolean ran = runAnyQueued(worker);
        if (worker == thread.worker) {
            shuffled(worker); // strangers came into the deque, or were taken out of it
        }
        return ran;
    }
}
