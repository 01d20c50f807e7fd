// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.injector;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.corelane.internal.deque.WorkDeque;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** The orderings of {@link InjectorShard}, on the shipped class. */
public class InjectorShardJcstress {
    /** A shard whose next offer claims the last slot of a chunk, so that chunks are linked during the test. */
    static InjectorShard nearTheEndOfAChunk() {
        InjectorShard shard = new InjectorShard();
        shard.producerIndex =
                2L * (InjectorShard.CHUNK - 1); // as after as many jobs; offering them would take too long
        shard.consumerIndex = InjectorShard.CHUNK - 1;
        return shard;
    }

    /** P1 -> C1: a consumer that gets a job sees what its producer wrote before. */
    @JCStressTest
    @Outcome(
            id = {"-1", "42"},
            expect = ACCEPTABLE,
            desc = "no job yet, or the job with its payload")
    @Outcome(expect = FORBIDDEN, desc = "a job without its payload")
    @State
    public static class Publish {
        private final InjectorShard shard = new InjectorShard();
        private final WorkDeque own = WorkDeque.create(false);

        @Actor
        public void producer() {
            int[] job = new int[1];
            job[0] = 42;
            shard.offer(job);
        }

        @Actor
        public void consumer(I_Result result) {
            Object job = shard.take(own, 1);
            result.r1 = job == null ? -1 : ((int[]) job)[0];
        }
    }

    /** L1 -> L2: two consumers and two jobs; each job is taken once. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "each taken once")
    @Outcome(expect = FORBIDDEN, desc = "lost or taken twice")
    @State
    public static class LockHandOver {
        private final InjectorShard shard = new InjectorShard();
        private final WorkDeque own1 = WorkDeque.create(false);
        private final WorkDeque own2 = WorkDeque.create(false);
        private Object taken1;
        private Object taken2;

        public LockHandOver() {
            shard.offer("a");
            shard.offer("b");
        }

        @Actor
        public void consumer1() {
            taken1 = shard.take(own1, 1);
        }

        @Actor
        public void consumer2() {
            taken2 = shard.take(own2, 1);
        }

        @Arbiter
        public void arbiter(II_Result result) {
            Object left1 = shard.take(own1, 1);
            Object left2 = shard.take(own1, 1);
            for (Object taken : new Object[] {taken1, taken2, left1, left2}) {
                result.r1 += taken == "a" ? 1 : 0;
                result.r2 += taken == "b" ? 1 : 0;
            }
        }
    }

    /** I2 and X1 -> X2: two producers where one links the next chunk; no job is lost. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "each taken once")
    @Outcome(expect = FORBIDDEN, desc = "lost or taken twice")
    @State
    public static class LinkAgainstOffer {
        private final InjectorShard shard = nearTheEndOfAChunk();
        private final WorkDeque own = WorkDeque.create(false);

        @Actor
        public void producer1() {
            shard.offer("a");
        }

        @Actor
        public void producer2() {
            shard.offer("b");
        }

        @Arbiter
        public void arbiter(II_Result result) {
            for (int i = 0; i < 3; i++) {
                Object taken = shard.take(own, 1);
                result.r1 += taken == "a" ? 1 : 0;
                result.r2 += taken == "b" ? 1 : 0;
            }
        }
    }

    /** Accepting and closing are one decision: an accepted job is there, a rejected one is not. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "1, 1"},
            expect = ACCEPTABLE,
            desc = "rejected, or accepted and there")
    @Outcome(expect = FORBIDDEN, desc = "accepted and gone, or rejected and there")
    @State
    public static class OfferAgainstClose {
        private final InjectorShard shard = new InjectorShard();
        private final WorkDeque own = WorkDeque.create(false);

        @Actor
        public void producer(II_Result result) {
            result.r1 = shard.offer("job") ? 1 : 0;
        }

        @Actor
        public void closer() {
            shard.close();
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r2 = shard.take(own, 1) == null ? 0 : 1;
        }
    }

    /** P1 -> C1 and N1: a batch has the jobs that were stored, and not the slots that were only claimed. */
    @JCStressTest
    @Outcome(id = "4, 0", expect = ACCEPTABLE, desc = "each taken once, in order")
    @Outcome(expect = FORBIDDEN, desc = "lost, taken twice, out of order or an empty slot")
    @State
    public static class MoveAgainstOffer {
        private final InjectorShard shard = new InjectorShard();
        private final WorkDeque own = WorkDeque.create(false);
        private int inOrder;
        private int strange;

