// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.corelane.ForkAction;
import io.corelane.internal.fork.ForkList;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * Where {@link Worker} and {@link WorkerPool} meet the parts, on the shipped classes: pools of two workers whose threads
 * were never started, so that the actors take their places.
 */
public class WorkerPoolJcstress {
    private static final PoolConfig CONFIG = PoolConfig.unpinned("jcstress", 2, (job, failure) -> {});

    private static final Runnable JOB = () -> {};

    private static final MethodHandle NEW_POOL;
    private static final MethodHandle STOP;
    private static final MethodHandle BEGIN_TRANSFER;
    private static final MethodHandle PUBLISH;

    static {
        try {
            MethodHandles.Lookup pool = MethodHandles.privateLookupIn(WorkerPool.class, MethodHandles.lookup());
            MethodHandles.Lookup worker = MethodHandles.privateLookupIn(Worker.class, MethodHandles.lookup());
            NEW_POOL = pool.findConstructor(WorkerPool.class, MethodType.methodType(void.class, PoolConfig.class));
            STOP = pool.findVirtual(WorkerPool.class, "stop", MethodType.methodType(boolean.class));
            BEGIN_TRANSFER = worker.findVirtual(Worker.class, "beginTransfer", MethodType.methodType(boolean.class));
            PUBLISH = worker.findVirtual(Worker.class, "publish", MethodType.methodType(void.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A pool without threads, for one round. */
    abstract static class Unstarted {
        final WorkerPool pool;

        Unstarted() {
            try {
                pool = (WorkerPool) NEW_POOL.invokeExact(CONFIG);
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        /** What Worker.park does before it parks; returns whether it would have looked further. */
        final boolean announceAndLook(int worker) {
            pool.eventCount.announce(worker, false);
            return pool.isWorkVisible();
        }
    }

    /** M1 <> M2: a worker marks a transfer, then looks whether the pool stops; the collector the other way round. */
    @JCStressTest
    @Outcome(id = "true, false", expect = FORBIDDEN, desc = "jobs are moved and nobody waits for them")
    @Outcome(expect = ACCEPTABLE, desc = "nothing is moved, or it is waited for")
    @State
    public static class TransferAgainstStop extends Unstarted {
        @Actor
        public void worker(ZZ_Result result) {
            try {
                result.r1 = (boolean) BEGIN_TRANSFER.invokeExact(pool.workers[0]);
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        @Actor
        public void collector(ZZ_Result result) {
            try {
                boolean ignored = (boolean) STOP.invokeExact(pool);
                result.r2 = pool.workers[0].inTransfer();
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }
    }

    /** A1 <> S1: a job of a job against a worker that parks; the fence is the one in Worker.submit. */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "lost wake-up")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or seen, or both")
    @State
    public static class LocalSubmitAgainstPark extends Unstarted {
        @Actor
        public void submitter() {
            pool.workers[0].submit(JOB);
        }

        @Actor
        public void sleeper(ZZ_Result result) {
            result.r2 = announceAndLook(1);
        }

        @Arbiter
        public void arbiter(ZZ_Result result) {
            result.r1 = !pool.eventCount.isParked(1);
        }
    }

    /** A1 <> S1: an outside job against a worker that parks; the fence is the CAS in the injector. */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "lost wake-up")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or seen, or both")
    @State
    public static class OutsideSubmitAgainstPark extends Unstarted {
        @Actor
        public void submitter() {
            pool.intake().execute(JOB);
        }

        @Actor
        public void sleeper(ZZ_Result result) {
            result.r2 = announceAndLook(1);
        }

        @Arbiter
        public void arbiter(ZZ_Result result) {
            result.r1 = !pool.eventCount.isParked(1);
        }
    }

    /** A1 <> S1: a fork that a guest shares, in a deque that is new to the pool; the fence is the one in Forking. */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "lost wake-up")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or seen, or both")
    @State
    public static class GuestForkAgainstPark extends Unstarted {
        final ForkAction fork = new ForkAction() {
            @Override
            protected void compute() {}
        };

        @Actor
        public void guest() {
            TreeRun ignored = pool.beginScope();
            fork.fork(); // is among the first of its run, so it is shared at once
            ForkList list = ForkList.currentOrNull();
            if (list != null && list.host() instanceof Forking guest) {
                guest.leaveAsGuest(); // else all rounds stay reachable
            }
            ForkList.install(null); // the thread has other rounds to run
        }

        @Actor
        public void sleeper(ZZ_Result result) {
            result.r2 = announceAndLook(1);
        }

        @Arbiter
        public void arbiter(ZZ_Result result) {
            result.r1 = !pool.eventCount.isParked(1);
        }
    }

    /**
     * A1 <> S1: a job that a batch steal has brought into the thief's deque, against its old owner, which takes what was
     * left and parks; the fence is the one in Worker.publish.
     */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "lost wake-up")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or seen, or both")
    @State
    public static class PublishAgainstPark extends Unstarted {
        public PublishAgainstPark() {
            for (int i = 0; i < 6; i++) {
                pool.workers[1].deque.push(JOB);
            }
        }

        @Actor
        public void thief() {
            Worker worker = pool.workers[0];
            for (int i = 0; i < 50 && pool.workers[1].deque.size() > 3; i++) {
                Thread.onSpinWait(); // until its owner is about to find it empty
            }
            Object ignored = pool.workers[1].deque.stealBatch(worker.deque, 2);
            try {
                PUBLISH.invokeExact(worker);
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        @Actor
        public void sleeper(ZZ_Result result) {
            pool.workers[0].deque.isEmpty(); // so that the thief's store has to wait for the cache line
            while (pool.workers[1].deque.pop() != null) {
                Thread.onSpinWait();
            }
            result.r2 = announceAndLook(1);
        }

        @Arbiter
        public void arbiter(ZZ_Result result) {
            result.r1 = !pool.eventCount.isParked(1) || !pool.isWorkVisible();
        }
    }

    /** Accepting and shutting down are one decision, also against the last worker's look whether it may stop. */
    @JCStressTest
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "accepted by a pool that has stopped")
    @Outcome(expect = ACCEPTABLE, desc = "rejected, or accepted and not stopped")
    @State
    public static class SubmitAgainstShutdown extends Unstarted {
        public SubmitAgainstShutdown() {
            pool.eventCount.announce(0, false);
            pool.eventCount.announce(1, false);
        }

        @Actor
        public void submitter(ZZ_Result result) {
            result.r1 = pool.injector.offer(JOB, 1);
            pool.eventCount.signal();
        }

        @Actor
        public void closer() {
            pool.shutdown();
        }

        @Arbiter
        public void arbiter(ZZ_Result result) {
            result.r2 = pool.isStopping();
        }
    }
}
