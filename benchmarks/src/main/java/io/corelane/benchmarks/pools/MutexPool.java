// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.pools;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The pool of the textbook: one queue, one mutex, one condition.
 *
 * <p><b>Thread safety:</b> any thread.
 */
public final class MutexPool extends WorkerPool {
    /*
     * How it works. Everything is under the one mutex, but the running of jobs: a worker holds it only to take the next
     * job. A worker with nothing to do waits on the condition; each job signals one waiter. A job that throws kills its
     * worker's thread, and a sentinel puts another in its place (see WorkerPool).
     * Invariants      I1  a job is in the queue or was taken by one worker, which runs it
     *                 I2  workers end only when the pool is shut down and the queue is empty
     * Strength and weakness. Nothing can go wrong, and under load no signal is needed as nobody waits; but each job takes
     * the mutex twice, once on each side, and all threads meet there.
     */
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition arrived = mutex.newCondition();
    private final ArrayDeque<Runnable> jobs = new ArrayDeque<>(); // under the mutex
    private boolean closed; // under the mutex

    /**
     * Starts a pool.
     *
     * @param workers how many threads
     */
    public MutexPool(int workers) {
        super(workers, Executors.defaultThreadFactory());
        startWorkers();
    }

    @Override
    public void execute(Runnable job) {
        mutex.lock();
        try {
            if (closed) {
                throw refused();
            }
            jobs.add(job);
            arrived.signal();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    void work(int index) {
        for (Runnable job = next(); job != null; job = next()) {
            job.run();
        }
    }

    private @Nullable Runnable next() {
        mutex.lock();
        try {
            while (jobs.isEmpty() && !closed) {
                arrived.awaitUninterruptibly();
            }
            return jobs.poll();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void shutdown() {
        mutex.lock();
        try {
            closed = true;
            arrived.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public List<Runnable> shutdownNow() {
        mutex.lock();
        try {
            shutdown();
            List<Runnable> never = new ArrayList<>(jobs);
            jobs.clear();
            interruptWorkers();
            return never;
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public boolean isShutdown() {
        mutex.lock();
        try {
            return closed;
        } finally {
            mutex.unlock();
        }
    }
}
