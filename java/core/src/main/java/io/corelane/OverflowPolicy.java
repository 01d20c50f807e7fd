// SPDX-License-Identifier: Apache-2.0
package io.corelane;

/**
 * What happens to a job from outside when the injector is full; see {@link PinnedScheduler.Builder#injectorCapacity}.
 *
 * <p>It counts as full also while somebody waits for room, whatever the policy is: a submitter under {@link #BLOCK}, or
 * {@link PinnedScheduler#tryExecute(Runnable, java.time.Duration)}. Room that there may be, or that comes free, is theirs in
 * the order of their arrival; were newcomers to take it, a waiter, and a batch above all, could wait for ever.
 */
public enum OverflowPolicy {
    /** The submission throws a {@link java.util.concurrent.RejectedExecutionException}. */
    REJECT,

    /**
     * The submitter waits until there is room. A submitter that is interrupted while it waits gets a
     * {@link java.util.concurrent.RejectedExecutionException}, its interrupt flag stays set; a shutdown rejects it as
     * well. Waiting submitters are served in the order of their arrival.
     */
    BLOCK,

    /**
     * The submitter runs the job itself, at once. Its failure is treated like that of any other job, and it is counted; but it
     * never enters the scheduler: {@code awaitQuiescence} and {@code awaitTermination} do not wait for it,
     * {@code shutdownNow} does not interrupt it, {@code dump} does not show it. An interrupt that is meant for the job that
     * submits it waits until it has ended; on a thread that runs no job the flag stays as it is. What the job submits in turn
     * may run on the same stack, until that overflows.
     */
    CALLER_RUNS
}
