// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Keeps as many threads at work as there are workers while jobs block: a thread whose job is about to block leaves its
 * worker to a spare thread, and when the job goes on it gets a worker back from a thread that has just ended a job.
 *
 * <p><b>Thread safety:</b> any thread may call anything.
 */
final class Spares {
    /*
     * A worker is served by one thread at a time. Threads of the pool that serve none are either `away` (in the middle
     * of a job that blocks, or that wants a worker back) or `idle` (ended, and kept for the next need). A worker changes
     * hands by a CAS of the taker's `given` field, see WorkerThread; a taker that gives up makes the CAS fail.
     *
     * A thread that wants a worker back stands in `returning` if any worker will do, or in its worker's `laneReturn` if
     * its job belongs to a lane. Workers look at `wanting` before each job, and when they are about to park. It is a
     * place to find work like the injector: the taker is published (R1), then somebody is signalled; a worker announces
     * itself, then looks (R2). Threads that wait inside a join look as well: their worker is free for a taker.
     *
     * Quiescence: `away` is raised before a worker is left, and lowered after one was got back.
     *
     * Ordering
     *   R1 <> R2  wanting is raised, then the thread published (CAS of the queue, or volatile write of laneReturn), then
     *             the look for sleepers; a sleeper announces itself (RMW), then reads wanting and where the thread
     *             stands: one of the two sees the other. Likewise for a join's waiter. A searcher that gives its token
     *             back looks as well (WorkerPool.isWorkVisible): it may have been why nobody was woken
     *   R3 -> R4  everything that was done to a worker before the CAS of `given` is visible to the taker
     */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final WorkerPool pool;
    private final int most;
    private final AtomicInteger away = new AtomicInteger();
    private final AtomicInteger wanting = new AtomicInteger();
    private final Queue<WorkerThread> returning = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedDeque<WorkerThread> idle = new ConcurrentLinkedDeque<>();
    private final Set<WorkerThread> awayThreads = ConcurrentHashMap.newKeySet();

    Spares(WorkerPool pool, int most) {
        this.pool = pool;
        this.most = most;
    }

    /** Returns whether any thread wants a worker back; a cheap look, for each turn. */
    boolean anyWanting() {
        return wanting.get() != 0; // [R2] volatile, pairs R1
    }

    /** Returns whether a thread wants this very worker, or just any. */
    boolean wants(Worker worker) {
        return anyWanting() && (worker.laneReturn() != null || !returning.isEmpty());
    }

    /** Returns whether a thread wants any worker back. */
    boolean isAnyReturning() {
        return anyWanting() && !returning.isEmpty();
    }

    /** Returns how many threads are away from their workers. */
    int away() {
        return away.get();
    }

    /** Returns the threads that are away from their workers. */
    List<WorkerThread> awayThreads() {
        return new ArrayList<>(awayThreads);
    }

    /**
     * Lets another thread serve the caller's worker.
     *
     * @param leaver the calling thread
     * @param worker the worker it serves
     * @return false if no thread could be had; then the caller goes on serving it
     */
    boolean leave(WorkerThread leaver, Worker worker) {
        if (pool.isStopping()) {
            return false;
        }
        awayThreads.add(leaver);
        away.incrementAndGet();
        leaver.worker = null;
        boolean given = false;
        try {
            boolean toReturning = worker.first == null; // who returns has a job already, and would not get to that one
            given = (toReturning && giveToReturning(worker))
                    || (away.get() <= most && (giveToIdle(worker) || giveToNew(worker)));
        } finally { // also if there was no memory to say why
            if (!given) {
                leaver.worker = worker;
                notAway(leaver);
            }
        }
        return given;
    }

    /** A thread has got a worker back, or its job has ended without one. */
    void notAway(WorkerThread thread) {
        if (awayThreads.remove(thread)) {
            away.decrementAndGet();
        }
    }

    /** Gives a worker to a thread that wants it; its present thread must have let go of it. */
    boolean giveToReturning(Worker worker) {
        WorkerThread thread = worker.laneReturn();
        if (thread != null && worker.clearLaneReturn(thread)) {
            wanting.decrementAndGet();
            if (thread.give(worker)) {
                return true;
            }
        }
        for (thread = returning.poll(); thread != null; thread = returning.poll()) {
            wanting.decrementAndGet();
            if (thread.give(worker)) {
                return true;
            }
        }
        return false;
    }

    private boolean giveToIdle(Worker worker) {
        for (WorkerThread thread = idle.pollLast(); thread != null; thread = idle.pollLast()) {
            if (thread.give(worker)) {
                return true;
            }
        }
        return false;
    }

    private boolean giveToNew(Worker worker) {
        return pool.threads.startSpare(worker);
    }

    /**
     * Asks for a worker and waits until there is one, or the pool stops. Whoever left its worker made sure of its stack before,
     * so that an error cannot come between the steps.
     *
     * @param thread the calling thread
     * @param only the worker whose lane the job belongs to, or null if any worker will do
     */
    void awaitWorker(WorkerThread thread, @Nullable Worker only) {
        thread.beginWait();
        if (only != null) {
            wanting.incrementAndGet(); // first: were it to lag behind, it could hide another thread
            only.setLaneReturn(thread); // [R1]
            pool.wakeWithinReserve(only);
        } else {
            wanting.incrementAndGet();
            returning.add(thread); // [R1]
            if (!pool.eventCount.signalWithinReserve()) {
                pool.wakeWaitersInJoins();
            }
        }
        boolean interrupted = false;
        while (thread.isWaiting()) {
            if (pool.isStopping() && thread.stopWaiting()) {
                break;
            }
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Keeps a thread without a worker or a job for a while; returns whether it has got a worker.
     *
     * @param thread the calling thread
     */
    boolean standBy(WorkerThread thread) {
        thread.beginWait();
        idle.addLast(thread);
        long deadline = System.nanoTime() + IDLE_NANOS;
        while (thread.isWaiting()) {
            long left = deadline - System.nanoTime();
            if ((left <= 0 || pool.isStopping()) && thread.stopWaiting()) {
                idle.remove(thread);
                return false;
            }
            LockSupport.parkNanos(this, left);
            boolean ignored = Thread.interrupted(); // meant for a job that has ended
        }
        return true;
    }

    /** Wakes every thread that waits for a worker, after the pool was stopped. */
    void wakeAll() {
        idle.forEach(LockSupport::unpark);
        awayThreads.forEach(LockSupport::unpark);
    }
}