        @Actor
        public void producer() {
            for (int i = 0; i < 4; i++) {
                shard.offer(i);
            }
        }

        @Actor
        public void consumer() {
            shard.moveTo(own, 3);
            shard.moveTo(own, 3);
            shard.moveTo(own, 3);
        }

        @Arbiter
        public void arbiter(II_Result result) {
            while (shard.moveTo(own, 4) > 0) {
                Thread.onSpinWait();
            }
            while (!own.isEmpty()) {
                Object job = own.pop();
                if (job instanceof Integer number && number == inOrder) {
                    inOrder++;
                } else {
                    strange++;
                }
            }
            result.r1 = inOrder;
            result.r2 = strange;
        }
    }

    /** X1 -> X2 and I3: a consumer crosses from chunk to chunk while they are linked, and gives them back for reuse. */
    @JCStressTest
    @Outcome(id = "3, 0", expect = ACCEPTABLE, desc = "each taken once, in order")
    @Outcome(expect = FORBIDDEN, desc = "lost, taken twice or out of order")
    @State
    public static class TakeAgainstLink {
        private final InjectorShard shard = nearTheEndOfAChunk();
        private final WorkDeque own = WorkDeque.create(false);
        private int inOrder;
        private int strange;

        @Actor
        public void producer() {
            for (int i = 0; i < 3; i++) {
                shard.offer(i);
            }
        }

        @Actor
        public void consumer() {
            for (int i = 0; i < 6; i++) {
                note(shard.take(own, 1));
            }
        }

        private void note(Object job) {
            if (job instanceof Integer number && number == inOrder) {
                inOrder++;
            } else if (job != null) {
                strange++;
            }
        }

        @Arbiter
        public void arbiter(II_Result result) {
            for (int i = 0; i < 3; i++) {
                note(shard.take(own, 1));
            }
            result.r1 = inOrder;
            result.r2 = strange;
        }
    }

    /** I3 and I5: the producer links the chunk that the consumer has just given back. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "both taken once")
    @Outcome(expect = FORBIDDEN, desc = "lost or taken twice")
    @State
    public static class ReuseAgainstGivingBack {
        private final InjectorShard shard = nearTheEndOfAChunk();
        private final WorkDeque own = WorkDeque.create(false);
        private Object taken;

        public ReuseAgainstGivingBack() {
            shard.offer("a"); // into the last slot of the first chunk
            shard.producerIndex += 2L * (InjectorShard.CHUNK - 1); // the next offer fills the last slot of the second
        }

        @Actor
        public void producer() {
            shard.offer("b");
        }

        @Actor
        public void consumer() {
            taken = shard.take(own, 1); // "a", and gives the first chunk back
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = taken == "a" ? 1 : 0;
            shard.offer("c");
            shard.consumerIndex += InjectorShard.CHUNK - 1;
            Object second = shard.take(own, 1);
            Object third = shard.take(own, 1);
            result.r2 = second == "b" && third == "c" && shard.isEmpty() ? 1 : 0;
        }
    }

    /** L1 -> L2: consumers that hand the shard over several times, with a batch each. */
    @JCStressTest
    @Outcome(id = "8, 0", expect = ACCEPTABLE, desc = "each taken once")
    @Outcome(expect = FORBIDDEN, desc = "lost or taken twice")
    @State
    public static class LockHandOverOfBatches {
        private static final int JOBS = 8;
        private final InjectorShard shard = new InjectorShard();
        private final WorkDeque own1 = WorkDeque.create(false);
        private final WorkDeque own2 = WorkDeque.create(false);

        public LockHandOverOfBatches() {
            for (int i = 0; i < JOBS; i++) {
                shard.offer(i);
            }
        }

        @Actor
        public void consumer1() {
            moveTwice(own1);
        }

        @Actor
        public void consumer2() {
            moveTwice(own2);
        }

        private void moveTwice(WorkDeque own) {
            shard.moveTo(own, 2);
            shard.moveTo(own, 2);
        }

        @Arbiter
        public void arbiter(II_Result result) {
            shard.moveTo(own1, JOBS);
            int[] taken = new int[JOBS];
            for (WorkDeque queue : new WorkDeque[] {own1, own2}) {
                while (!queue.isEmpty()) {
                    if (queue.pop() instanceof Integer number) {
                        taken[number]++;
                    } else {
                        result.r2++;
                    }
                }
            }
            for (int times : taken) {
                result.r1 += times == 1 ? 1 : 0;
            }
        }
    }
}
