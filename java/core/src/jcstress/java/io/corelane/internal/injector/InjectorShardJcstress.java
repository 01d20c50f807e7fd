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
        WorkDeque sink = WorkDeque.create(false);
        for (int i = 0; i < InjectorShard.CHUNK - 1; i++) {
            shard.offer("filler");
        }
        while (shard.moveTo(sink, 64) > 0) {
            sink.drain(job -> {});
        }
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
}
