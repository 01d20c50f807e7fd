// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.pools;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.atomic.MpmcAtomicArrayQueue;

/**
 * One lock-free ring for all, with idle workers that park or spin.
 *
 * <p><b>Thread safety:</b> any thread.
 */
public final class RingPool extends WorkerPool {
    /*
     * How it works. All jobs go through a bounded ring of many producers and many consumers (JCTools, after Vyukov). An
     * idle worker looks SPINS times, then notes itself as asleep and parks, unless it is one that always spins. A submitter
     * wakes one sleeper, whose note it removes first, so that no other submitter wakes the same one. A full ring holds
     * submitters up, who park for a moment (spinning or yielding would take the CPU from the workers); a worker that
     * submits to a full ring runs the job itself.
     * Invariants      I1  a note is removed by the worker or by one waker, who then also lowers `asleep`
     * Ordering        F1 <> F2  a submitter fills the ring, then reads asleep; a worker raises asleep, then looks into the
     *                           ring: with both fences one of the two notices the other
     */
    private static final int CAPACITY = 1 << 16;
    private static final int SPINS = 100;
    private static final long FULL_NANOS = 50_000;
    private static final int AWAKE = 0;
    private static final int ASLEEP = 1;

    private final ClosingQueue ring;
    private final boolean parks;
    private final AtomicIntegerArray notes;
    private final AtomicInteger asleep = new AtomicInteger();

    /**
     * Starts a pool.
     *
     * @param workers how many threads
     * @param parks whether idle workers park; else they spin for ever
     */
    public RingPool(int workers, boolean parks) {
        super(workers, Executors.defaultThreadFactory());
        this.ring = new ClosingQueue(new MpmcAtomicArrayQueue<>(CAPACITY), workers);
        this.parks = parks;
        this.notes = new AtomicIntegerArray(workers);
        startWorkers();
    }

    @Override
    public void execute(Runnable job) {
        while (!ring.offer(job)) {
            if (indexOfCaller() >= 0) {
                job.run();
                return;
            }
            LockSupport.parkNanos(this, FULL_NANOS);
        }
        VarHandle.fullFence(); // [F1] full, pairs F2
        if (asleep.get() > 0) {
            wakeOne();
        }
    }

    private void wakeOne() {
        for (int index = 0; index < workers(); index++) {
            if (notes.get(index) == ASLEEP && wake(index)) {
                LockSupport.unpark(thread(index));
                return;
            }
        }
    }

    /** Removes the note of a sleeper, which only one can (I1). */
    private boolean wake(int index) {
        if (notes.compareAndSet(index, ASLEEP, AWAKE)) {
            asleep.decrementAndGet();
            return true;
        }
        return false;
    }

    @Override
    void work(int index) {
        int idle = 0;
        while (true) {
            Runnable job = ring.poll();
            if (job != null) {
                idle = 0;
                job.run();
            } else if (ring.isClosed()) {
                if (ring.leave()) {
                    return;
                }
            } else if (!parks || idle < SPINS) {
                idle++;
                Thread.onSpinWait();
            } else {
                sleep(index);
                idle = 0;
            }
        }
    }

    private void sleep(int index) {
        notes.set(index, ASLEEP);
        asleep.incrementAndGet(); // [F2] a full fence as well, pairs F1: noted first, looked second
        while (ring.isEmpty() && !ring.isClosed() && notes.get(index) == ASLEEP) {
            LockSupport.park(this);
            Thread.interrupted(); // meant for an earlier job; park would not wait with the flag set
        }
        wake(index);
    }

    @Override
    public void shutdown() {
        ring.close();
        for (int index = 0; index < workers(); index++) {
            LockSupport.unpark(thread(index));
        }
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown();
        List<Runnable> never = new ArrayList<>();
        for (Runnable job = ring.poll(); job != null; job = ring.poll()) {
            never.add(job);
        }
        interruptWorkers();
        return never;
    }

    @Override
    public boolean isShutdown() {
        return ring.isClosed();
    }
}
