// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.pools;

import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * No pool at all: a new thread for each job.
 *
 * <p><b>Thread safety:</b> any thread.
 */
public final class ThreadPerJobPool extends AbstractExecutorService {
    /*
     * How it works. A phaser has a party for each thread that has not ended and one for the pool, which shutdown takes
     * away; with no parties left it is terminated and refuses to register, which is how late jobs are found.
     */
    private final Phaser alive = new Phaser(1);
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Makes one; there is nothing to start. */
    public ThreadPerJobPool() {}

    @Override
    public void execute(Runnable job) {
        if (closed || alive.register() < 0) {
            throw WorkerPool.refused();
        }
        Thread thread = new Thread(() -> {
            try {
                job.run();
            } finally {
                threads.remove(Thread.currentThread());
                alive.arriveAndDeregister();
            }
        });
        threads.add(thread);
        thread.start();
    }

    @Override
    public synchronized void shutdown() {
        if (!closed) {
            closed = true;
            alive.arriveAndDeregister();
        }
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown();
        threads.forEach(Thread::interrupt);
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return closed;
    }

    @Override
    public boolean isTerminated() {
        return alive.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        try {
            alive.awaitAdvanceInterruptibly(0, timeout, unit);
        } catch (TimeoutException stillAlive) {
            return isTerminated();
        }
        return isTerminated();
    }
}
