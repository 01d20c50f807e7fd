// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A worker as a place to send jobs to. The jobs of a lane run on this worker only, one after the other, in the order in
 * which they were accepted, and are never stolen: state that is touched by jobs of one lane alone needs no lock.
 *
 * <p>A lane's jobs and the jobs that any worker may run take turns, so neither starves the other. If the worker's thread
 * dies, another one goes on with the lane, in order. A lane's job that is in a {@link PinnedScheduler#blocking blocking
 * section} holds its lane meanwhile, while other threads serve the worker's other jobs. A lane's job that waits for the
 * handle of a later job of the same lane runs the jobs in between inside itself, on one stack: thousands of such levels end in a
 * {@link StackOverflowError} in the innermost job. Where no spare thread is to be had and every worker waits in a join, other
 * jobs run inside a lane's job that waits, and if one of these waits for the lane, so do the lane's.
 *
 * <p><b>Thread safety:</b> any thread may call anything. <b>Memory effects:</b> what a thread did before it submits a job is
 * visible to the job, and what a job did is visible to the later jobs of its lane.
 */
public interface Lane extends Executor {
    /**
     * Returns the index of the worker.
     *
     * @return 0 to {@link PinnedScheduler#workers} - 1
     */
    int index();

    /**
     * Runs a job on this worker, after the jobs that the lane has accepted before.
     *
     * @param job the job
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is none of its jobs, or was shut
     *     down now
     */
    @Override
    void execute(Runnable job);

    /**
     * Runs a job on this worker, after the jobs that the lane has accepted before.
     *
     * @param job the job
     * @param <T> the type of its result
     * @return its handle
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is none of its jobs, or was shut
     *     down now
     */
    <T extends @Nullable Object> JobHandle<T> submit(Callable<T> job);

    /**
     * Runs a job on this worker, after the jobs that the lane has accepted before.
     *
     * @param job the job
     * @return its handle, whose result is null
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is none of its jobs, or was shut
     *     down now
     */
    JobHandle<?> submit(Runnable job);
}
