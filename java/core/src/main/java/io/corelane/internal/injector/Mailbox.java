// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.injector;

import io.corelane.internal.deque.WorkDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A worker's private inbox: jobs that this worker alone may run, in the order in which they were accepted.
 *
 * <p><b>Thread safety:</b> any thread may offer; {@link #poll} is for the worker's thread, {@link #drain} for whoever has
 * closed it. <b>Memory effects:</b> what a thread did before its offer is visible to whoever receives the job.
 */
public final class Mailbox {
    /*
     * One unbounded injector shard, whose one CAS is the decision between accepted and closed. What it adds to a shard
     * is that jobs leave one by one, and never into a deque, where others could steal them.
     */
    private static final int SPARE_CHUNKS = 4;

    private final InjectorShard shard = new InjectorShard(0, InjectorShard.UNBOUNDED, SPARE_CHUNKS);

    /**
     * Adds a job unless the mailbox is closed. A full fence, as {@link Injector#offer}.
     *
     * @param job the job
     * @return false if it is closed; then the job was not added
     */
    public boolean offer(Object job) {
        return shard.offer(job);
    }

    /**
     * Adds a job also to a closed mailbox; for jobs that accepted jobs submit. A full fence.
     *
     * @param job the job
     */
    public void offerEvenIfClosed(Object job) {
        shard.offerEvenIfClosed(job);
    }

    /**
     * Takes the oldest job.
     *
     * @param own the deque of the calling worker, which stays as it is
     * @return the job, or null if there is none that could be taken just now
     */
    public @Nullable Object poll(WorkDeque own) {
        return shard.take(own, 1);
    }

    /**
     * Returns whether no job waits and no offer is under way.
     *
     * @return whether it is empty
     */
    public boolean isEmpty() {
        return shard.isEmpty();
    }

    /**
     * Returns about how many jobs wait.
     *
     * @return at least 0
     */
    public long size() {
        return shard.size();
    }

    /**
     * Returns how many jobs were ever accepted.
     *
     * @return at least 0
     */
    public long offered() {
        return shard.offered();
    }

    /** Rejects every offer from now on. */
    public void close() {
        shard.close();
    }

    /**
     * Takes all jobs, waiting for offers that are under way.
     *
     * @param sink receives the jobs in order
     */
    public void drain(Consumer<Object> sink) {
        Injector.drain(shard, sink);
    }
}
