// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.JobFailedException;
import io.corelane.JobHandle;
import io.corelane.Outcome;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A submitted job and its handle in one object, which is also what stands in the queues.
 *
 * <p><b>Thread safety:</b> any thread may call anything. <b>Memory effects:</b> as {@link JobHandle} says.
 *
 * @param <T> the type of the result
 */
final class SubmittedJob<T extends @Nullable Object> extends WaiterStack implements JobHandle<T>, RunnableFuture<T> {
    /*
     * How it works. Whoever wants to run the job claims it by a CAS of `runner` from null: a worker that took it from a
     * queue, a joiner that finds it unstarted, or shutdownNow. A claim is final, so an entry left in a queue is stale
     * and is skipped. The end is a CAS of `state` from NEW, by the runner or by cancel, and happens once.
     *
     * `value` is the body until the claim and the result after the end.
     *
     * Invariants
     *   I1  runner leaves null once; only the claimant reads `value` as the body
     *   I2  state leaves NEW once; INTERRUPTING is followed by INTERRUPTED, written by the canceller alone
     *
     * Interrupts. cancel(true) goes NEW -> INTERRUPTING, interrupts the runner, -> INTERRUPTED. The runner waits for
     * INTERRUPTED before it takes another job and then clears its flag, so the interrupt hits this job or nothing. A job
     * that is run by a joiner suspends the joining job meanwhile: `runner` is SUSPENDED, and its interrupt is delivered
     * when it resumes.
     *
     * Ordering
     *   E1 -> E2  CAS of state -> state.acquire: a reader that sees DONE or FAILED sees `value`
     *   N1 <> N2  suspend: runner written, then state read; cancel: CAS of state, then runner read: either cancel sees
     *             SUSPENDED and leaves the thread alone, or suspend sees INTERRUPTING and waits for the interrupt
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

    private final WorkerPool pool;

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

    /** Claims and runs the job, or does nothing if it was claimed or cancelled before. Never throws. */
    @Override
    public void run() {
        if (claim()) {
            runClaimed();
        }
    }

    private boolean claim() {
        return RUNNER.getOpaque(this) == null
                && RUNNER.compareAndSet(this, (Object) null, (Object) Thread.currentThread());
    }

    private void runClaimed() {
        WorkerThread thread = pool.currentThread();
        if (thread == null) {
            call(null);
            return;
        }
        SubmittedJob<?> outer = thread.current;
        thread.current = this;
        call(thread.worker);
        thread.current = outer;
    }

    private void call(@Nullable Worker worker) {
        Object body = value;
        Object result = null;
        Throwable failure = null;
        if (stateAcquire() == NEW && body != null) {
            try {
                if (body instanceof Callable<?> callable) {
                    result = callable.call();
                } else {
                    ((Runnable) body).run();
                }
            } catch (Throwable t) {
                failure = t;
            }
            end(worker, failure == null ? DONE : FAILED, failure == null ? result : failure);
        }
        clearInterrupt(worker);
        runner = SUSPENDED; // a kept handle must not keep the thread
        if (failure instanceof VirtualMachineError) {
            pool.tellFailureHandler(this, failure);
        }
    }

    /** Counts first: whoever has seen the end finds it in the statistics. */
    private void end(@Nullable Worker worker, int newState, @Nullable Object result) {
        value = result; // plain: E1 publishes it
        pool.counters.ended(worker, newState == DONE, 1);
        if (STATE.compareAndSet(this, NEW, newState)) { // [E1] volatile, pairs E2
            wakeWaiters();
        } else { // cancelled meanwhile
            pool.counters.ended(worker, newState == DONE, -1);
            value = null;
        }
    }

    /** After the job: its interrupt has arrived, and is gone. */
    private void clearInterrupt(@Nullable Worker worker) {
        int s = stateAcquire();
        while (s == INTERRUPTING) {
            Thread.onSpinWait();
            s = stateAcquire();
        }
        if (worker != null || s == INTERRUPTED) {
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
        if (stateAcquire() != NEW || !STATE.compareAndSet(this, NEW, target)) { // [E1] [N2]
            return false;
        }
        if (mayInterruptIfRunning) {
            if (RUNNER.getVolatile(this) instanceof Thread thread) { // [N2]
                thread.interrupt();
            }
            STATE.setRelease(this, INTERRUPTED);
        }
        value = null; // the body; a runner that has claimed it has read it, or finds null and does not run
        pool.counters.cancelled.increment();
        wakeWaiters();
        return true;
    }

    /** Ends a job that was not accepted, without counting it: whoever made it may hold it. */
    void reject() {
        STATE.compareAndSet(this, NEW, CANCELLED);
        wakeWaiters();
    }

    /** For shutdownNow: ends an unstarted job as cancelled; returns false if it has started or ended. */
    boolean handBack() {
        if (!claim() || !STATE.compareAndSet(this, NEW, CANCELLED)) {
            return false;
        }
        value = null;
        wakeWaiters();
        return true;
    }

    @Override
    public T join() {
        waitUninterruptibly();
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
        waitUninterruptibly();
        int s = stateAcquire(); // [E2]
        if (s == DONE) {
            return new Outcome.Done<>(result());
        }
        return s == FAILED ? new Outcome.Failed<>(failure()) : new Outcome.Cancelled<>();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        runIfUnstarted();
        awaitEnd(0, true);
        return report();
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        long deadline = System.nanoTime() + Math.max(0, unit.toNanos(timeout));
        runIfUnstarted();
        if (!awaitEnd(deadline == 0 ? 1 : deadline, true)) {
            throw new TimeoutException("job has not ended after " + timeout + " " + unit);
        }
        return report();
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

    private void waitUninterruptibly() {
        runIfUnstarted();
        try {
            awaitEnd(0, false);
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** On a worker of this scheduler: runs the job now if nobody has started it, so that a join never stops the pool. */
    private void runIfUnstarted() {
        WorkerThread thread = pool.currentThread();
        if (thread != null && claim()) {
            thread.runInside(this);
        }
    }

    /** For {@link WorkerThread#runInside}: the job has been claimed by the caller. */
    void runClaimedInside() {
        runClaimed();
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
    public boolean isDone() {
        return stateAcquire() != NEW;
    }

    @Override
    public boolean isCancelled() {
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
