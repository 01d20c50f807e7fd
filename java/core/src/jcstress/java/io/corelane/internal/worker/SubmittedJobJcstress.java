// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.corelane.Outcome.Done;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The state protocol of {@link SubmittedJob}, on the shipped class; the jobs are run by outside threads. */
public class SubmittedJobJcstress {
    /** One pool for all: only its counters are used. */
    static final WorkerPool POOL = WorkerPool.start(PoolConfig.unpinned("jcstress", 1, (job, failure) -> {}));

    /** Claim: two threads run the same job; the body runs once. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "ran once")
    @Outcome(expect = FORBIDDEN, desc = "ran twice or not at all")
    @State
    public static class ClaimAgainstClaim {
        private int runs;
        private final SubmittedJob<Object> job = new SubmittedJob<>(POOL, () -> runs++);

        @Actor
        public void first() {
            job.runQueued();
        }

        @Actor
        public void second() {
            job.runQueued();
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = runs;
        }
    }

    /** Claim against cancel: it ends once, and whoever ended it knows. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "cancelled")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "done, and cancel says so")
    @Outcome(expect = FORBIDDEN, desc = "both or neither")
    @State
    public static class ClaimAgainstCancel {
        private final SubmittedJob<Object> job = new SubmittedJob<>(POOL, () -> "result");

        @Actor
        public void runner() {
            job.runQueued();
        }

        @Actor
        public void canceller(II_Result result) {
            result.r1 = job.cancel(false) ? 1 : 0;
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r2 = job.outcome() instanceof Done ? 1 : 0;
        }
    }

    /** E1 -> E2: who sees it done sees the result and what the job wrote. */
    @JCStressTest
    @Outcome(
            id = {"-1, -1", "42, 43"},
            expect = ACCEPTABLE,
            desc = "not done, or done with everything")
    @Outcome(expect = FORBIDDEN, desc = "done without its result or effects")
    @State
    public static class ResultIsVisible {
        private int effect;
        private final SubmittedJob<Integer> job = new SubmittedJob<>(POOL, () -> {
            effect = 43;
            return 42;
        });

        @Actor
        public void runner() {
            job.runQueued();
        }

        @Actor
        public void reader(II_Result result) {
            if (job.isDone()) {
                result.r1 = job.resultNow();
                result.r2 = effect;
            } else {
                result.r1 = -1;
                result.r2 = -1;
            }
        }
    }

    /** V1 <> V2: a waiter is woken, or sees the end; a lost wake-up hangs the test. */
    @JCStressTest
    @Outcome(id = "42", expect = ACCEPTABLE, desc = "joined")
    @Outcome(expect = FORBIDDEN, desc = "joined without the result")
    @State
    public static class WaiterAgainstEnd {
        private final SubmittedJob<Integer> job = new SubmittedJob<>(POOL, () -> 42);

        @Actor
        public void runner() {
            job.runQueued();
        }

        @Actor
        public void waiter(I_Result result) {
            result.r1 = job.join();
        }
    }

    /** Claim against shutdownNow: a job is run or handed back. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "ran, or handed back")
    @Outcome(expect = FORBIDDEN, desc = "both or neither")
    @State
    public static class ClaimAgainstHandBack {
        private int runs;
        private int handedBack;
        private final SubmittedJob<Object> job = new SubmittedJob<>(POOL, () -> runs++);

        @Actor
        public void runner() {
            job.runQueued();
        }

        @Actor
        public void collector() {
            handedBack = job.handBack() ? 1 : 0;
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = runs;
            result.r2 = handedBack;
        }
    }

    /** E1: two cancels, one of which ends the job. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "cancelled once")
    @Outcome(expect = FORBIDDEN, desc = "cancelled twice or not at all")
    @State
    public static class CancelAgainstCancel {
        private final SubmittedJob<Object> job = new SubmittedJob<>(POOL, () -> "result");

        @Actor
        public void first(ZZ_Result result) {
            result.r1 = job.cancel(false);
        }

        @Actor
        public void second(ZZ_Result result) {
            result.r2 = job.cancel(true);
        }
    }

    /** A cancel with an interrupt, whose end the job waits for a little. */
    abstract static class Interrupted {
        private volatile boolean cancelled;
        final SubmittedJob<Object> job = new SubmittedJob<>(POOL, this::body);
        int seen;

        abstract Object body();

        final void run() {
            seen |= Thread.interrupted() ? LEAKED : 0; // by the job before
            job.runQueued();
            seen |= Thread.interrupted() ? LEAKED : 0;
        }

        final boolean cancel() {
            boolean won = job.cancel(true);
            cancelled = true;
            return won;
        }

        /** Waits for the other actor; returns whether that has cancelled the job. */
        final boolean awaitCancel() {
            for (int i = 0; i < 100 && !cancelled; i++) {
                Thread.onSpinWait();
            }
            return cancelled;
        }
    }

    static final int LEAKED = 4;

    private static final Error NO_ROOM = new OutOfMemoryError("as if");

