// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.JobFailedException;
import io.corelane.JobHandle;
import io.corelane.Outcome;
import io.corelane.internal.stack.StackReserve;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A submitted job and its handle in one object, which is also what stands in the queues.
 *
 * <p><b>Thread safety:</b> any thread may call anything. <b>Memory effects:</b> as {@link JobHandle} says.
 *
 * @param <T> the type of the result
 */
class SubmittedJob<T extends @Nullable Object> extends WaiterStack implements JobHandle<T>, RunnableFuture<T> {
    /*
     * How it works. Whoever wants to run the job claims it by a CAS of `runner` from null: a worker that took it from a
     * queue, a joiner that finds it unstarted, or shutdownNow. A claim is final, so an entry left in a queue is stale
     * and is skipped. The end is a CAS of `state` from NEW, by the runner or by cancel, and happens once.
     *
     * `value` is the body until the claim and the result after the end. A job that repeats (TimedJob) goes back to
     * unclaimed after a run, and is queued anew; joiners never claim it in place, so no stale entry of it exists.
     *
     * Invariants
     *   I1  runner leaves null once (once for each run, if the job repeats); only the claimant reads `value` as the body
     *   I2  state leaves NEW once; INTERRUPTING is followed by INTERRUPTED, written by the canceller alone
     *
     * The end of a run can be cut short by a StackOverflowError, if the job runs inside one that waits for it. It is a row
     * of steps then that a frame with more room takes up where it stopped (settle): the result is stored; it is counted, and
     * in the next instruction, which needs no stack, `runner` says so (COUNTED_); then the CAS of `state`; then the waiters.
     *
     * Interrupts. cancel(true) goes NEW -> INTERRUPTING, interrupts the runner, -> INTERRUPTED. The runner waits for
     * INTERRUPTED before it takes another job and then clears its flag, so the interrupt hits this job or nothing. A job
     * that is run by a joiner suspends the joining job meanwhile: `runner` is SUSPENDED, and its interrupt is delivered
     * when it resumes. A job that was claimed for a run a little later, maybe on another thread, has the claimant there until then;
     * one that shutdownNow has claimed is SUSPENDED, because its caller is not to be interrupted. Whoever calls run() suspends
     * the job that it runs there itself, see Aside; workers call runQueued.
     *
     * Ordering
     *   E1 -> E2  CAS of state -> state.acquire: a reader that sees DONE or FAILED sees `value`
     *   N1 <> N2  suspend, and the end of a run: runner written, then state read; cancel: CAS of state, then runner read:
     *             either cancel sees SUSPENDED and leaves the thread alone, or the runner sees INTERRUPTING and waits for
     *             the interrupt
     *
     * Source: the state protocol follows java.util.concurrent.FutureTask. We differ: two RMWs and no COMPLETING state,
     * because `value` is read only after E1; joiners may run the job; suspension.
     */
    private static final int NEW = 0;
    private static final int DONE = 1;
    private static final int FAILED = 2;
    private static final int CANCELLED = 3;
    private static final int INTERRUPTING = 4;
    private static final int INTERRUPTED = 5;

    private static final Object SUSPENDED = new Object();
    private static final Object COUNTED_DONE = new Object();
    private static final Object COUNTED_FAILED = new Object();

