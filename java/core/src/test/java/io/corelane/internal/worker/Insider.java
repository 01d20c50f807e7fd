// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.Lane;
import io.corelane.PinnedScheduler;
import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/** What a test does behind a scheduler's back: kills its threads, and looks at who serves which worker. */
public final class Insider {
    final WorkerPool pool;

    private Insider(WorkerPool pool) {
        this.pool = pool;
    }

    /** Opens a scheduler. */
    public static Insider of(PinnedScheduler scheduler) {
        try {
            Field field = PinnedScheduler.class.getDeclaredField("pool");
            field.setAccessible(true);
            return new Insider((WorkerPool) field.get(scheduler));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the field was renamed", e);
        }
    }

    /** Queues a job that kills the thread that takes it; returns whether it was accepted. */
    public boolean kill() {
        if (pool.injector.offer(new Killer(pool), Thread.currentThread().getId())) {
            pool.eventCount.signal();
            return true;
        }
        return false;
    }

    /** Sends a job to a lane that kills the worker's thread; returns whether it was accepted. */
    public boolean kill(Lane lane) {
        Worker worker = pool.workers[lane.index()];
        if (worker.mailbox != null && worker.mailbox.offer(new Killer(pool))) {
            pool.wakeFor(worker);
            return true;
        }
        return false;
    }

    /** Returns the index of the worker that the calling thread serves, or -1 if it serves none. */
    public int servedWorker() {
        Worker worker = pool.currentWorker();
        return worker == null ? -1 : worker.index;
    }

    /** Returns whether the pool takes the calling thread for the one that serves a worker. */
    public boolean isServedByCaller(int worker) {
        return pool.threads.of(worker) == Thread.currentThread();
    }

    /**
     * Ends as cancelled, so that the books stay right, and then throws where no job can: out of the worker's loop. Inside
     * a job that waits for another one it only ends: there the failure would be that job's.
     */
    private static final class Killer extends SubmittedJob<@Nullable Void> {
        Killer(WorkerPool pool) {
            super(pool, () -> {});
        }

        @Override
        void runQueued() {
            if (cancel(false) && !isInsideAJoin()) {
                throw new Death();
            }
        }

        private static boolean isInsideAJoin() {
            return StackWalker.getInstance()
                    .walk(frames ->
                            frames.anyMatch(frame -> frame.getClassName().equals(Joining.class.getName())));
        }

        @Override
        boolean mayRunInJoin() {
            return false;
        }
    }

    /** What a killed thread dies of. */
    public static final class Death extends Error {
        private static final long serialVersionUID = 1;

        private Death() {
            super("killed by a test", null, false, false);
        }
    }
}
