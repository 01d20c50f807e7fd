// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.pools;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A queue with a lock for each worker; everybody tries locks, and steals or goes elsewhere if one is taken.
 *
 * <p><b>Thread safety:</b> any thread.
 */
public final class ShardedPool extends WorkerPool {
    /*
     * How it works. A submitter begins with the next shard in turn and tries the lock of each; only if all are taken, a few
     * times over, it waits for the first. A worker does the same from its own shard on, taking the first job it finds, and
     * then waits on its own shard's condition.
     * Invariants      I1  a job is in one shard or was taken by one worker
     *                 I2  a worker ends only when its own shard is closed and empty, so no shard is left behind
     * Not guaranteed  N1  that an idle worker helps: one that waits on its own shard is not told of jobs in another
     * Source: the task system of Sean Parent's "Better Code: Concurrency" (2015), with ATTEMPTS for his K.
     */
    private static final int ATTEMPTS = 4;

    private final Shard[] shards;
    private final AtomicInteger turn = new AtomicInteger();

    /** One queue with its lock. */
    private static final class Shard {
        final ReentrantLock lock = new ReentrantLock();
        final Condition arrived = lock.newCondition();
        final ArrayDeque<Runnable> jobs = new ArrayDeque<>(); // under the lock
        boolean closed; // under the lock

        /** Adds a job; the caller has the lock. */
        void add(Runnable job) {
            if (closed) {
                throw refused();
            }
            jobs.add(job);
            arrived.signal();
        }
    }

    /**
     * Starts a pool.
     *
     * @param workers how many threads, and as many shards
     */
    public ShardedPool(int workers) {
        super(workers, Executors.defaultThreadFactory());
        shards = new Shard[workers];
        for (int i = 0; i < workers; i++) {
            shards[i] = new Shard();
        }
        startWorkers();
    }

    @Override
    public void execute(Runnable job) {
        int first = turn.getAndIncrement();
        for (int i = 0; i < ATTEMPTS * shards.length; i++) {
            Shard shard = shard(first + i);
            if (shard.lock.tryLock()) {
                addAndUnlock(shard, job);
                return;
            }
        }
        Shard shard = shard(first);
        shard.lock.lock();
        addAndUnlock(shard, job);
    }

    private static void addAndUnlock(Shard shard, Runnable job) {
        try {
            shard.add(job);
        } finally {
            shard.lock.unlock();
        }
    }

    private Shard shard(int number) {
        return shards[Math.floorMod(number, shards.length)];
    }

    @Override
    void work(int index) {
        for (Runnable job = next(index); job != null; job = next(index)) {
            job.run();
        }
    }

    private @Nullable Runnable next(int index) {
        for (int i = 0; i < shards.length; i++) {
            Runnable job = tryTake(shard(index + i));
            if (job != null) {
                return job;
            }
        }
        return takeOrWait(shards[index]);
    }

    private static @Nullable Runnable tryTake(Shard shard) {
        if (!shard.lock.tryLock()) {
            return null;
        }
        try {
            return shard.jobs.poll();
        } finally {
            shard.lock.unlock();
        }
    }

    private static @Nullable Runnable takeOrWait(Shard shard) {
        shard.lock.lock();
        try {
            while (shard.jobs.isEmpty() && !shard.closed) {
                shard.arrived.awaitUninterruptibly();
            }
            return shard.jobs.poll();
        } finally {
            shard.lock.unlock();
        }
    }

    @Override
    public void shutdown() {
        close(false);
    }

    @Override
    public List<Runnable> shutdownNow() {
        List<Runnable> never = close(true);
        interruptWorkers();
        return never;
    }

    private List<Runnable> close(boolean drop) {
        List<Runnable> dropped = new ArrayList<>();
        for (Shard shard : shards) {
            shard.lock.lock();
            try {
                shard.closed = true;
                shard.arrived.signalAll();
                if (drop) {
                    dropped.addAll(shard.jobs);
                    shard.jobs.clear();
                }
            } finally {
                shard.lock.unlock();
            }
        }
        return dropped;
    }

    @Override
    public boolean isShutdown() {
        Shard last = shards[shards.length - 1];
        last.lock.lock();
        try {
            return last.closed;
        } finally {
            last.lock.unlock();
        }
    }
}
