// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.JobHandle;
import io.corelane.Lane;
import io.corelane.internal.injector.Mailbox;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of a pool. A worker gets its mailbox when its lane is asked for, so that a pool whose lanes nobody uses pays
 * nothing for them.
 *
 * <p><b>Thread safety:</b> any thread may call anything.
 */
public final class Lanes {
    private static final int FIBONACCI = 0x9E3779B9; // 2^32 / golden ratio: spreads hash codes that follow each other

    private final WorkerPool pool;
    private final AtomicReferenceArray<@Nullable WorkerLane> lanes;

    Lanes(WorkerPool pool) {
        this.pool = pool;
        this.lanes = new AtomicReferenceArray<>(pool.config.workers());
    }

    /**
     * Returns the lane of a worker.
     *
     * @param index the worker
     * @return always the same object
     * @throws IndexOutOfBoundsException if there is no such worker
     */
    public Lane lane(int index) {
        if (index < 0 || index >= lanes.length()) {
            throw new IndexOutOfBoundsException("lane=" + index + " (expected 0.." + (lanes.length() - 1) + ")");
        }
        WorkerLane lane = lanes.get(index);
        return lane != null ? lane : create(index);
    }

    /**
     * Returns the lane that belongs to a key.
     *
     * @param key what jobs belong together by; equal keys have the same lane
     * @return a lane
     */
    public Lane laneFor(Object key) {
        long hash = Integer.toUnsignedLong(key.hashCode() * FIBONACCI);
        return lane((int) ((hash * lanes.length()) >>> Integer.SIZE));
    }

    private synchronized Lane create(int index) {
        WorkerLane lane = lanes.get(index);
        if (lane == null) {
            Mailbox mailbox = new Mailbox();
            if (pool.isShutdown()) {
                mailbox.close();
            }
            lane = new WorkerLane(pool, pool.workers[index], mailbox);
            pool.workers[index].mailbox = mailbox;
            lanes.set(index, lane);
        }
        return lane;
    }

    /** Rejects jobs from outside from now on; the pool is shut down already, so that later lanes begin closed. */
    synchronized void close() {
        for (Worker worker : pool.workers) {
            Mailbox mailbox = worker.mailbox;
            if (mailbox != null) {
                mailbox.close();
            }
        }
    }

    /** Returns whether no lane's job waits. */
    boolean isEmpty() {
        for (Worker worker : pool.workers) {
            Mailbox mailbox = worker.mailbox;
            if (mailbox != null && !mailbox.isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /** Returns how many jobs the lanes have accepted. */
    long offered() {
        long offered = 0;
        for (Worker worker : pool.workers) {
            Mailbox mailbox = worker.mailbox;
            offered += mailbox == null ? 0 : mailbox.offered();
        }
        return offered;
    }

    /**
     * Sends a job to each lane.
     *
     * @param job runs once on each worker, maybe at the same time
     * @return the handles, by worker
     */
    public List<JobHandle<?>> forEach(Runnable job) {
        List<JobHandle<?>> handles = new ArrayList<>();
        for (int i = 0; i < lanes.length(); i++) {
            handles.add(lane(i).submit(job));
        }
        return List.copyOf(handles);
    }

    private record WorkerLane(WorkerPool pool, Worker worker, Mailbox mailbox) implements Lane {
        @Override
        public int index() {
            return worker.index;
        }

        @Override
        public void execute(Runnable job) {
            Objects.requireNonNull(job, "job");
            Runnable inContext = pool.config.context().ofSubmitter() ? new ContextJob(job) : job;
            pool.intake.submitToLane(worker, mailbox, new LaneTask(inContext));
        }

        @Override
        public <T extends @Nullable Object> JobHandle<T> submit(Callable<T> job) {
            Objects.requireNonNull(job, "job");
            Callable<T> inContext = pool.config.context().ofSubmitter() ? ContextJob.around(job) : job;
            LaneJob<T> handle = new LaneJob<>(pool, worker, inContext);
            pool.intake.submitToLane(worker, mailbox, handle);
            return handle;
        }

        @Override
        public JobHandle<?> submit(Runnable job) {
            Objects.requireNonNull(job, "job");
            Runnable inContext = pool.config.context().ofSubmitter() ? new ContextJob(job) : job;
            LaneJob<@Nullable Void> handle = new LaneJob<>(pool, worker, inContext);
            pool.intake.submitToLane(worker, mailbox, handle);
            return handle;
        }

        @Override
        public String toString() {
            return "Lane[" + pool.config.name() + " " + worker.index + "]";
        }
    }
}
