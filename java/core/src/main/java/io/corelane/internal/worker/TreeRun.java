// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.internal.fork.ForkHost;
import io.corelane.internal.fork.ForkList;
import io.corelane.internal.fork.ForkMark;
import io.corelane.internal.fork.Sneaky;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The run of the root of a tree, on the thread that asked for it: a thread of the pool, or a guest.
 *
 * <p><b>Thread safety:</b> for the thread that begins it.
 */
public final class TreeRun {
    /** About what it takes to wake a worker: a tree that ends sooner need not be shared. */
    static final long QUICK_NANOS = 20_000;

    private final Forking forking;
    private final ForkMark mark;
    /** Whose trees the thread runs around this one, if this is another's; its list may have been renewed by the end. */
    private final @Nullable ForkHost before;

    private final boolean switched;
    private final Class<?> root;
    private final long forksBefore;
    private final boolean tried;
    private final long begun;
    private volatile boolean over;
    private @Nullable SubmittedJob<?> limit;

    private TreeRun(Forking forking, @Nullable ForkHost before, boolean switched, Class<?> root) {
        this.forking = forking;
        this.before = before;
        this.switched = switched;
        this.root = root;
        this.forksBefore = forking.list().forks();
        boolean outermost = forking.list().newest() == null;
        this.tried = outermost && forking.pool.quickRoots.isQuick(root);
        this.begun = !outermost || tried || root == QuickRoots.NEVER ? 0 : System.nanoTime();
        this.mark = forking.list().begin(null);
        mark.setJob(CurrentJob.get());
    }

    static TreeRun begin(WorkerPool pool, Class<?> root) {
        ForkList list = ForkList.currentOrNull();
        if (list != null && list.host() instanceof Forking here && here.pool == pool) {
            return start(new TreeRun(here, null, false, root));
        }
        Forking own = pool.currentForking();
        if (own == null && pool.isShutdown()) {
            throw pool.intake.rejectedByShutdown("tree of " + root.getName());
        }
        if (list != null && list.host() instanceof Forking elsewhere) {
            elsewhere.shareAll(); // what this thread forks from now on belongs to another pool
        }
        Forking forking = own != null ? own : new Forking(pool, null, Thread.currentThread());
        ForkList.install(forking.list());
        if (own == null) {
            forking.enterAsGuest();
        }
        return start(new TreeRun(forking, list == null ? null : list.host(), true, root));
    }

    private static TreeRun start(TreeRun run) {
        try {
            if (run.tried) {
                run.forking.beDeafFor(QUICK_NANOS);
            } else {
                if (run.root == QuickRoots.NEVER) {
                    boolean ignored = run.forking.hearAgain(); // also inside a tree that began deaf
                }
                run.forking.listen();
            }
            return run;
        } catch (Throwable cancelled) {
            throw run.failed(cancelled);
        }
    }

    /**
     * Asks the tree to stop in the next fork or join of each of its threads; for any thread.
     *
     * @param why the reason, for the exception
     */
    public void cancel(String why) {
        if (!over) {
            mark.cancel(why);
            forking.alarmTrees();
        }
    }

    /**
     * Cancels the tree if it has not ended in time.
     *
     * @param nanos the time, from now
     * @throws RejectedExecutionException if the pool has ended, so that nobody would
     */
    public void cancelAfter(long nanos) {
        SubmittedJob<?> watch = new Watch(forking.pool);
        limit = watch;
        watch.addListener(() -> cancel("the time limit is over"));
        if (!forking.pool.timers.cancelAfter(watch, nanos)) {
            throw forking.pool.intake.rejectedByShutdown("scope with a limit");
        }
    }

    /** What a time limit cancels, for its listener; it is never accepted, so it is not counted. */
    private static final class Watch extends SubmittedJob<String> {
        Watch(WorkerPool pool) {
            super(pool, () -> "");
        }

        @Override
        void countCancelled(int change) {}
    }

    /** Joins what the root has forked so far and not joined. */
    public void joinAll() {
        ForkList.joinAllAbove(mark);
    }

    /**
     * The root has returned: joins what it has forked and not joined.
     *
     * @throws RuntimeException or what else one of those forks has thrown
     */
    public void ended() {
        try {
            ForkList.joinAllAbove(mark);
        } catch (Throwable failure) {
            throw failed(failure);
        }
        end();
    }

    /**
     * The root has thrown: cancels what it has forked and not joined, and waits until that has ended.
     *
     * @param failure what it has thrown
     * @return never
     */
    public RuntimeException failed(Throwable failure) {
        try {
            forking.abandon(mark, failure);
        } finally {
            end();
        }
        throw Sneaky.thrown(failure);
    }

    private void end() {
        over = true;
        if (limit != null) {
            limit.reject();
        }
        forking.list().end(mark);
        boolean outermost = forking.list().newest() == null;
        boolean inTime = false;
        long nanos = 0;
        if (outermost) {
            forking.leave();
            inTime = forking.hearAgain();
            nanos = begun == 0 ? 0 : System.nanoTime() - begun;
        }
        if (switched) {
            if (forking.own == null) {
                forking.settle(0);
                forking.leaveAsGuest();
            }
            ForkList.install(before == null ? null : before.list());
        }
        if (outermost) { // last: it allocates, and may break off in a full heap
            forking.pool.quickRoots.note(root, forking.list().forks() - forksBefore, nanos, tried, inTime);
        }
    }
}
