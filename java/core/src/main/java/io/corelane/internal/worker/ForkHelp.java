// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.JoinHelp;
import io.corelane.internal.deque.WorkDeque;
import io.corelane.internal.fork.ForkList;
import io.corelane.internal.fork.ForkNode;
import io.corelane.internal.stack.StackReserve;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How a thread waits for a fork that another thread runs.
 *
 * <p><b>Thread safety:</b> for its thread alone.
 */
final class ForkHelp {
    /*
     * The waiter is short of work, which makes those who fork share. In this order it
     *   1. runs what it has itself forked after the awaited fork and not joined yet;
     *   2. runs parts of the awaited fork: first from the deque of the thread that runs it, then from anybody's. A part is
     *      recognised by its chain of origins, so a waiter never meets a stranger's work, nor another branch of its own
     *      tree: it may hold a lock while it waits. Parts are claimed where they stand; the entry that is left is stale;
     *   3. if the scheduler's JoinHelp is ANY, runs anything; if it is AWAITED, skips 1 and 2;
     *   4. parks, as Joining does, after it has shared all that it has forked. Whoever shares a part of the awaited fork
     *      and finds no sleeper to wake, wakes the parked parent. Only a parked thread leaves its worker to others, and what
     *      they run may be what the awaited fork waits for: so it parks in the end under every IdlePolicy.
     * Help nests: what runs inside may wait and help. From MAX_DEPTH on a waiter only parks.
     *
     * Source: leapfrogging, Wagner and Calder, PPoPP 1993. We differ: parts are found by their origin and so in any
     * deque, also after they were stolen again.
     */
    private static final int MAX_DEPTH = 64;
    private static final int LOOKS_PER_CLOCK = 8;
    private static final long LONGEST_SPIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Forking forking;
    private int depth;

    ForkHelp(Forking forking) {
        this.forking = forking;
    }

    /**
     * Waits until a fork has ended.
     *
     * @param job the fork, which somebody has claimed
     * @param node its link in the list of this thread, or null if it is in that no more
     * @param cancellable whether to throw if what runs here is cancelled
     */
    void await(ForkJob job, @Nullable ForkNode node, boolean cancellable) {
        if (job.ended()) {
            return;
        }
        StackReserve.require();
        if (node != null && forking.list().newest() != node) {
            forking.shareAll(); // so that the newer ones can be claimed, here or elsewhere
        }
        while (!job.ended()) {
            ForkJob part = findPart(job, node);
            if (part != null) {
                runInside(part);
            } else if (!job.ended() && !runAnything()) {
                park(job, node, cancellable);
            }
            String why = cancellable && forking.list().isAlarmed() ? forking.whyCancelled() : null;
            if (why != null && !job.ended()) {
                throw new CancellationException(why);
            }
        }
    }

    private boolean mayHelp() {
        return depth < MAX_DEPTH && forking.pool.config.joinHelp() != JoinHelp.AWAITED;
    }

    private void runInside(ForkJob part) {
        depth++;
        try {
            if (forking.runShared(part)) {
                Worker worker = forking.worker(); // maybe another one than before
                if (worker != null) {
                    worker.countHelped();
                }
            }
        } finally {
            depth--;
        }
    }

    private boolean runAnything() {
        WorkerThread own = forking.own;
        return own != null
                && depth < MAX_DEPTH
                && forking.pool.config.joinHelp() == JoinHelp.ANY
                && own.joining.runAny();
    }

    // ---- looking for a part --------------------------------------------------------------------------------------

    /** Looks for a while; null if there is none, or the awaited fork has ended. */
    private @Nullable ForkJob findPart(ForkJob job, @Nullable ForkNode node) {
        if (!mayHelp()) {
            return null;
        }
        ForkJob child = node == null ? null : newerThan(node);
        if (child != null) {
            return child;
        }
        ForkJob part = partAnywhere(job);
        if (part != null || job.ended()) {
            return part;
        }
        forking.hunger().begin(); // from now on those who fork share
        try {
            return search(job);
        } finally {
            forking.hunger().end();
        }
    }

    private @Nullable ForkJob search(ForkJob job) {
        long until = System.nanoTime() + Math.min(forking.pool.config.idling().spinNanos(), LONGEST_SPIN_NANOS);
        do {
            for (int i = 0; i < LOOKS_PER_CLOCK; i++) {
                ForkJob part = i == 0 ? partAnywhere(job) : partOfRunner(job);
                if (part != null || job.ended()) {
                    return part;
                }
                Thread.onSpinWait();
            }
        } while (until - System.nanoTime() > 0 && !forking.list().isAlarmed() && !isWorkerNeeded());
        return null;
    }

    private boolean isWorkerNeeded() {
        Worker worker = forking.worker();
        return worker != null && forking.own != null && forking.own.joining.isNeeded(worker);
    }

    private @Nullable ForkJob newerThan(ForkNode node) {
        for (ForkNode newer = forking.list().newest(); newer != null && newer != node; newer = ForkList.older(newer)) {
            if (ForkList.shareOf(newer) instanceof ForkJob child && child.isUnclaimed()) {
                return child;
            }
        }
        return null;
    }

    private @Nullable ForkJob partOfRunner(ForkJob job) {
        Forking runner = job.runner();
        WorkDeque deque = runner == null ? null : runner.deque();
        return deque == null ? null : job.partIn(deque);
    }

    private @Nullable ForkJob partAnywhere(ForkJob job) {
        ForkJob part = partOfRunner(job);
        Worker[] workers = forking.pool.workers;
        int start = workers.length < 2 ? 0 : ThreadLocalRandom.current().nextInt(workers.length);
        for (int i = 0; i < workers.length && part == null; i++) {
            part = job.partIn(workers[start + i < workers.length ? start + i : start + i - workers.length].deque);
        }
        return part != null ? part : forking.pool.guestDeques.partOf(job);
    }

    // ---- parking -------------------------------------------------------------------------------------------------

    private void park(ForkJob job, @Nullable ForkNode node, boolean cancellable) {
        forking.shareAll();
        boolean helps = mayHelp();
        if (helps) {
            job.setHungry(forking.thread); // [H1]
            VarHandle.fullFence(); // before the last look
            if ((node != null && newerThan(node) != null) || partAnywhere(job) != null) {
                job.setHungry(null);
                return;
            }
            forking.hunger().begin();
        }
        try {
            WorkerThread own = forking.own;
            boolean ignored = own != null
                    ? own.joining.awaitFork(job, () -> hasNews(job, helps, cancellable))
                    : forking.thread instanceof WorkerThread foreign
                            ? foreign.joining.awaitForeignFork(job, () -> hasNews(job, helps, cancellable))
                            : job.awaitEnd(0, false, () -> hasNews(job, helps, cancellable));
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        } finally {
            if (helps) {
                forking.hunger().end();
                job.setHungry(null);
            }
        }
    }

    private boolean hasNews(ForkJob job, boolean helps, boolean cancellable) {
        return (helps && !job.isHungry())
                || (cancellable && forking.list().isAlarmed() && forking.whyCancelled() != null);
    }
}
