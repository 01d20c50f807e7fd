// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.pools;

import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The LMAX Disruptor as a pool: one ring, which every worker reads in full, running each its share.
 *
 * <p><b>Thread safety:</b> any thread.
 */
public final class DisruptorPool extends AbstractExecutorService {
    /*
     * How it works. Since version 4 the Disruptor has no pool of its own; what its authors advise is that each handler sees
     * every event and handles those whose sequence, modulo the number of handlers, is its number. A full ring holds
     * submitters up; a worker that submits to a full ring runs the job itself. A job that throws ends in the thread's
     * uncaught exception handler, and the thread goes on.
     * The end is an event of its own, after which a worker runs nothing.
     * Invariants      I1  a submitter that does not see `closed` after it has claimed its sequence has a lower one than the
     *                     end; one that does see it publishes an event without a job and refuses
     * Not guaranteed  N1  shutdownNow returns no jobs: those that wait are run
     */
    private static final int CAPACITY = 1 << 16;
    private static final long UNKNOWN = Long.MAX_VALUE;

    private final Disruptor<Slot> disruptor;
    private final RingBuffer<Slot> ring;
    private final Thread[] threads;
    private final CountDownLatch ended;
    private final ReentrantLock closing = new ReentrantLock();
    private volatile boolean closed;
    private volatile long end = UNKNOWN;

    /** A place of the ring. */
    private static final class Slot {
        @Nullable
        Runnable job;
    }

    /**
     * Starts a pool.
     *
     * @param workers how many threads
     * @param wait what an idle one does
     */
    public DisruptorPool(int workers, WaitStrategy wait) {
        threads = new Thread[workers];
        ended = new CountDownLatch(workers);
        int[] started = {0};
        disruptor = new Disruptor<>(
                Slot::new,
                CAPACITY,
                body -> {
                    Thread thread = Executors.defaultThreadFactory().newThread(body);
                    threads[started[0]++] = thread;
                    return thread;
                },
                ProducerType.MULTI,
                wait);
        Share[] shares = new Share[workers];
        for (int i = 0; i < workers; i++) {
            shares[i] = new Share(i);
        }
        disruptor.handleEventsWith(shares);
        ring = disruptor.start();
    }

    /** A worker's part of the events. */
    private final class Share implements EventHandler<Slot> {
        private final int number;
        private boolean over;

        Share(int number) {
            this.number = number;
        }

        @Override
        public void onEvent(Slot slot, long sequence, boolean endOfBatch) {
            if (over) {
                return;
            }
            if (sequence == end) {
                over = true;
                ended.countDown();
                if (ended.getCount() == 0) {
                    disruptor.halt();
                }
            } else if (sequence % threads.length == number) {
                run(slot);
            }
        }

        private void run(Slot slot) {
            Runnable job = slot.job;
            slot.job = null;
            if (job == null) {
                return;
            }
            try {
                job.run();
            } catch (Throwable thrown) {
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
            }
        }
    }

    @Override
    public void execute(Runnable job) {
        if (closed) {
            throw WorkerPool.refused();
        }
        long sequence;
        try {
            sequence = isWorker() ? ring.tryNext() : ring.next();
        } catch (InsufficientCapacityException full) {
            job.run();
            return;
        }
        boolean late = closed; // volatile, after the claim: I1
        ring.get(sequence).job = late ? null : job;
        ring.publish(sequence);
        if (late) {
            throw WorkerPool.refused();
        }
    }

    private boolean isWorker() {
        Thread caller = Thread.currentThread();
        for (Thread thread : threads) {
            if (thread == caller) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void shutdown() {
        closing.lock();
        try {
            if (!closed) {
                closed = true;
                long sequence = ring.next();
                end = sequence;
                ring.publish(sequence);
            }
        } finally {
            closing.unlock();
        }
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown();
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return closed;
    }

    @Override
    public boolean isTerminated() {
        return ended.getCount() == 0;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return ended.await(timeout, unit);
    }
}
