// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.util.concurrent.CancellationException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The caller's side of a submitted job: its state, its result, waiting for it and cancelling it.
 *
 * <p>Waiting on a worker of the same scheduler never stops the pool: a job that no worker has started yet is run by the
 * waiter itself.
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
     */
    T join();

    /**
     * Waits until the job has ended and tells how, without throwing. An interrupt does not end the wait; it is set again
     * on return.
     *
     * @return how the job ended
     */
    Outcome<T> outcome();

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
