// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.internal.fork.ForkList;
import io.corelane.internal.fork.ForkNode;
import io.corelane.internal.stack.StackReserve;
import org.jspecify.annotations.Nullable;

/**
 * What a thread runs is set aside while it runs a job that is no part of it, because somebody there calls a handle's
 * {@code run}, or because callers run what they submit. The job around is suspended, so that an interrupt for it waits until
 * it goes on; its forks are out of sight, so that neither job's tree is cancelled for the other. An interrupt of a stranger's thread
 * that is nobody's stays where it is. {@link Joining} does the same for the jobs that it runs inside.
 *
 * <p><b>Thread safety:</b> for the thread that made it.
 */
final class Aside {
    private final @Nullable WorkerThread own;
    private final @Nullable SubmittedJob<?> outer;
    private final CurrentJob.@Nullable Frame frame;
    private final @Nullable Forking forking;
    private final @Nullable ForkNode forks;
    private final GuestDeques.@Nullable Place place;
    private final @Nullable ClassLoader context;
    private final Joining.@Nullable Own submitted;
    private boolean interrupted;

    /** What needs memory comes first, while nothing is changed yet. */
    private Aside() {
        own = Thread.currentThread() instanceof WorkerThread thread ? thread : null;
        outer = CurrentJob.get();
        frame = own == null ? CurrentJob.enter(null) : null;
        submitted = own == null ? null : own.joining.own();
        if (outer != null) {
            interrupted = own != null ? own.joining.suspend(outer) : outer.suspend();
        }
        if (outer != null || own != null) {
            interrupted |= Thread.interrupted(); // no other comes from now on
        }
        if (own != null && submitted != null) {
            own.current = null;
            own.joining.setAside(submitted);
            context = own.getContextClassLoader();
            if (own.pool.config.context().kept()) {
                own.restoreContext();
            }
        } else {
            context = null;
        }
        ForkList list = ForkList.currentOrNull();
        forking = list != null && list.host() instanceof Forking here ? here : null;
        if (forking != null) {
            forking.shareAll(); // nobody asks for forks that are set aside
        }
        forks = forking == null ? null : forking.list().setAside();
        place = forking == null ? null : forking.setPlaceAside();
    }

    /** Sets aside what the calling thread runs; makes sure of the stack, so that {@link #restore} will follow. */
    static Aside set() {
        StackReserve.require();
        Aside aside = new Aside();
        if (aside.isStopping()) {
            Thread.currentThread().interrupt(); // the interrupt of shutdownNow may be among those that wait
        }
        return aside;
    }

    /** What was set aside goes on. */
    void restore() {
        if (forking != null) {
            forking.list().restore(forks);
            forking.restorePlace(place);
            if (forks != null) {
                forking.alarm(); // messages may have come meanwhile, and others have read them
            }
        }
        if (own != null && submitted != null) {
            own.current = outer;
            own.joining.restore(submitted);
            if (own.pool.config.context().kept()) {
                own.setContextClassLoader(context);
            }
        } else {
            CurrentJob.leave(frame);
        }
        if (outer != null || own != null) {
            boolean ignored = Thread.interrupted(); // that of the job that has ended
        }
        if (outer != null) {
            interrupted |= own != null ? own.joining.resume(outer) : outer.resume();
        }
        if (interrupted || isStopping()) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isStopping() {
        return own != null && own.pool.isStopping();
    }
}