    private static final VarHandle STATE;
    private static final VarHandle RUNNER;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(SubmittedJob.class, "state", int.class).withInvokeExactBehavior();
            RUNNER = lookup.findVarHandle(SubmittedJob.class, "runner", Object.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final WorkerPool pool;

    @SuppressWarnings("UnusedVariable") // STATE
    private int state;

    private @Nullable Object value;

    @SuppressWarnings("UnusedVariable") // RUNNER
    private @Nullable Object runner;

    SubmittedJob(WorkerPool pool, Callable<T> body) {
        this.pool = pool;
        this.value = body;
    }

    SubmittedJob(WorkerPool pool, Runnable body) {
        this.pool = pool;
        this.value = body instanceof Callable ? Executors.callable(body) : body;
    }

    /**
     * Claims and runs the job inside what runs here, or does nothing if it was claimed or cancelled before. Throws nothing but a
     * {@link StackOverflowError}, before the claim.
     */
    @Override
    public void run() {
        Aside aside = Aside.set();
        try {
            runQueued();
        } finally {
            aside.restore();
        }
    }

    @Override
    void runQueued() {
        if (claim()) {
            callOnThisThread();
        }
    }

    /** Whether somebody has claimed the job, which may have ended since. */
    boolean isClaimed() {
        return RUNNER.getOpaque(this) != null;
    }

    private boolean claim() {
        return RUNNER.getOpaque(this) == null
                && RUNNER.compareAndSet(this, (Object) null, (Object) Thread.currentThread());
    }

    /** Claims the job for {@link #runClaimed}; interrupts wait until then. */
    boolean claimFor(Joining claimant) {
        return RUNNER.getOpaque(this) == null && RUNNER.compareAndSet(this, (Object) null, (Object) claimant);
    }

    /** Whether the job was claimed by {@link #claimFor}, and nothing further has happened. */
    boolean isClaimedBy(Joining claimant) {
        return (Object) RUNNER.getVolatile(this) == claimant;
    }

    /** Runs a job that was claimed by {@link #claimFor}. */
    void runClaimed() {
        boolean ignored = resume(); // if it was cancelled meanwhile it does not run
        callOnThisThread();
    }

    /**
     * Brings the end of a run about that was cut short, wherever it was. Called by the thread that had claimed the job, once
     * more if this is cut short as well.
     *
     * @param why what the job has failed with, if it has not got as far as to an end of its own
     */
    void settle(Throwable why) {
        if (runner == COUNTED_DONE || runner == COUNTED_FAILED) {
            conclude(null);
        } else if (state == NEW) { // plain: conclude has the last word
            end(null, FAILED, why);
        }
        runner = SUSPENDED;
    }

    private void callOnThisThread() {
        if (!(Thread.currentThread() instanceof WorkerThread thread)) {
            CurrentJob.Frame below;
            try {
                below = CurrentJob.enter(this);
            } catch (OutOfMemoryError noRoom) { // it is claimed, so nobody else will end it
                settle(noRoom);
                throw noRoom;
            }
            try {
                call(null);
            } finally {
                CurrentJob.leave(below);
            }
            return;
        }
        SubmittedJob<?> outer = thread.current;
        thread.current = this;
        try {
            call(thread.pool == pool ? thread : null);
        } finally {
            thread.current = outer;
        }
    }

    private void call(@Nullable WorkerThread thread) {
        Object body = value;
        Object result = null;
        Throwable failure = null;
        boolean again = false;
        if (stateAcquire() == NEW && body != null) {
            try {
                result = callBody(body, thread);
            } catch (Throwable t) {
                failure = t;
            }
            Worker worker = thread == null ? null : thread.worker; // maybe not the one that began
            again = repeats(failure);
            if (again) {
                pool.counters.ended(worker, failure == null, 1);
            } else {
                end(worker, failure == null ? DONE : FAILED, failure == null ? result : failure);
            }
        }
        if (again) {
            RUNNER.setVolatile(this, SUSPENDED); // [N1] the state is NEW still, and cancel may come at any time
            clearInterrupt(thread);
            RUNNER.setVolatile(this, (Object) null);
        } else {
            clearInterrupt(thread);
            runner = SUSPENDED; // plain: no cancel succeeds any more; a kept handle must not keep the thread
        }
        if (failure != null && isReported(failure)) {
            pool.log.tellFailureHandler(this, failure);
        }
        if (again) {
            queueAgain(failure);
        }
    }

    /** Calls what was submitted. */
    @Nullable
    Object callBody(Object body, @Nullable WorkerThread thread) throws Exception {
        if (body instanceof Callable<?> callable) {
            return callable.call();
        }
        ((Runnable) body).run();
        return null;
    }

    /** Whether a run is not the last one; then it is counted, and the job is queued again. */
    boolean repeats(@Nullable Throwable failure) {
        return false;
    }

    /** Queues a job that repeats. */
    void queueAgain(@Nullable Throwable failure) {
        throw new AssertionError("does not repeat");
    }

    /**
     * For a job that repeats and cannot be queued again: it fails with that, so that nobody waits for it for ever. Does nothing
     * if somebody runs it just now, who will try again, or has cancelled it. The claim is nobody's thread, so that a cancel in
     * the same moment interrupts nobody.
     */
    final void endUnqueued(Throwable why) {
        if (RUNNER.compareAndSet(this, (Object) null, SUSPENDED) && stateAcquire() == NEW) {
            settle(why);
            pool.log.tellFailureHandler(this, why);
        }
    }

    /** Whether the failure handler learns of a failure although there is a handle. */
    boolean isReported(Throwable failure) {
        return failure instanceof VirtualMachineError;
    }

    /** Called when the job has ended by itself, maybe more than once. */
    void ran() {}

    /** Called once the job was cancelled. */
    void cancelled() {}

    /** Whether a thread that waits for this job may run it, wherever it is queued. */
    boolean mayRunInJoin() {
        return true;
    }

    /** Whether that pool runs it. */
    boolean isOf(WorkerPool other) {
        return pool == other;
    }

    /** The worker on whose lane it runs, or null if it may run on any. */
    @Nullable
    Worker lane() {
        return null;
    }

    /** Counts first: whoever has seen the end finds it in the statistics. */
    private void end(@Nullable Worker worker, int newState, @Nullable Object result) {
        value = result; // plain: E1 publishes it
        pool.counters.ended(worker, newState == DONE, 1);
        runner = newState == DONE
                ? COUNTED_DONE
                : COUNTED_FAILED; // plain: a canceller that still finds the thread is waited for
        conclude(worker);
    }

    private void conclude(@Nullable Worker worker) {
        boolean done = runner == COUNTED_DONE;
        int newState = done ? DONE : FAILED;
        if (STATE.compareAndSet(this, NEW, newState) || state == newState) { // [E1] volatile, pairs E2
            ran();
            wakeWaiters();
        } else { // cancelled meanwhile
            pool.counters.ended(worker, done, -1);
            value = null;
        }
        runner = SUSPENDED; // plain: nothing of this is to be done again
    }

    /** After the job: its interrupt has arrived, and is gone; later ones, if it repeats, do not find the thread. */
    private void clearInterrupt(@Nullable WorkerThread thread) {
        int s = stateVolatile(); // [N1]
        while (s == INTERRUPTING) {
            Thread.onSpinWait();
            s = stateVolatile();
        }
        if (thread != null || s == INTERRUPTED) {
            boolean ignored = Thread.interrupted();
        }
    }

    /** Called by the thread that runs this job before it runs another inside; returns whether it was interrupted. */
    boolean suspend() {
        RUNNER.setVolatile(this, SUSPENDED); // [N1]
        int s = stateVolatile(); // [N1]
        while (s == INTERRUPTING) {
            Thread.onSpinWait();
            s = stateVolatile();
        }
        return s == INTERRUPTED;
    }

    /** Undoes {@link #suspend}; returns whether the job was interrupted meanwhile. */
    boolean resume() {
        RUNNER.setVolatile(this, (Object) Thread.currentThread()); // [N1]
        int s = stateVolatile(); // [N1]
        while (s == INTERRUPTING) {
            Thread.onSpinWait();
            s = stateVolatile();
        }
        return s == INTERRUPTED;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        int target = mayInterruptIfRunning ? INTERRUPTING : CANCELLED;
        if (stateAcquire() != NEW) {
            return false;
        }
        StackReserve.require(); // others wait for the rest
        if (!STATE.compareAndSet(this, NEW, target)) { // [E1] [N2]
            return false;
        }
        try {
            if (mayInterruptIfRunning) {
                interruptRunner();
            }
            alarmTrees();
        } finally { // whatever goes wrong there, others wait for this
            value = null; // the body; a runner that has claimed it has read it, or finds null and does not run
            countCancelled(1);
            cancelled();
            wakeWaiters();
        }
        return true;
    }

    /** Counts a cancellation, or takes that back. */
    void countCancelled(int change) {
        pool.counters.cancelled.add(change);
    }

    private void interruptRunner() {
        try {
            if (RUNNER.getVolatile(this) instanceof Thread thread) { // [N2]
                thread.interrupt();
            }
            STATE.setRelease(this, INTERRUPTED);
        } catch (RuntimeException itsOwnFault) { // a user's thread may override it
            pool.log.warn(
                    "a thread that runs a job of scheduler " + pool.config.name() + " cannot be interrupted",
                    itsOwnFault);
        } finally {
            state = INTERRUPTED; // plain: if it has broken off above; the runner spins until it is there
        }
    }

    /** After the job was cancelled: so is what it has forked, wherever that runs. */
    private void alarmTrees() {
        Object now = RUNNER.getVolatile(this);
        if (now instanceof Thread thread) {
            Forking.alarmTreesOf(thread);
        } else if (now == SUSPENDED) { // its thread, if it has one, runs another job inside
            Forking.alarmSharedTrees(pool);
        }
    }

    /** Ends a job that was not accepted, without counting it: whoever made it may hold it. */
    void reject() {
        if (!STATE.compareAndSet(this, NEW, CANCELLED) && isCancelled()) { // its deadline came first, and counted it
            countCancelled(-1);
        }
        wakeWaiters();
    }

    /** For shutdownNow, which wakes the waiters: ends an unstarted job as cancelled; returns false if it has started or ended. */
    boolean handBack() {
        if (!RUNNER.compareAndSet(this, (Object) null, SUSPENDED) // nobody's thread: a cancel would interrupt it
                || !STATE.compareAndSet(this, NEW, CANCELLED)) {
            return false;
        }
        value = null;
        return true;
    }

    @Override
    public T join() {
        awaitUninterruptibly(0);
        return resultOrThrow();
    }

    @Override
    public T join(Duration timeout) throws TimeoutException {
        if (!awaitUninterruptibly(deadline(Timers.nanos(timeout)))) {
            throw new TimeoutException("job has not ended after " + timeout);
        }
        return resultOrThrow();
    }

    private T resultOrThrow() {
        int s = stateAcquire(); // [E2]
        if (s == DONE) {
            return result();
        }
        if (s == FAILED) {
            throw new JobFailedException(failure());
        }
        throw new CancellationException();
    }

    @Override
    public Outcome<T> outcome() {
        awaitUninterruptibly(0);
        return outcomeNow();
    }

    @Override
    public Outcome<T> outcome(Duration timeout) throws TimeoutException {
        if (!awaitUninterruptibly(deadline(Timers.nanos(timeout)))) {
            throw new TimeoutException("job has not ended after " + timeout);
        }
        return outcomeNow();
    }

    /** Returns how the job ended, once it has. */
    final Outcome<T> outcomeNow() {
        int s = stateAcquire(); // [E2]
        if (s == DONE) {
            return new Outcome.Done<>(result());
        }
        return s == FAILED ? new Outcome.Failed<>(failure()) : new Outcome.Cancelled<>();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        await(0, true);
        return report();
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        if (!await(deadline(unit.toNanos(timeout)), true)) {
            throw new TimeoutException("job has not ended after " + timeout + " " + unit);
        }
        return report();
    }

    /** Returns now plus a time, but never 0, which stands for no deadline. */
    private static long deadline(long nanos) {
        long deadline = System.nanoTime() + Math.max(0, Math.min(nanos, Long.MAX_VALUE / 2));
        return deadline == 0 ? 1 : deadline;
    }

    private boolean await(long deadlineNanos, boolean interruptible) throws InterruptedException {
        if (ended()) {
            return true;
        }
        WorkerThread thread = Thread.currentThread() instanceof WorkerThread own ? own : null;
        if (thread != null) {
            thread.joining.settleLeftOvers();
        }
        if (RUNNER.getOpaque(this) == Thread.currentThread() // whatever thread that is: anyone may call run()
                || (thread == null && isClaimed() && CurrentJob.isOnThisStack(this))) {
            throw waitsForItself();
        }
        return thread != null
                ? thread.joining.await(this, deadlineNanos, interruptible)
                : awaitEnd(deadlineNanos, interruptible, () -> false);
    }

    IllegalStateException waitsForItself() {
        return new IllegalStateException(
                this + " waits for itself: it runs on this thread, below the job that waits for it");
    }

    private boolean awaitUninterruptibly(long deadlineNanos) {
        try {
            return await(deadlineNanos, false);
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public void onComplete(Consumer<? super Outcome<T>> listener) {
        addListener(new Listener(Objects.requireNonNull(listener, "listener")));
    }

    /** A user's listener, which is called once although {@link #tell} may be repeated. */
    private final class Listener implements Runnable {
        private @Nullable Consumer<? super Outcome<T>> listener;

        Listener(Consumer<? super Outcome<T>> listener) {
            this.listener = listener;
        }

        @Override
        public void run() {
            Consumer<? super Outcome<T>> told = listener;
            if (told == null) {
                return;
            }
            Outcome<T> outcome = outcomeNow();
            listener = null; // before the call, and no other call in between
            try {
                told.accept(outcome);
            } catch (Throwable failure) {
                pool.log.tellFailureHandler(SubmittedJob.this, failure);
            }
        }
    }

    @Override
    final void tell(Runnable listener) {
        try {
            listener.run();
        } catch (StackOverflowError notYet) {
            throw notYet;
        } catch (Throwable failure) {
            pool.log.tellFailureHandler(this, failure);
        }
    }

    @Override
    public CompletableFuture<T> toCompletableFuture() {
        return new JobFuture<>(this);
    }

    private T report() throws ExecutionException {
        int s = stateAcquire(); // [E2]
        if (s == DONE) {
            return result();
        }
        if (s == FAILED) {
            throw new ExecutionException(failure());
        }
        throw new CancellationException();
    }

    @Override
    public T resultNow() {
        int s = stateAcquire(); // [E2]
        if (s == DONE) {
            return result();
        }
        throw new IllegalStateException("job has no result: it " + describe(s));
    }

    @Override
    public Throwable exceptionNow() {
        int s = stateAcquire(); // [E2]
        if (s == FAILED) {
            return failure();
        }
        throw new IllegalStateException("job has no exception: it " + describe(s));
    }

    @Override
    public final boolean isDone() {
        return stateAcquire() != NEW;
    }

    @Override
    public final boolean isCancelled() {
        return stateAcquire() >= CANCELLED;
    }

    @Override
    boolean ended() {
        return stateVolatile() != NEW;
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // null is a result if T allows it
    private T result() {
        return (T) value;
    }

    private Throwable failure() {
        return (Throwable) Objects.requireNonNull(value);
    }

    private int stateAcquire() {
        return (int) STATE.getAcquire(this);
    }

    private int stateVolatile() {
        return (int) STATE.getVolatile(this);
    }

    private static String describe(int state) {
        return switch (state) {
            case NEW -> "has not ended";
            case DONE -> "completed with a result";
            case FAILED -> "completed with an exception";
            default -> "was cancelled";
        };
    }

    @Override
    public String toString() {
        return "Job@" + Integer.toHexString(System.identityHashCode(this)) + "[" + describe(stateAcquire()) + "]";
    }
}
