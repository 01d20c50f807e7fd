// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.corelane.internal.deque.WorkDeque;
import io.corelane.internal.fork.ForkMark;
import io.corelane.internal.fork.ForkNode;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Shared forks: promotion, claim, join and messages, on the shipped classes. */
public class ForkJobJcstress {
    private static final WorkerPool POOL = SubmittedJobJcstress.POOL;

    /** A fork and the two threads that care for it; neither is started. */
    abstract static class Shared {
        int input;
        int effect;
        final Forking parent = new Forking(POOL, null, Thread.currentThread());
        final Forking thief = new Forking(POOL, null, Thread.currentThread());
        final ForkNode node = new ForkNode() {
            @Override
            protected Object callBoxed() {
                effect = 43;
                return input;
            }
        };
        final ForkJob job = new ForkJob(parent, node, null, null);

        boolean steal() {
            if (!job.claimFor(thief)) {
                return false;
            }
            job.end(null, job.callBody());
            return true;
        }
    }

    /** C1: a thief against the parent, which wants its fork back. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "one has it")
    @Outcome(expect = FORBIDDEN, desc = "both or neither")
    @State
    public static class ClaimAgainstClaimBack extends Shared {
        @Actor
        public void thief(ZZ_Result result) {
            result.r1 = steal();
        }

        @Actor
        public void parent(ZZ_Result result) {
            result.r2 = job.claimBack();
        }
    }

    /** C1: two thieves, one that has it from a queue and one that claims it in place. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "one has it")
    @Outcome(expect = FORBIDDEN, desc = "both or neither")
    @State
    public static class ClaimAgainstClaim extends Shared {
        @Actor
        public void first(ZZ_Result result) {
            result.r1 = job.claimFor(thief);
        }

        @Actor
        public void second(ZZ_Result result) {
            result.r2 = job.claimFor(parent);
        }
    }

    /** C1 and Q1 <> Q2: a parent that fails ends its fork, or the thief learns of it. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "never ran, or is told")
    @Outcome(expect = FORBIDDEN, desc = "runs and is not told, or neither")
    @State
    public static class ClaimAgainstCancel extends Shared {
        @Actor
        public void parent(II_Result result) {
            result.r1 = job.cancelUnclaimed() ? 1 : 0;
            if (result.r1 == 0) {
                job.requestCancel();
            }
        }

        @Actor
        public void thief() {
            if (job.claimFor(thief)) {
                effect = job.whyCancelled() != null ? 1 : 2;
            }
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r2 = effect == 0 ? 0 : effect == 1 || thief.list().isAlarmed() ? 1 : -1;
        }
    }

    /** E1 -> E2: who sees the end sees the result and what the fork did. */
    @JCStressTest
    @Outcome(
            id = {"-1, -1", "42, 43"},
            expect = ACCEPTABLE,
            desc = "not ended, or with everything")
    @Outcome(expect = FORBIDDEN, desc = "ended without its result or effects")
    @State
    public static class EndIsVisible extends Shared {
        public EndIsVisible() {
            input = 42;
        }

        @Actor
        public void thief() {
            steal();
        }

        @Actor
        public void parent(II_Result result) {
            boolean ended = job.ended();
            result.r1 = ended ? (int) job.takeResult() : -1;
            result.r2 = ended ? effect : -1;
        }
    }

    /** Promotion: who takes a fork from the deque sees what its parent did before it forked. */
    @JCStressTest
    @Outcome(
            id = {"-1", "42"},
            expect = ACCEPTABLE,
            desc = "not there, or with everything")
    @Outcome(expect = FORBIDDEN, desc = "without what was done before the fork")
    @State
    public static class PromotionIsVisible extends Shared {
        private final WorkDeque deque = WorkDeque.create(false);

        @Actor
        public void parent() {
            input = 42;
            deque.push(job);
        }

        @Actor
        public void thief(I_Result result) {
            Object found = deque.steal();
            result.r1 = found instanceof ForkJob mine && mine.claimFor(thief) ? (int) mine.callBody() : -1;
        }
    }

    /** V1 <> V2: the parent is woken, or sees the end; a lost wake-up hangs the test. */
    @JCStressTest
    @Outcome(id = "42", expect = ACCEPTABLE, desc = "joined")
    @Outcome(expect = FORBIDDEN, desc = "joined without the result")
    @State
    public static class JoinAgainstEnd extends Shared {
        public JoinAgainstEnd() {
            input = 42;
        }

        @Actor
        public void thief() {
            steal();
        }

        @Actor
        public void parent(I_Result result) {
            if (job.claimBack()) {
                result.r1 = 42;
                return;
            }
            try {
                job.awaitEnd(0, false, () -> false);
            } catch (InterruptedException impossible) {
                throw new AssertionError(impossible);
            }
            result.r1 = (int) job.takeResult();
        }
    }

    /** S1 <> S2: who begins a part of a tree that is cancelled knows it, or the canceller tells all threads. */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "the part runs, and nobody tells it")
    @Outcome(expect = ACCEPTABLE, desc = "known, or told, or both")
    @State
    public static class ShareAgainstCancel extends Shared {
        private final ForkMark mark = parent.list().begin(null);
        private final ForkJob part = new ForkJob(parent, node, mark, null);

        @Actor
        public void sharerAndThief(ZZ_Result result) {
            parent.beginSharing();
            result.r1 = part.whyCancelled() != null;
        }

        @Actor
        public void canceller(ZZ_Result result) {
            mark.cancel("cancelled");
            result.r2 = parent.isSharing();
        }
    }

    /** H1 <> H2: a parent that parks sees the part that was shared, or who shares it sees the parent. */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "the parent sleeps beside work")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or seen, or both")
    @State
    public static class ShareAgainstPark extends Shared {
        private final WorkDeque deque = WorkDeque.create(false);
        private final Thread parked = Thread.currentThread();

        @Actor
        public void thief(ZZ_Result result) {
            deque.push(new ForkJob(thief, node, thief.list().begin(job), null));
            VarHandle.fullFence();
            result.r1 = job.takeHungry() != null;
        }

        @Actor
        public void parent(ZZ_Result result) {
            job.setHungry(parked);
            VarHandle.fullFence();
            result.r2 = deque.peek(0) instanceof ForkJob part && part.descendsFrom(job);
        }
    }

    /** A1 <> A2: a thread that silences an alarm sees the message, or the alarm is on again. */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "the message is lost")
    @Outcome(expect = ACCEPTABLE, desc = "seen now, or at the next fork")
    @State
    public static class AlarmAgainstSilence extends Shared {
        private volatile boolean message;

        @Actor
        public void sender() {
            message = true;
            parent.alarm();
        }

        @Actor
        public void thread(ZZ_Result result) {
            parent.list().silence();
            result.r1 = message;
        }

        @Arbiter
        public void arbiter(ZZ_Result result) {
            result.r2 = parent.list().isAlarmed();
        }
    }
}
