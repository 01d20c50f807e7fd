// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.injector;

import io.corelane.internal.deque.WorkDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The global queue: jobs submitted from outside, striped over shards so that producers rarely meet.
 *
 * <p>A thread always uses the same shard, so its jobs stay in order as long as one worker drains that shard. A worker
 * takes a batch of one shard after the other, and never waits for a shard that another worker drains.
 *
 * <p><b>Thread safety:</b> any thread may call anything.
 */
public final class Injector {
    private static final int MAX_SHARDS = 16;

    /**
     * Chunks that all shards together keep for the next burst: 8 MB, enough for two million jobs to wait again and again
     * without an allocation.
     */
    private static final int SPARE_CHUNKS = 2048;

    private static final int FIBONACCI = 0x9E3779B9; // 2^32 / golden ratio: neighbouring ids land far apart

    private final InjectorShard[] shards;
    private final int mask;
    private final int shift;

    private final int maxBatch;

    /**
     * Makes an unbounded injector for a number of workers.
     *
     * @param workers at least 1
     */
    public Injector(int workers) {
        this(Math.min(MAX_SHARDS, Integer.highestOneBit(2 * workers - 1)), InjectorShard.UNBOUNDED, Integer.MAX_VALUE);
    }

    private Injector(int count, long capacity, int maxBatch) {
        InjectorShard.linkAccesses();
        shards = new InjectorShard[count];
        for (int i = 0; i < count; i++) {
            shards[i] = new InjectorShard(0, capacity, SPARE_CHUNKS / count);
        }
        mask = count - 1;
        shift = Integer.SIZE - Integer.bitCount(mask);
        this.maxBatch = maxBatch;
    }

    /**
     * Makes a bounded injector. A bound that is exact needs one word that all producers write, so it has one shard; and
     * a job that waits in some worker's deque would be a place more than promised, so workers take single jobs.
     *
     * @param capacity how many jobs may wait, at least 1
     * @return the injector
     */
    public static Injector bounded(int capacity) {
        return new Injector(1, capacity, 1);
    }

    /**
     * Adds a job unless the injector is closed or full. This is a full fence: a caller that looks for parked workers
     * afterwards is seen by their last look, or sees them.
     *
     * @param job the job
     * @param thread identifies the submitter, for the order of its jobs
     * @return false if the injector is closed or full; then the job was not added
     */
    public boolean offer(Object job, long thread) {
        return shardOf(thread).offer(job);
    }

    /**
     * Adds a job also to an injector that is closed or full; for jobs whose acceptance was decided before. A full fence.
     *
     * @param job the job
     * @param thread identifies the submitter, for the order of its jobs
     */
    public void offerEvenIfClosed(Object job, long thread) {
        shardOf(thread).offerEvenIfClosed(job);
    }

    /**
     * Adds all jobs of an array, in order, or none. A full fence, as {@link #offer}.
     *
     * @param jobs the jobs, none of them null
     * @param thread identifies the submitter, for the order of its jobs
     * @return false if the injector is closed or has no room for all; then none was added
     */
    public boolean offerAll(Object[] jobs, long thread) {
        return shardOf(thread).offerAll(jobs);
    }

    private InjectorShard shardOf(long thread) {
        int hash = (int) thread * FIBONACCI;
        return shards[mask == 0 ? 0 : hash >>> shift];
    }

    /**
     * Takes a job, and more of the same shard into the caller's deque.
     *
     * @param own the deque of the calling owner
     * @param first the shard to look at first, any number
     * @param max the most to take, at least 1; a bounded injector gives one
     * @return a job, or null if none was found
     */
    public @Nullable Object take(WorkDeque own, int first, int max) {
        int batch = Math.min(max, maxBatch);
        for (int i = 0; i <= mask; i++) {
            InjectorShard shard = shards[first + i & mask];
            Object job = shard.isFilled() ? shard.take(own, batch) : null;
            if (job != null) {
                return job;
            }
        }
        return null;
    }

    /**
     * Moves jobs of the first shard that has any to the caller's deque.
     *
     * @param own the deque of the calling owner
     * @param first the shard to look at first, any number
     * @param max the most to move, at least 1; a bounded injector gives one
     * @return how many were moved
     */
    public int moveTo(WorkDeque own, int first, int max) {
        int batch = Math.min(max, maxBatch);
        for (int i = 0; i <= mask; i++) {
            InjectorShard shard = shards[first + i & mask];
            int moved = shard.isFilled() ? shard.moveTo(own, batch) : 0;
            if (moved > 0) {
                return moved;
            }
        }
        return 0;
    }

    /**
     * Takes all jobs of a closed injector, waiting for offers that are under way.
     *
     * @param sink receives the jobs, in order for each submitter
     */
    public void drain(Consumer<Object> sink) {
        for (InjectorShard shard : shards) {
            drain(shard, sink);
        }
    }

    static void drain(InjectorShard shard, Consumer<Object> sink) {
        WorkDeque jobs = WorkDeque.create(false);
        while (!shard.isEmpty()) {
            if (shard.moveTo(jobs, InjectorShard.CHUNK) == 0) {
                Thread.onSpinWait();
            }
            jobs.drain(sink);
        }
    }

    /**
     * Returns whether no job is waiting and no offer is under way; see {@link InjectorShard#isEmpty}.
     *
     * @return whether every shard is empty
     */
    public boolean isEmpty() {
        for (InjectorShard shard : shards) {
            if (!shard.isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether a job seems to be there for {@link #take}; see {@link InjectorShard#isFilled}.
     *
     * @return a hint
     */
    public boolean isFilled() {
        for (InjectorShard shard : shards) {
            if (shard.isFilled()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns about how many jobs are waiting.
     *
     * @return at least 0
     */
    public long size() {
        long size = 0;
        for (InjectorShard shard : shards) {
            size += shard.size();
        }
        return size;
    }

    /**
     * Returns how many jobs were ever accepted.
     *
     * @return at least 0
     */
    public long offered() {
        long offered = 0;
        for (InjectorShard shard : shards) {
            offered += shard.offered();
        }
        return offered;
    }

    /** Rejects every offer from now on. */
    public void close() {
        for (InjectorShard shard : shards) {
            shard.close();
        }
    }
}