    /** N1 <> N2: after suspend no interrupt comes any more; none outlives the job. */
    @JCStressTest
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "no interrupt, or before suspend returned")
    @Outcome(id = "1", expect = FORBIDDEN, desc = "an interrupt hit the job inside")
    @Outcome(expect = FORBIDDEN, desc = "an interrupt hit the next job")
    @State
    public static class SuspendAgainstCancel extends Interrupted {
        @Override
        Object body() {
            if (job.suspend()) {
                boolean ignored = Thread.interrupted(); // as WorkerThread.runInside does
            }
            awaitCancel();
            seen |= Thread.interrupted() ? 1 : 0; // here the job inside would run
            job.resume();
            return "result";
        }

        @Actor
        public void runner() {
            run();
        }

        @Actor
        public void canceller() {
            boolean ignored = cancel();
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = seen;
        }
    }

    /** N1 <> N2: a cancel that finds the job suspended is told to it when it resumes. */
    @JCStressTest
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "not cancelled in time, or told")
    @Outcome(id = "2", expect = FORBIDDEN, desc = "the job was cancelled and not told")
    @Outcome(expect = FORBIDDEN, desc = "an interrupt hit the next job")
    @State
    public static class ResumeAgainstCancel extends Interrupted {
        @Override
        Object body() {
            boolean told = job.suspend();
            told |= job.resume();
            boolean cancelled = awaitCancel();
            told |= Thread.interrupted();
            seen |= cancelled && !told ? 2 : 0;
            return "result";
        }

        @Actor
        public void runner() {
            run();
        }

        @Actor
        public void canceller() {
            boolean ignored = cancel();
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = seen;
        }
    }

    /** The interrupt of a cancel hits the job or nothing, never what its thread does next. */
    @JCStressTest
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "none, or gone with the job")
    @Outcome(expect = FORBIDDEN, desc = "an interrupt hit the next job")
    @State
    public static class EndAgainstCancel extends Interrupted {
        @Override
        Object body() {
            return "result";
        }

        @Actor
        public void runner() {
            run();
        }

        @Actor
        public void canceller() {
            boolean ignored = cancel();
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = seen;
        }
    }

    /** A cancel meets shutdownNow: its interrupt does not hit the thread that hands jobs back. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 0", "0, 1, 0"},
            expect = ACCEPTABLE,
            desc = "handed back, or cancelled")
    @Outcome(
            id = {"1, 0, 4", "0, 1, 4"},
            expect = FORBIDDEN,
            desc = "an interrupt hit the caller of shutdownNow")
    @Outcome(expect = FORBIDDEN, desc = "both or neither")
    @State
    public static class HandBackAgainstCancel extends Interrupted {
        @Override
        Object body() {
            throw new AssertionError("nobody runs it");
        }

        @Actor
        public void collector(III_Result result) {
            boolean before = Thread.interrupted(); // by the job before
            result.r1 = job.handBack() ? 1 : 0;
            awaitCancel();
            result.r3 = before | Thread.interrupted() ? LEAKED : 0;
        }

        @Actor
        public void canceller(III_Result result) {
            result.r2 = cancel() ? 1 : 0;
        }
    }

    /** A cancel meets the end of a repetition that cannot be queued again: its interrupt does not hit who ends it. */
    @JCStressTest
    @Outcome(
            id = {"0, 0, 0", "0, 1, 0"},
            expect = ACCEPTABLE,
            desc = "failed, or cancelled")
    @Outcome(expect = FORBIDDEN, desc = "an interrupt hit the thread that could not queue it")
    @State
    public static class EndUnqueuedAgainstCancel extends Interrupted {
        @Override
        Object body() {
            throw new AssertionError("nobody runs it");
        }

        @Actor
        public void ender(III_Result result) {
            boolean before = Thread.interrupted(); // by the job before
            job.endUnqueued(NO_ROOM);
            awaitCancel();
            result.r3 = before | Thread.interrupted() ? LEAKED : 0;
        }

        @Actor
        public void canceller(III_Result result) {
            result.r2 = cancel() ? 1 : 0;
        }
    }

    /** N1 <> N2: a job that repeats may be cancelled just when a run ends; then the interrupt hits nobody. */
    @JCStressTest
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "none, or gone with the run")
    @Outcome(expect = FORBIDDEN, desc = "an interrupt hit the next job")
    @State
    public static class RepeatAgainstCancel {
        private volatile boolean cancelled;
        private final SubmittedJob<Object> job = new SubmittedJob<>(POOL, () -> "result") {
            @Override
            boolean repeats(Throwable failure) {
                return !isDone();
            }

            @Override
            void queueAgain(Throwable failure) {}
        };

        @Actor
        public void runner(I_Result result) {
            int seen = Thread.interrupted() ? LEAKED : 0; // by the job before
            job.runQueued();
            for (int i = 0; i < 100 && !cancelled; i++) {
                Thread.onSpinWait();
            }
            result.r1 = seen | (Thread.interrupted() ? LEAKED : 0);
        }

        @Actor
        public void canceller() {
            job.cancel(true);
            cancelled = true;
        }
    }
}
