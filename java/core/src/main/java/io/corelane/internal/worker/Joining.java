// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.JoinHelp;
import io.corelane.internal.deque.WorkDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
     * another thread and its fresh stack: that way ten thousand jobs of which each waits for the next need about eighty
     * threads, and overflow none.
     *
     * Where the stack overflows all the same, the error goes up to a frame that has room, and the jobs that were claimed on
     * the way are to end as failed there (settle). Not guaranteed: if the stack overflows once more in the middle of that, the
     * handle of such a job stays open.
     *
     * A job of another pool is for that pool's threads, and the waiter only parks. Its worker is free meanwhile for the same
     * others: two pools whose jobs wait for each other do not stop. If no spare thread can be had, it blocks its worker, as a
     * blocking section would: nothing says here that it would wait for ever.
     *
     * A job that waits for a job further down on the same stack would wait for ever: that is refused.
     *
     * Jobs that the running job has submitted are those in the own deque from `base` on, the deque's bottom when the job
     * began: whoever pushes there is this thread. They are claimed in place; the entry that is left is stale, and is
     * skipped by whoever takes it.
     */
    static final int MAX_DEPTH = 128;

    private static final int CHILDREN_LOOKED_AT = 32;
    private static final int SPINS = 64; // some microseconds
    private static final long DEGENERATE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final WorkerThread thread;
    /** The submitted jobs below the innermost one on this thread's stack. */
    private final List<SubmittedJob<?>> suspended = new ArrayList<>();

    /** The jobs that this thread has claimed and not brought to an end, innermost last. */
    private final List<SubmittedJob<?>> claims = new ArrayList<>();

    private int depth;
    private long base;
    /** How often the thread has begun to serve a worker in the middle of a job. */
    private int attachments;

    Joining(WorkerThread thread) {
        this.thread = thread;
    }

    /** A job of a worker's queues is about to run, outermost on this thread. */
    void begins(Worker worker) {
        base = worker.deque.bottom();
    }

    /** The thread serves another worker now, in the middle of a job: nothing in that deque is the job's own. */
    void attached(Worker worker) {
        attachments++;
        base = worker.deque.bottom();
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
        if (suspended.contains(job)) {
            throw job.waitsForItself();
        }
        if (!job.isOf(thread.pool)) {
            return awaitForeign(job, deadlineNanos, interruptible);
        }
        while (!job.ended()) {
            if (interruptible && Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (deadlineNanos != 0 && deadlineNanos - System.nanoTime() <= 0) {
                return false;
            }
            if (!runAwaited(job) && !help()) {
                return park(job, deadlineNanos, interruptible);
            }
        }
        return true;
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
        Object next = thread.laneDepth > 0 && job.lane() == worker ? worker.pollMailbox() : null;
        if (next == null) {
            return false;
        }
        runInside(worker, next, false);
        return true;
    }

    /** Noted first and claimed then: wherever the stack may overflow, no claimed job is forgotten. */
    private boolean claim(SubmittedJob<?> job) {
        claims.add(job);
        if (job.claimFor(this)) {
            return true;
        }
        claims.remove(claims.size() - 1);
        return false;
    }

    /** Ends the jobs that were claimed and could not be run, because the stack was at its end. */
    private void settle(int settled) {
        while (claims.size() > settled) {
            SubmittedJob<?> job = claims.remove(claims.size() - 1);
            if (!job.ended() && job.isClaimedBy(this, thread)) {
                job.failClaimed(
                        new StackOverflowError("no stack was left to run this job inside the one that waits for it"));
            }
        }
    }

    /** The outermost job of this thread has ended. */
    void ended() {
        if (!claims.isEmpty()) {
            settle(0);
        }
    }

    private boolean runClaimed(Worker worker, SubmittedJob<?> job) {
        if (depth >= MAX_DEPTH) {
            worker.first = job;
            if (thread.leave(worker)) {
                claims.remove(claims.size() - 1); // the other thread's now
                try {
                    awaitUninterruptibly(job);
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

    private static void awaitUninterruptibly(SubmittedJob<?> job) {
        try {
            boolean ignored = job.awaitEnd(0, false, () -> false);
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private boolean help() {
        Worker worker = thread.worker;
        JoinHelp mode = thread.pool.config.joinHelp();
        if (worker == null || mode == JoinHelp.AWAITED || depth >= MAX_DEPTH || thread.pool.isStopping()) {
            return false;
        }
        SubmittedJob<?> child = claimChild(worker.deque);
        if (child != null) {
            runInside(worker, child, true);
            return true;
        }
        Object any = mode == JoinHelp.ANY ? worker.anyJob() : null;
        if (any == null) {
            return false;
        }
        runInside(worker, any, false);
        return true;
    }

    private @Nullable SubmittedJob<?> claimChild(WorkDeque deque) {
        long end = deque.bottom();
        for (long i = end - 1; i - base >= 0 && end - i <= CHILDREN_LOOKED_AT; i--) {
            if (deque.at(i) instanceof SubmittedJob<?> child && child.mayRunInJoin() && claim(child)) {
                return child;
            }
        }
        return null;
    }

    /** Runs a job inside the waiting one, keeping the interrupts and the surroundings of the two apart. */
    private void runInside(Worker worker, Object inner, boolean claimed) {
        if (!claimed && inner instanceof SubmittedJob<?> queued && !claim(queued)) {
            return; // a stale entry: nothing runs, so nobody was helped
        }
        int settled = claims.size() - (inner instanceof SubmittedJob<?> ? 1 : 0);
        SubmittedJob<?> outer = thread.current;
        long outerBase = base;
        int before = attachments;
        boolean interrupted = Thread.interrupted();
        boolean keepsContext = thread.pool.config.context().kept();
        ClassLoader outerContext = keepsContext ? thread.getContextClassLoader() : null;
        if (keepsContext) {
            thread.restoreContext();
        }
        if (outer != null) {
            suspended.add(outer);
            if (outer.suspend()) {
                interrupted = true;
                boolean ignored = Thread.interrupted();
            }
        }
        thread.current = null;
        begins(worker);
        depth++;
        worker.countHelped();
        if (thread.pool.isStopping()) {
            thread.interrupt(); // the interrupt of shutdownNow may have been among those that were kept back above
        }
        try {
            if (inner instanceof SubmittedJob<?> job) {
                runClaimedJob(job);
            } else {
                worker.run(thread, inner);
            }
        } finally {
            depth--;
            base = attachments == before ? outerBase : base;
            thread.current = outer;
            if (keepsContext) {
                thread.setContextClassLoader(outerContext);
            }
            if (outer != null) {
                suspended.remove(suspended.size() - 1);
                if (outer.resume()) {
                    interrupted = true;
                }
            }
            settle(settled);
            if (interrupted || thread.pool.isStopping()) {
                thread.interrupt();
            }
        }
    }

    private static void runClaimedJob(SubmittedJob<?> job) {
        try {
            job.runClaimed();
        } catch (Throwable overflow) { // what a job throws does not come here, but the stack or memory may be at an end
            job.failClaimed(overflow);
            throw overflow;
        }
        boolean ignored = Thread.interrupted();
    }

    private boolean park(SubmittedJob<?> job, long deadlineNanos, boolean interruptible) throws InterruptedException {
        boolean needsWorker = job.isTimed(); // it will come to the injector, and this may be the only worker
        if (!needsWorker && endsSoon(job)) {
            return true;
        }
        while (true) {
            Worker worker = thread.worker; // not always the one of the last round: a job inside may have left that
            if (worker == null) {
                return job.awaitEnd(deadlineNanos, interruptible, () -> false);
            }
            if (needsWorker && thread.leave(worker)) {
                try {
                    return job.awaitEnd(deadlineNanos, interruptible, () -> false);
                } finally {
                    thread.comeBack(worker);
                }
            }
            boolean ended = needsWorker
                    ? awaitHelping(worker, job, deadlineNanos, interruptible)
                    : awaitUntilNeeded(worker, job, deadlineNanos, interruptible);
            if (ended || (deadlineNanos != 0 && deadlineNanos - System.nanoTime() <= 0)) {
                return ended;
            }
            needsWorker = !needsWorker || job.isTimed();
        }
    }

    private boolean awaitForeign(SubmittedJob<?> job, long deadlineNanos, boolean interruptible)
            throws InterruptedException {
        Worker worker = thread.worker;
        if (worker == null) {
            return job.awaitEnd(deadlineNanos, interruptible, () -> false);
        }
        if (endsSoon(job) || awaitUntilNeeded(worker, job, deadlineNanos, interruptible)) {
            return true;
        }
        if (deadlineNanos != 0 && deadlineNanos - System.nanoTime() <= 0) {
            return false;
        }
        boolean left = thread.leave(worker);
        try {
            return job.awaitEnd(deadlineNanos, interruptible, () -> false);
        } finally {
            if (left) {
                thread.comeBack(worker);
            }
        }
    }

    /** A job that another worker is about to end is not worth a change of threads. */
    private static boolean endsSoon(SubmittedJob<?> job) {
        for (int i = 0; i < SPINS; i++) {
            Thread.onSpinWait();
            if (job.ended()) {
                return true;
            }
        }
        return false;
    }

    private boolean awaitUntilNeeded(Worker worker, SubmittedJob<?> job, long deadlineNanos, boolean interruptible)
            throws InterruptedException {
        worker.waitsInJoin(thread); // [R2] volatile, before the looks for those who need the worker
        try {
            return job.awaitEnd(deadlineNanos, interruptible, () -> isNeeded(worker) || thread.pool.isStuckInJoins());
        } finally {
            worker.waitsInJoin(null);
        }
    }

    /** Whether somebody waits who can use no other worker, or any. */
    private boolean isNeeded(Worker worker) {
        return thread.pool.spares.wants(worker) || (thread.laneDepth == 0 && worker.hasMail());
    }

    /**
     * Others need the worker, and no spare thread can be had: the limit is reached, or the system has none. Its lane's jobs
     * run inside then, and any job if nobody else can run one. That may bury a job that somebody waits for below one that
     * waits; but it beats waiting for ever.
     */
    private boolean awaitHelping(Worker worker, SubmittedJob<?> job, long deadlineNanos, boolean interruptible)
            throws InterruptedException {
        long pause = System.nanoTime() + DEGENERATE_PAUSE_NANOS;
        Object mail = thread.laneDepth == 0 ? worker.pollMailbox() : null;
        if (mail != null) {
            runInside(worker, mail, false);
            return job.ended();
        }
        boolean stuck;
        worker.waitsInJoin(thread);
        try {
            long until = deadlineNanos != 0 && deadlineNanos - pause < 0 ? deadlineNanos : pause;
            if (job.awaitEnd(until == 0 ? 1 : until, interruptible, () -> false)) {
                return true;
            }
            stuck = thread.pool.isStuckInJoins();
        } finally {
            worker.waitsInJoin(null);
        }
        return stuck && depth < MAX_DEPTH && runAny(worker) && job.ended();
    }

    private boolean runAny(Worker worker) {
        Object any = thread.pool.isStopping() ? null : worker.anyJob();
        if (any == null) {
            return false;
        }
        runInside(worker, any, false);
        base = worker == thread.worker ? worker.deque.bottom() : base; // strangers came into the deque
        return true;
    }
}
