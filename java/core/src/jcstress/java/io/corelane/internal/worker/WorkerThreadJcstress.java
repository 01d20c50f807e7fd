// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** How a worker comes from one thread to another, on the shipped class; the threads are never started. */
public class WorkerThreadJcstress {
    private static final WorkerPool POOL = SubmittedJobJcstress.POOL;
    private static final Worker WORKER = POOL.workers[0];

    /** A thread that wants a worker. */
    abstract static class Waiting {
        final WorkerThread taker = new WorkerThread(POOL, WORKER, Startup.ofReplacement());

        Waiting() {
            taker.beginWait();
        }
    }

    /** The taker gives up, or has the worker; the giver knows which. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "given, or given up")
    @Outcome(expect = FORBIDDEN, desc = "both or neither: the worker is lost, or served twice")
    @State
    public static class GiveAgainstStopWaiting extends Waiting {
        @Actor
        public void giver(ZZ_Result result) {
            result.r1 = taker.give(WORKER);
        }

        @Actor
        public void taker(ZZ_Result result) {
            result.r2 = taker.stopWaiting();
        }
    }

    /** Two threads have a worker to give: the taker gets one of them. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "one was taken")
    @Outcome(expect = FORBIDDEN, desc = "both or none")
    @State
    public static class GiveAgainstGive extends Waiting {
        @Actor
        public void first(ZZ_Result result) {
            result.r1 = taker.give(WORKER);
        }

        @Actor
        public void second(ZZ_Result result) {
            result.r2 = taker.give(WORKER);
        }
    }

    /** R3 -> R4: the taker sees what was done to the worker before it was given. */
    @JCStressTest
    @Outcome(
            id = {"-1, -1", "1, 1"},
            expect = ACCEPTABLE,
            desc = "still waiting, or sees everything")
    @Outcome(expect = FORBIDDEN, desc = "has the worker without its state")
    @State
    public static class GiveIsVisible extends Waiting {
        private int plain;

        @Actor
        public void giver() {
            plain = 1;
            boolean ignored = taker.give(WORKER);
        }

        @Actor
        public void taker(II_Result result) {
            boolean waiting = taker.isWaiting();
            result.r1 = waiting ? -1 : 1;
            result.r2 = waiting ? -1 : plain;
        }
    }
}
