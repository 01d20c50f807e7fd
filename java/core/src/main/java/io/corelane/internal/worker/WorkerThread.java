// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.affinity.AffinityException;
import io.corelane.internal.fork.ForkThread;
import io.corelane.internal.stack.StackReserve;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a pool: serves a worker, and lets another thread do so while its job blocks. What belongs to the job it runs
 * is kept here, what belongs to the worker in {@link Worker}.
 *
 * <p><b>Thread safety:</b> for the thread itself, but for {@link #give}.
 */
final class WorkerThread extends ForkThread {
    /*
     * `given` is how a worker comes from one thread to another: null while nobody waits, WAITING while this thread wants
     * a worker, then the worker. WAITING is left by one CAS, of the giver or of this thread when it gives up.
     */
    /** The step of {@link #end} that tells the failure handler. */
    private static final int TELL = 2;

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Object WAITING = new Object();

    private static final VarHandle GIVEN;

    static {
        try {
            GIVEN = MethodHandles.lookup()
                    .findVarHandle(WorkerThread.class, "given", Object.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final WorkerPool pool;
    final ThreadPin pin = new ThreadPin();
    final Joining joining = new Joining(this);
    final Forking forking;
    private final Startup startup;

    /** The worker that this thread serves; null while another thread does. */
    @Nullable
    Worker worker;

    /** The innermost submitted job that this thread runs. */
    @Nullable
    SubmittedJob<?> current;

    /** Whether this thread has called shutdownNow, which interrupts all others. */
    boolean stopsPool;

    /** How many jobs of the worker's lane are on this thread's stack. */
    int laneDepth;

    @SuppressWarnings("UnusedVariable") // GIVEN
    private @Nullable Object given;

    @SuppressWarnings("ThreadPriorityCheck") // the usual one, not that of a job that blocks
    WorkerThread(WorkerPool pool, Worker worker, Startup startup) {
        super(WorkerNames.threadName(pool.config.name(), worker.index, worker.cpuAsked));
        this.pool = pool;
        this.forking = new Forking(pool, this, this);
        useForks(forking);
        this.worker = worker;
        this.startup = startup;
        setDaemon(pool.config.daemon());
        setPriority(NORM_PRIORITY);
        setContextClassLoader(pool.config.context().loader());
    }

    @Override
    public void run() {
        Throwable death = null;
        try {
            Worker first = worker;
            if (first != null && startup.begin(pool, first)) {
                if (pool.config.idling().neverParks()) {
                    Throwable ignored = startup.await(); // to spin would take the CPU from those that start
                }
                serve();
            }
        } catch (Throwable t) {
            death = t;
        }
        end(death);
    }

    /**
     * The last act. In a full heap any of it may break off; then it is tried again, visibly, because nobody else would give
     * the worker another thread. The handler is told at most once; what the pool's last thread does for all is not repeated.
     */
    private void end(@Nullable Throwable death) {
        long pauseNanos = FIRST_PAUSE_NANOS;
        int step = 0;
        while (step < 4) {
            try {
                switch (step) {
                    case 0 -> endRuns();
                    case 1 -> pool.threads.orphan(this, death);
                    case TELL -> pool.threads.tellOfDeath(this, death);
                    default -> pool.threads.end(this, death);
                }
                step++;
            } catch (Throwable notNow) {
                step = step == TELL ? TELL + 1 : step;
                warnOfEnd(notNow);
                LockSupport.parkNanos(this, pauseNanos);
                boolean ignored = Thread.interrupted(); // a set flag would turn the pauses into a spin
                pauseNanos = Math.min(2 * pauseNanos, LAST_PAUSE_NANOS);
            }
        }
    }

    private void warnOfEnd(Throwable notNow) {
        try {
            pool.log.warnOfEnd(notNow);
        } catch (Throwable untold) { // what it needs may be loaded now for the first time, which fails in many a way
            // the next failure may be told
        }
    }

    private void endRuns() {
        joining.ended();
        forking.settle(0);
        forking.leave();
        pin.end(); // before the kernel can give this thread's number to another one
    }

    /** Whoever gets a worker calls its runJobs at least once, also in a pool that stops: see {@link Worker#first}. */
    private void serve() {
        while (true) {
            Worker own = worker;
            if (own != null) {
                own.runJobs(this);
            }
            if (pool.isStopping()) {
                return;
            }
            if (worker == null) {
                if (!pool.spares.standBy(this)) {
                    return;
                }
                attach();
            }
        }
    }

    /**
     * Runs a part of a job that blocks. If a spare thread can be had, it serves the worker meanwhile.
     *
     * @param section what blocks
     * @param <T> the type of its result
     * @return its result
     * @throws Exception if it throws
     */
    <T extends @Nullable Object> T blocking(Callable<T> section) throws Exception {
        Worker own = worker;
        StackReserve.require(); // who leaves has to come back
        if (own == null || !leave(own)) {
            return section.call();
        }
        try {
            return section.call();
        } finally {
            comeBack(own);
        }
    }

    /** Lets another thread serve the worker, and this one use all CPUs; false if there is none to be had. */
    boolean leave(Worker own) {
        forking.shareAll();
        boolean lane = laneDepth > 0;
        boolean holds = lane && own.first == null; // else that job goes on for those of the lane that wait for it
        own.laneHeld = own.laneHeld || holds; // before the worker is given away
        if (!pool.spares.leave(this, own)) {
            own.laneHeld = own.laneHeld && !holds;
            return false;
        }
        try {
            setName(WorkerNames.blockedName(pool.config.name(), getId()));
            pin.release(pool.base());
        } catch (AffinityException | VirtualMachineError refused) { // the caller has to learn that it has left
            pool.log.warnOfCpu(refused);
        }
        return true;
    }

    /** Ends {@link #leave}: gets a worker back, unless the pool has stopped. */
    void comeBack(Worker left) {
        boolean lane = laneDepth > 0;
        try {
            pool.spares.awaitWorker(this, lane ? left : null);
            attach();
        } finally {
            Worker now = worker;
            if (lane && now != null) {
                now.laneHeld = false;
            }
            pool.spares.notAway(this);
        }
        if (pool.isStopping() && !stopsPool) {
            interrupt(); // shutdownNow may have looked at those away after, and at those with a worker before
        }
    }

    /** Begins to serve the worker that was given, if one was. */
    private void attach() {
        Object mine = (Object) GIVEN.getAndSet(this, (Object) null);
        if (mine instanceof Worker now) {
            worker = now;
            joining.attached(now);
            pool.threads.served(now, this);
            boolean ignored = Startup.ofReplacement().begin(pool, now);
        }
    }

    /** Sets the context class loader again that the builder fixed, if a job has changed it. */
    void restoreContext() {
        ClassLoader loader = pool.config.context().loader();
        if (getContextClassLoader() != loader) {
            setContextClassLoader(loader);
        }
    }

    void beginWait() {
        GIVEN.setVolatile(this, WAITING);
    }

    boolean isWaiting() {
        return (Object) GIVEN.getVolatile(this) == WAITING; // [R4] pairs R3 in Spares
    }

    /** Called by this thread: gives up waiting; returns false if it has got a worker. */
    boolean stopWaiting() {
        return GIVEN.compareAndSet(this, WAITING, (Object) null);
    }

    /** Called by a thread that has let go of a worker; returns whether this thread takes it. */
    boolean give(Worker next) {
        if (!GIVEN.compareAndSet(this, WAITING, (Object) next)) { // [R3]
            return false;
        }
        LockSupport.unpark(this);
        return true;
    }
}
