// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.affinity.AffinityException;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.ThreadAffinity;
import io.corelane.internal.worker.PinChange.Found;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The affinity mask of one thread of a pool: set by the thread when it begins to serve a worker and when it leaves it, and
 * looked after by the {@link PinWatcher} meanwhile.
 *
 * <p><b>Thread safety:</b> the monitor keeps the watcher from touching a thread that has left its worker or has ended, whose
 * kernel id may be another thread's by then. A thread waits here for a few system calls at most, and only when it begins or
 * ends to serve a worker.
 */
final class ThreadPin {
    private int tid;
    private @Nullable Worker worker;

    /** Whether this thread's mask is not the base mask; the worker's CPU may be that of its next thread already. */
    private boolean narrowed;

    /** Called by the thread: pins it to the worker's CPU, and reads that back. A pin that is lost the watcher brings back. */
    synchronized void pin(Worker served) {
        try {
            if (!served.pins.isLost()) {
                int cpu = served.cpu >= 0 ? served.cpu : served.cpuAsked; // it may have been moved
                ThreadAffinity.set(CpuSet.of(cpu));
                narrowed = true;
                served.cpu = cpu;
            }
        } catch (AffinityException refused) {
            if (!refused.call().equals("load")) { // without the library there is nothing to watch with
                watch(served); // the watcher tries again
            }
            throw refused;
        }
        watch(served);
    }

    private void watch(Worker served) {
        tid = ThreadAffinity.threadId();
        worker = served;
    }

    /** Called by the thread: lets it use other CPUs while another thread serves the worker. */
    synchronized void release(CpuSet base) {
        worker = null;
        if (narrowed) {
            BaseMask.apply(base);
            narrowed = false;
        }
    }

    /** Called by the thread when it ends. */
    synchronized void end() {
        worker = null;
    }

    /** Returns whether there is a pin, or one that the kernel has refused for now. */
    synchronized boolean isWatchable() {
        return worker != null;
    }

    /** Called by the watcher: gives the kernel's thread a name, which its own thread cannot be asked to do. */
    synchronized void rename(String kernelName) throws IOException {
        if (worker != null) {
            Files.writeString(Path.of("/proc/self/task/" + tid + "/comm"), kernelName);
        }
    }

    /** Called by the watcher: a cheap look whether {@link #verify} has anything to do. */
    synchronized boolean isChanged() {
        Worker served = worker;
        if (served == null) {
            return false;
        }
        CpuSet mask = mask();
        return mask != null && (served.cpu != served.cpuAsked || !mask.equals(CpuSet.of(served.cpuAsked)));
    }

    /**
     * Called by the watcher: compares the mask with what it should be, and mends it.
     *
     * @param usable the CPUs that the worker may be pinned to now
     * @param taken those among them that other workers of the pool have
     * @param mayTake whether another one may be used
     * @return what was found, or null if all was well or nothing could be done about it
     */
    synchronized @Nullable PinChange verify(CpuSet usable, CpuSet taken, IntPredicate mayTake) {
        Worker served = worker;
        CpuSet mask = served == null ? null : mask();
        if (served == null || mask == null) {
            return null;
        }
        int planned = served.cpuAsked;
        int now = served.cpu;
        boolean holds = now >= 0 && mask.equals(CpuSet.of(now));
        if (holds && (now == planned || !usable.contains(planned))) {
            return null;
        }
        Found found = new Found(mask, now);
        if (usable.contains(planned)) {
            if (tryPin(served, planned)) {
                return now == planned ? found.repinned() : found.restored();
            }
            return now < 0 ? null : lost(served, usable, found); // the kernel refuses: other CPUs would be no better
        }
        for (int cpu : usable.minus(taken).toArray()) {
            if (mayTake.test(cpu) && tryPin(served, cpu)) {
                return cpu == now ? found.repinned() : found.moved();
            }
        }
        return now < 0 ? null : lost(served, usable, found);
    }

    /** Returns null where the kernel does not tell: then nothing can be watched, which was said when the thread was to be pinned. */
    private @Nullable CpuSet mask() {
        try {
            return ThreadAffinity.get(tid);
        } catch (AffinityException refused) {
            return null;
        }
    }

    private PinChange lost(Worker served, CpuSet usable, Found found) {
        served.cpu = -1;
        served.pins.lost(true);
        if (!usable.isEmpty()) {
            boolean ignored = trySet(usable); // if not, the thread keeps the mask that the kernel gave it
        }
        return found.lost();
    }

    private boolean tryPin(Worker served, int cpu) {
        boolean pinned = trySet(CpuSet.of(cpu));
        if (pinned) {
            narrowed = true;
            served.cpu = cpu;
            served.pins.lost(false);
        }
        return pinned;
    }

    private boolean trySet(CpuSet cpus) {
        try {
            ThreadAffinity.set(tid, cpus);
            return true;
        } catch (AffinityException refused) {
            return false; // what becomes of the worker then is told as an event
        }
    }
}
