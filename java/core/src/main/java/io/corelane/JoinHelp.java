// SPDX-License-Identifier: Apache-2.0
package io.corelane;

/**
 * What a job that waits for another one's handle may run meanwhile. In every mode it runs the awaited job itself if nobody
 * has started it yet.
 */
public enum JoinHelp {
    /** Nothing else. */
    AWAITED,

    /**
     * Jobs that the waiting job has submitted itself and that nobody has started; a lane's job runs nothing else, as for
     * {@link #AWAITED}. The waiting job meets no stranger's job, so it may hold a lock that those want. One exception, in
     * {@link #AWAITED} as well: when no spare thread is to be had ({@link PinnedScheduler.Builder#spareThreads}), jobs of the
     * worker's lane run inside after all, and if every worker waits in a join, any.
     *
     * <p>If what runs inside waits for the waiting job, which cannot go on before it, that is refused with an
     * {@link IllegalStateException}, as if the job waited for itself.
     */
    OWN,

    /**
     * Any job; a lane's job only what it waits for. Keeps the CPU busiest, but the wait may end late, because a long
     * stranger's job has to end first, and a job that holds a lock while it waits may meet one that wants the same lock.
     */
    ANY
}
