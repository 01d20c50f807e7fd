// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.PinEvent;
import io.corelane.SchedulerListener;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.ThreadAffinity;
import io.corelane.internal.ownership.CpuClaims;
import io.corelane.topology.CpuLimits;
import io.corelane.topology.PinningPlan;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Looks once a second whether every pinned worker still is where it should be, and puts right what it finds.
 *
 * <p><b>Thread safety:</b> any thread may call anything. <b>Cost:</b> one thread of the process for all its pinned
 * schedulers, which ends with the last of them; each second one system call for each worker, and some files if a mask has
 * changed. Jobs pay nothing.
 */
final class PinWatcher {
    /*
     * Why a period and not an event: a rewritten cpuset, a CPU that goes offline and sched_setaffinity from outside change the
     * masks of threads without telling anybody; there is no file to be watched that covers them.
     *
     * A container runtime rewrites a cpuset by writing its file, and the kernel then sets every thread's mask to the whole
     * set, or to what the set has in common with the mask that the thread asked for (since Linux 6.2); a CPU that goes
     * offline widens the masks of the threads that were pinned to it. All show as a mask that is not the one CPU that it
     * should be. Sources: kernel/cgroup/cpuset.c and kernel/sched/core.c (select_fallback_rq) of Linux.
     */
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final String NAME = "corelane-pin-watcher";

    private static final PinWatcher INSTANCE = new PinWatcher();

    private final List<WorkerPool> pools = new ArrayList<>();
    private @Nullable Thread thread;

    private PinWatcher() {}

    /** Looks after a pool's workers from now on. */
    static void watch(WorkerPool pool) {
        INSTANCE.add(pool);
    }

    /** A pool has ended. */
    static void forget(WorkerPool pool) {
        INSTANCE.remove(pool);
    }

    private synchronized void add(WorkerPool pool) {
        pools.add(pool);
        if (thread == null) {
            Thread created = new Thread(null, this::run, NAME, 0, false);
            created.setDaemon(true);
            created.setContextClassLoader(null);
            try {
                created.start();
                thread = created;
            } catch (OutOfMemoryError noThread) { // "unable to create native thread"; the next scheduler tries again
                pool.log.warn("the pins of scheduler " + pool.config.name() + " are not watched", noThread);
            }
        }
    }

    private synchronized void remove(WorkerPool pool) {
        pools.remove(pool);
        if (pools.isEmpty()) {
            notifyAll();
        }
    }

    private void run() {
        useAllCpus();
        for (List<WorkerPool> watched = nextRound(); !watched.isEmpty(); watched = nextRound()) {
            watched.forEach(PinWatcher::look);
        }
    }

    /** Waits a period; returns the pools to look at, none if the thread is to end. */
    private synchronized List<WorkerPool> nextRound() {
        long deadline = System.nanoTime() + PERIOD_NANOS;
        while (!pools.isEmpty()) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return List.copyOf(pools);
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                deadline = System.nanoTime(); // nobody has a reason to; look at once
            }
        }
        thread = null;
        return List.of();
    }

    /** The thread may be born on a pinned one, and would have its mask. */
    private static void useAllCpus() {
        try {
            ThreadAffinity.set(CpuLimits.read().allowed());
        } catch (RuntimeException refused) {
            System.getLogger("io.corelane").log(Level.DEBUG, "the pin watcher shares a worker's CPU", refused);
        }
    }

    /** One look at a pool; package-private for tests that do not wait. */
    static void look(WorkerPool pool) {
        try {
            keepClaims(pool);
            CpuSet usable = null;
            for (Worker worker : pool.workers) {
                WorkerThread serving = pool.threads.of(worker.index);
                if (usable == null && serving.pin.isChanged()) {
                    usable = usable(pool);
                }
                if (usable != null) {
                    PinChange change =
                            serving.pin.verify(usable, takenByOthers(pool, worker), cpu -> mayTake(pool, cpu));
                    if (change != null) {
                        changed(pool, worker, serving, change);
                    }
                }
            }
            if (usable != null) {
                releaseSpares(pool);
            }
        } catch (RuntimeException | OutOfMemoryError failure) { // the next look may succeed
            pool.log.warn("the pins of scheduler " + pool.config.name() + " could not be checked", failure);
        }
    }

    /** What the process may use now, and of what was asked for in spite of its mask that which the cpuset still allows. */
    private static CpuSet usable(WorkerPool pool) {
        CpuLimits now = CpuLimits.read();
        PinningPlan plan = pool.config.placement().plan();
        CpuSet usable = now.allowed();
        pool.base(usable);
        if (plan != null) {
            CpuSet beyondMask = plan.cpus().minus(plan.limits().mask());
            usable = usable.union(beyondMask.intersect(CpuLimits.reachable()));
        }
        return usable;
    }

    /** Claims again what was lost because somebody has deleted the lock files. */
    private static void keepClaims(WorkerPool pool) {
        CpuClaims claims = pool.config.placement().claims();
        if (claims == null) {
            return;
        }
        for (int cpu : claims.lost().toArray()) {
            if (!claims.add(cpu)) {
                pool.log.warn(
                        "scheduler " + pool.config.name() + " does not own CPU " + cpu + " any more: "
                                + claims.refused().get(cpu),
                        null);
            }
        }
    }

    /** A worker that has to move may go where the selection allows it and, if this process cares, no other process is. */
    private static boolean mayTake(WorkerPool pool, int cpu) {
        PinningPlan plan = pool.config.placement().plan();
        if (plan != null && !plan.accepts(cpu)) {
            return false;
        }
        CpuClaims claims = pool.config.placement().claims();
        return claims == null || claims.add(cpu);
    }

    /** Gives back what a worker was moved to, once it is where it was planned. */
    private static void releaseSpares(WorkerPool pool) {
        CpuClaims claims = pool.config.placement().claims();
        if (claims != null) {
            CpuSet used = CpuSet.empty();
            for (Worker worker : pool.workers) {
                used = used.union(CpuSet.of(worker.cpuAsked));
                used = worker.cpu >= 0 ? used.union(CpuSet.of(worker.cpu)) : used;
            }
            claims.cpus().minus(used).stream().forEach(claims::release);
        }
    }

    private static CpuSet takenByOthers(WorkerPool pool, Worker worker) {
        CpuSet taken = CpuSet.empty();
        for (Worker other : pool.workers) {
            int cpu = other.cpu;
            if (other != worker && cpu >= 0) {
                taken = taken.union(CpuSet.of(cpu));
            }
        }
        return taken;
    }

    private static void changed(WorkerPool pool, Worker worker, WorkerThread serving, PinChange change) {
        worker.pins.count(change.change());
        rename(pool, worker, serving);
        PinEvent event = new PinEvent(
                pool.config.name(), worker.index, change.change(), worker.cpuAsked, worker.cpu, change.reason());
        pool.log.tell(change.change() == PinEvent.Change.RESTORED ? Level.INFO : Level.WARNING, event.toString());
        SchedulerListener listener = pool.config.listener();
        if (listener != null) {
            try {
                listener.onPinChanged(event);
            } catch (Throwable failure) {
                pool.log.warn("the listener of scheduler " + pool.config.name() + " threw", failure);
            }
        }
    }

    /** A thread's name ends in its CPU. */
    private static void rename(WorkerPool pool, Worker worker, WorkerThread serving) {
        pool.threads.name(worker, serving);
        try {
            serving.pin.rename(WorkerNames.kernelName(pool.config.name(), worker.index, worker.cpu));
        } catch (IOException refused) {
            pool.log.warn("worker " + worker.index + " of " + pool.config.name() + " keeps its thread's name", refused);
        }
    }
}
