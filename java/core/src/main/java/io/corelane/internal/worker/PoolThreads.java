// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.internal.ownership.CpuClaims;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a pool: which one serves which worker, how they start, are replaced when they die, and end.
 *
 * <p><b>Thread safety:</b> any thread may call anything that does not say otherwise.
 */
final class PoolThreads {
    /*
     * `live` counts all threads: those that serve workers, spare ones and the timers' one. It is above zero until the last
     * one ends, which opens `ended`; nobody can raise it any more then.
     *
     * A worker's entry is written by who starts a thread for it, or by the thread that takes it, once that runs; until then
     * it is the one that has given it away. EventCount's slot, by which wake-ups find the thread, is assigned with it.
     */
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final WorkerPool pool;
    private final AtomicReferenceArray<WorkerThread> serving;
    private final AtomicInteger live;
    private final CountDownLatch ended = new CountDownLatch(1);

    PoolThreads(WorkerPool pool, int workers) {
        this.pool = pool;
        this.serving = new AtomicReferenceArray<>(workers);
        this.live = new AtomicInteger(workers);
    }

    /** Returns the thread that serves a worker, is about to, or has just given it away. */
    WorkerThread of(int worker) {
        return serving.get(worker);
    }

    // ---- start ---------------------------------------------------------------------------------------------------

    /** Starts the first thread of each worker; {@code startup} learns of those that cannot be started. */
    void start(Startup startup) {
        for (Worker worker : pool.workers) {
            WorkerThread thread = create(worker, startup);
            try {
                thread.start();
            } catch (Throwable cannotStart) {
                startup.notStarted(new IllegalStateException(
                        "worker " + worker.index + " of " + pool.workers.length + ": its thread cannot be started ("
                                + cannotStart.getMessage() + ")",
                        cannotStart));
                gone();
            }
        }
    }

    private WorkerThread create(Worker worker, Startup startup) {
        WorkerThread thread = new WorkerThread(pool, worker, startup);
        assign(worker, thread);
        return thread;
    }

    private void assign(Worker worker, WorkerThread thread) {
        serving.set(worker.index, thread);
        pool.eventCount.assign(worker.index, thread);
    }

    /** Starts a thread to serve a worker whose thread is leaving it; returns whether that was possible. */
    boolean startSpare(Worker worker) {
        WorkerThread leaver = serving.get(worker.index);
        try {
            WorkerThread thread = create(worker, Startup.ofReplacement());
            boolean counted = comes();
            try {
                thread.start();
                return true;
            } catch (Throwable cannotStart) {
                if (counted) {
                    gone();
                }
                throw cannotStart;
            }
        } catch (Throwable cannotStart) {
            assign(worker, leaver);
            pool.log.warnOfSpare(worker, cannotStart);
            return false;
        }
    }

    /** A thread serves a worker from now on that another thread has given it. */
    void served(Worker worker, WorkerThread thread) {
        assign(worker, thread);
        name(worker, thread);
    }

    /** Gives a thread the Java name of the worker that it serves. */
    void name(Worker worker, WorkerThread thread) {
        int cpu = worker.cpu;
        int shown = cpu >= 0 || worker.pins.isLost() ? cpu : worker.cpuAsked;
        thread.setName(WorkerNames.threadName(pool.config.name(), worker.index, shown));
    }

    // ---- messages ------------------------------------------------------------------------------------------------

    /** Makes all threads read the messages of the trees that they run parts of. */
    void alarm() {
        for (int i = 0; i < serving.length(); i++) {
            serving.get(i).forking.alarmAndWake();
        }
        pool.spares.awayThreads().forEach(thread -> thread.forking.alarmAndWake());
    }

    /** Returns whether any thread has shared forks. */
    boolean isAnySharing() {
        for (int i = 0; i < serving.length(); i++) {
            if (serving.get(i).forking.isSharing()) {
                return true;
            }
        }
        for (WorkerThread thread : pool.spares.awayThreads()) {
            if (thread.forking.isSharing()) {
                return true;
            }
        }
        return false;
    }

    /** Interrupts all threads but the caller, and makes them read their messages. */
    void interrupt() {
        for (int i = 0; i < serving.length(); i++) {
            interrupt(serving.get(i));
        }
        pool.spares.awayThreads().forEach(PoolThreads::interrupt);
    }

    private static void interrupt(WorkerThread thread) {
        thread.forking.alarmAndWake();
        if (thread != Thread.currentThread()) {
            thread.interrupt();
        }
    }

    // ---- end -----------------------------------------------------------------------------------------------------

    /** Called by a thread that ends; gives back what others wait for if it dies with a worker. */
    void orphan(WorkerThread thread, @Nullable Throwable death) {
        Worker worker = thread.worker;
        if (death != null && worker != null) {
            worker.orphaned();
        }
    }

    /** Called after {@link #orphan}. */
    void tellOfDeath(WorkerThread thread, @Nullable Throwable death) {
        if (death != null) {
            pool.log.tellFailureHandler(thread, death);
        }
    }

    /** Called by a worker's thread as its last act; {@code death} is null if it ended in an orderly way. */
    void end(WorkerThread thread, @Nullable Throwable death) {
        Worker worker = thread.worker;
        if (death != null && worker != null && !pool.isStopping()) {
            replace(worker);
        } else {
            gone();
        }
    }

    /** Starts another thread for a worker whose thread died; tries again until the system gives one. */
    private void replace(Worker worker) {
        long pauseNanos = FIRST_PAUSE_NANOS;
        worker.countReplaced();
        while (!pool.isStopping()) {
            if (startReplacement(worker)) {
                return;
            }
            LockSupport.parkNanos(this, pauseNanos);
            boolean ignored = Thread.interrupted(); // a set flag would turn the pauses into a spin
            pauseNanos = Math.min(2 * pauseNanos, LAST_PAUSE_NANOS);
        }
        gone();
    }

    private boolean startReplacement(Worker worker) {
        try {
            create(worker, Startup.ofReplacement()).start();
            return true;
        } catch (Throwable cannotStart) {
            pool.log.warnOfReplacement(worker, cannotStart);
            return false;
        }
    }

    /** Counts a thread in that is about to start; returns false if all have ended. */
    boolean comes() {
        int count = live.get();
        while (count > 0) {
            if (live.compareAndSet(count, count + 1)) {
                return true;
            }
            count = live.get();
        }
        return false;
    }

    /** Counts a thread out; the last one ends the pool. */
    void gone() {
        if (live.decrementAndGet() == 0) {
            try {
                PinWatcher.forget(pool);
                giveClaimsBack();
            } finally {
                ended.countDown();
                pool.wakeWatchers();
            }
        }
    }

    private void giveClaimsBack() {
        CpuClaims claims = pool.config.placement().claims();
        if (claims != null) {
            claims.close();
        }
    }

    boolean haveEnded() {
        return ended.getCount() == 0;
    }

    boolean awaitEnd(long timeout, TimeUnit unit) throws InterruptedException {
        return ended.await(timeout, unit);
    }

    /** After a failed start: waits until those that did start are gone. */
    void joinAll() {
        boolean interrupted = Thread.interrupted();
        for (int i = 0; i < serving.length(); i++) {
            while (serving.get(i).isAlive()) {
                try {
                    serving.get(i).join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
