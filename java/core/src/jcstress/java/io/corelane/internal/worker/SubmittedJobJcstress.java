// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.corelane.Outcome.Done;
import io.corelane.affinity.Pinning;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** The state protocol of {@link SubmittedJob}, on the shipped class; the jobs are run by outside threads. */
public class SubmittedJobJcstress {
    /** One pool for all: only its counters are used. */
    static final WorkerPool POOL = WorkerPool.start(
            new PoolConfig("jcstress", 1, null, Pinning.OFF, false, 0, true, true, (job, failure) -> {}));

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
            job.run();
        }

        @Actor
        public void second() {
            job.run();
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
            job.run();
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
            job.run();
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
            job.run();
        }

        @Actor
        public void waiter(I_Result result) {
            result.r1 = job.join();
        }
    }
}
