// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The caller's side of a submitted job: its state, its result, waiting for it and cancelling it.
 *
 * <p>Waiting on a worker of the same scheduler never stops the pool: a job that no worker has started yet is run by the
 * waiter itself, and one that waits for another thread leaves its worker to those who need it. See {@link JoinHelp}. A waiter
 * that runs the job itself goes on once the job's code has returned, even if the job is cancelled before that. A job that
 * waits for another scheduler's leaves its worker in the same way, and runs nothing meanwhile.
 *
 * <p>If the stack of a job that waits overflows while it runs another one, that one ends as failed with the
 * {@link StackOverflowError}: at once, or, if not even that needs little enough stack, when the waiting job has returned from
 * the place of the overflow and joins or ends.
 *
 * <p><b>Thread safety:</b> any thread may call anything. <b>Memory effects:</b> what the job did is visible to whoever
 * has seen it done through any method here; what the submitter did before submitting is visible to the job.
 *
 * @param <T> the type of the job's result
 */
public interface JobHandle<T extends @Nullable Object> extends Future<T> {
    /**
     * Waits until the job has ended and returns its result. An interrupt does not end the wait; it is set again on
     * return.
     *
     * @return the result
     * @throws JobFailedException if the job threw; its throwable is the cause
     * @throws CancellationException if the job was cancelled
     * @throws IllegalStateException if the job waits for itself
     */
    T join();

    /**
     * Waits for a time until the job has ended and returns its result. An interrupt does not end the wait; it is set again
     * on return. On a worker of the same scheduler a job that nobody has started is run by the caller, and may make the
     * wait longer than the timeout.
     *
     * @param timeout the longest to wait
     * @return the result
     * @throws TimeoutException if the job has not ended in time
     * @throws JobFailedException if the job threw; its throwable is the cause
     * @throws CancellationException if the job was cancelled
     * @throws IllegalStateException if the job waits for itself
     */
    T join(Duration timeout) throws TimeoutException;

    /**
     * Waits until the job has ended and tells how, without throwing. An interrupt does not end the wait; it is set again
     * on return.
     *
     * @return how the job ended
     * @throws IllegalStateException if the job waits for itself
     */
    Outcome<T> outcome();

    /**
     * Waits for a time until the job has ended and tells how. An interrupt does not end the wait; it is set again on return.
     *
     * @param timeout the longest to wait
     * @return how the job ended
     * @throws TimeoutException if the job has not ended in time
     * @throws IllegalStateException if the job waits for itself
     */
    Outcome<T> outcome(Duration timeout) throws TimeoutException;

    /**
     * Calls a listener once when the job has ended, on the thread that ended it: the worker, or who cancels it. If it has
     * ended already, the caller calls it at once. Listeners that were added before the end are called in that order. A
     * listener that throws changes nothing; the {@link FailureHandler} learns of it. On the thread that ran the job, the
     * interrupt flag is as the job has left it. The listener of a job whose time limit is over runs on the thread of the timers,
     * and no timer of the scheduler fires before it returns: it must not wait for one.
     *
     * @param listener told how the job ended; should be short
     */
    void onComplete(Consumer<? super Outcome<T>> listener);

    /**
     * Makes a future that ends as this job does: with its result, with its throwable, or cancelled. Cancelling the future
     * cancels the job, without an interrupt; completing it otherwise leaves the job alone.
     *
     * @return a new future
     */
    CompletableFuture<T> toCompletableFuture();

    /**
     * Cancels the job. One that has not started never will; one that runs is interrupted if {@code mayInterruptIfRunning}
     * and its result is dropped. No other job sees that interrupt.
     *
     * @param mayInterruptIfRunning whether to interrupt the job if it runs
     * @return false if the job had ended already
     */
    @Override
    boolean cancel(boolean mayInterruptIfRunning);

    /**
     * Returns the result of a job that is done, without waiting, as {@code Future.resultNow} does from JDK 19 on.
     *
     * @return the result
     * @throws IllegalStateException if the job has not ended, failed or was cancelled
     */
    T resultNow();

    /**
     * Returns the throwable of a job that failed, without waiting, as {@code Future.exceptionNow} does from JDK 19 on.
     *
     * @return the throwable
     * @throws IllegalStateException if the job has not ended, succeeded or was cancelled
     */
    Throwable exceptionNow();
}
