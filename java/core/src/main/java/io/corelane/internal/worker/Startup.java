// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.affinity.AffinityException;
import io.corelane.affinity.Pinning;
import io.corelane.affinity.ThreadAffinity;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The start of a pool's threads, all or nothing: each pins and names itself and reports, and {@link #await} tells
 * whether all succeeded. A thread that replaces a dead one passes through here as well.
 *
 * <p><b>Thread safety:</b> any thread may call anything.
 */
final class Startup {
    private final boolean mayRefuse;
    private final CountDownLatch pending;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    Startup(int workers) {
        this(workers, true);
    }

    private Startup(int workers, boolean mayRefuse) {
        this.pending = new CountDownLatch(workers);
        this.mayRefuse = mayRefuse;
    }

    /** The start of a thread that takes over from a dead one: a refused pin must not leave the worker without any. */
    static Startup ofReplacement() {
        return new Startup(1, false);
    }

    /** Pins and names the calling thread; returns whether it may run jobs. */
    boolean begin(WorkerPool pool, Worker worker) {
        try {
            if (worker.cpuAsked >= 0) {
                pin(pool, worker);
            }
            return true;
        } catch (Throwable refused) {
            refused.addSuppressed(new IllegalStateException(
                    "worker " + worker.index + " of " + pool.config.workers() + " could not be pinned"));
            failed(refused);
            return !mayRefuse; // a worker without a thread would be worse than one without a pin
        } finally {
            pending.countDown();
        }
    }

    private void pin(WorkerPool pool, Worker worker) {
        try {
            ((WorkerThread) Thread.currentThread()).pin.pin(worker); // reads back and compares
            ThreadAffinity.setKernelThreadName(WorkerNames.kernelName(pool.config.name(), worker.index, worker.cpu));
        } catch (AffinityException refused) {
            if (mayRefuse && pool.config.placement().pinning() == Pinning.REQUIRED) {
                throw refused;
            }
            worker.cpu = -1;
            pool.log.noteUnpinned(String.valueOf(refused.getMessage()));
        }
    }

    /** Reports that a thread could not be started, on behalf of it. */
    void failed(Throwable reason) {
        failure.compareAndSet(null, reason);
    }

    /** Takes one thread off the count that never got as far as {@link #begin}. */
    void notStarted(Throwable reason) {
        failed(reason);
        pending.countDown();
    }

    /** Waits until every thread has reported; returns the first failure or null. */
    @Nullable
    Throwable await() {
        boolean interrupted = false;
        while (true) {
            try {
                pending.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true; // building is short: go on, and set the flag again
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return failure.get();
    }
}
