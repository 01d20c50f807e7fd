// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.pools;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A pool whose workers share the receiving end of one channel, and whose results come back through a channel each.
 *
 * <p><b>Thread safety:</b> any thread.
 */
public final class ChannelPool extends WorkerPool {
    /*
     * How it works. Submitters send messages: a job, or the word to end, one for each worker. The receiving end belongs
     * to one receiver at a time, so workers pass it on under a mutex, and whoever has it waits for the next message while
     * the others wait for the mutex. A submitted job brings a channel of one place along, into which it sends its result.
     * Invariants      I1  a message is received by one worker
     *                 I2  a job that is sent after the words to end is taken back by its sender, or has been received
     * Source: the thread pool of The Rust Programming Language, chapter 21, with a channel for results.
     * We differ: in Rust nobody can send once the sender is dropped; here execute looks again after sending (I2).
     */
    private static final Runnable END = new End();

    private final LinkedTransferQueue<Runnable> channel = new LinkedTransferQueue<>();
    private final ReentrantLock receiver = new ReentrantLock();
    private volatile boolean closed;

    /** The word to end. */
    private static final class End implements Runnable {
        @Override
        public void run() {
            throw new AssertionError("the word to end was run");
        }
    }

    /**
     * Starts a pool.
     *
     * @param workers how many threads
     */
    public ChannelPool(int workers) {
        super(workers, Executors.defaultThreadFactory());
        startWorkers();
    }

    @Override
    public void execute(Runnable job) {
        if (closed) {
            throw refused();
        }
        channel.add(job);
        if (closed && channel.remove(job)) { // volatile: the words to end are sent after closed is set
            throw refused();
        }
    }

    @Override
    protected <T extends @Nullable Object> RunnableFuture<T> newTaskFor(Callable<T> job) {
        return new ResultChannel<>(job);
    }

    @Override
    protected <T extends @Nullable Object> RunnableFuture<T> newTaskFor(Runnable job, T result) {
        return new ResultChannel<>(Executors.callable(job, result));
    }

    @Override
    void work(int index) {
        for (Runnable job = receive(); job != END; job = receive()) {
            job.run();
        }
    }

    private Runnable receive() {
        receiver.lock();
        try {
            while (true) {
                try {
                    return channel.take();
                } catch (InterruptedException meantForAnEarlierJob) {
                    // the flag is clear now; go on waiting
                }
            }
        } finally {
            receiver.unlock();
        }
    }

    @Override
    public void shutdown() {
        closed = true;
        for (int i = 0; i < workers(); i++) {
            channel.add(END);
        }
    }

    @Override
    public List<Runnable> shutdownNow() {
        closed = true;
        List<Runnable> never = new ArrayList<>();
        channel.drainTo(never);
        never.removeIf(job -> job == END);
        shutdown();
        interruptWorkers();
        return never;
    }

    @Override
    public boolean isShutdown() {
        return closed;
    }
}
