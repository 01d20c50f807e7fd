// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.pools;

import io.corelane.affinity.CpuSet;
import io.corelane.affinity.PinnedThreadFactory;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * A bounded queue of many producers and one consumer for each worker (Agrona), filled in turn; the workers are pinned and
 * back off by Agrona's strategy: spin, yield, then park for 1 us to 1 ms. Nobody is woken and nobody steals.
 *
 * <p><b>Thread safety:</b> any thread.
 */
public final class AgronaPool extends WorkerPool {
    /*
     * How it works. A job's queue is chosen when it is submitted, and only that queue's worker ever runs it. A full queue
     * holds its submitter up by the same strategy; a worker that submits to a full queue runs the job itself.
     * shutdownNow lets waiting jobs run: the queues have one consumer, and that is not the caller.
     */
    private static final int CAPACITY = 1 << 15;

    private final ClosingQueue[] queues;
    private final AtomicInteger turn = new AtomicInteger();

    /**
     * Starts a pool.
     *
     * @param workers how many threads
     * @param cpus where the threads are pinned, in turn
     */
    public AgronaPool(int workers, CpuSet cpus) {
        super(
                workers,
                PinnedThreadFactory.builder()
                        .name("agrona")
                        .cpus(cpus)
                        .sharing(true)
                        .build());
        queues = new ClosingQueue[workers];
        for (int i = 0; i < workers; i++) {
            queues[i] = new ClosingQueue(new ManyToOneConcurrentArrayQueue<>(CAPACITY), 1);
        }
        startWorkers();
    }

    @Override
    public void execute(Runnable job) {
        ClosingQueue queue = queues[Math.floorMod(turn.getAndIncrement(), queues.length)];
        if (queue.offer(job)) {
            return;
        }
        if (indexOfCaller() >= 0) {
            job.run();
            return;
        }
        IdleStrategy idle = new BackoffIdleStrategy();
        while (!queue.offer(job)) {
            idle.idle();
        }
    }

    @Override
    void work(int index) {
        ClosingQueue queue = queues[index];
        IdleStrategy idle = new BackoffIdleStrategy();
        while (true) {
            Runnable job = queue.poll();
            if (job != null) {
                job.run();
                idle.reset();
            } else if (queue.leave()) {
                return;
            } else {
                idle.idle();
            }
        }
    }

    @Override
    public void shutdown() {
        for (ClosingQueue queue : queues) {
            queue.close();
        }
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown();
        interruptWorkers();
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return queues[queues.length - 1].isClosed();
    }
}
