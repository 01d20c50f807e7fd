// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.pools;

import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What the pools of this package have in common: a fixed number of worker threads, and their end.
 *
 * <p><b>Thread safety:</b> all methods are for any thread, {@link #work} for workers.
 */
abstract class WorkerPool extends AbstractExecutorService {
    /*
     * How it works. A worker's thread runs work(index) once. If that returns, the worker has ended; if a job's exception
     * comes out of it, the thread dies of it, which is what its uncaught exception handler is for, and before that the
     * sentinel (the finally of live) starts a thread in its place. So there are always as many workers as at the start.
     * Invariants      I1  the latch falls once for each index, when work(index) has returned normally
     */
    private final AtomicReferenceArray<Thread> threads;
    private final CountDownLatch ended;
    private final ThreadFactory factory;

    WorkerPool(int workers, ThreadFactory factory) {
        if (workers < 1) {
            throw new IllegalArgumentException("workers=" + workers + " (expected 1 or more)");
        }
        this.threads = new AtomicReferenceArray<>(workers);
        this.ended = new CountDownLatch(workers);
        this.factory = factory;
    }

    /**
     * A worker's life: runs jobs until the pool is shut down and nothing is left for it.
     *
     * @param index which worker, from 0
     */
    abstract void work(int index);

    /** Starts the workers; the last statement of a subclass's constructor. */
    final void startWorkers() {
        for (int index = 0; index < threads.length(); index++) {
            startWorker(index);
        }
    }

    private void startWorker(int index) {
        Thread thread = factory.newThread(() -> live(index));
        threads.set(index, thread);
        thread.start();
    }

    private void live(int index) {
        boolean survived = false;
        try {
            work(index);
            survived = true;
        } finally {
            if (survived) {
                ended.countDown();
            } else {
                startWorker(index);
            }
        }
    }

    final int workers() {
        return threads.length();
    }

    final Thread thread(int index) {
        return threads.get(index);
    }

    /** Returns which worker the calling thread is, or -1 if it is none. */
    final int indexOfCaller() {
        Thread caller = Thread.currentThread();
        for (int index = 0; index < threads.length(); index++) {
            if (threads.get(index) == caller) {
                return index;
            }
        }
        return -1;
    }

    final void interruptWorkers() {
        for (int index = 0; index < threads.length(); index++) {
            threads.get(index).interrupt();
        }
    }

    static RejectedExecutionException refused() {
        return new RejectedExecutionException("the pool is shut down (expected execute before shutdown)");
    }

    @Override
    public final boolean isTerminated() {
        return ended.getCount() == 0;
    }

    @Override
    public final boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return ended.await(timeout, unit);
    }
}
