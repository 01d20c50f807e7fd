// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.deque;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** The orderings of {@link WorkDeque}, on the shipped classes. Results count how often a job was taken. */
public class WorkDequeJcstress {
    /** A job that remembers how often it was taken and what its submitter wrote before. */
    static final class Job {
        int payload;

        Job(int payload) {
            this.payload = payload;
        }
    }

    static int count(Object taken, Object job) {
        return taken == job ? 1 : 0;
    }

    /** C1 with F1 <> F2: one job, its owner and a thief. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "taken once")
    @Outcome(expect = FORBIDDEN, desc = "lost or taken twice")
    @State
    public static class LastJobLifo {
        private final WorkDeque deque = new LifoWorkDeque(0, 2);
        private final Job job = new Job(0);
        private Object popped;
        private Object stolen;

        public LastJobLifo() {
            deque.push(job);
        }

        @Actor
        public void owner() {
            popped = deque.pop();
        }

        @Actor
        public void thief() {
            stolen = deque.steal();
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = count(popped, job) + count(stolen, job) + count(deque.pop(), job);
        }
    }

    /** F1 <> F2: two jobs, the owner pops once while a thief steals twice; no CAS protects the owner's pop. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "each taken once")
    @Outcome(expect = FORBIDDEN, desc = "lost or taken twice")
    @State
    public static class OwnerAgainstTwoStealsLifo {
        private final WorkDeque deque = new LifoWorkDeque(0, 2);
        private final Job first = new Job(0);
        private final Job second = new Job(1);
        private Object popped;
        private Object stolen1;
        private Object stolen2;

        public OwnerAgainstTwoStealsLifo() {
            deque.push(first);
            deque.push(second);
        }

        @Actor
        public void owner() {
            popped = deque.pop();
        }

        @Actor
        public void thief() {
            stolen1 = deque.steal();
            stolen2 = deque.steal();
        }

        @Arbiter
        public void arbiter(II_Result result) {
            Object left1 = deque.pop();
            Object left2 = deque.pop();
            result.r1 = count(popped, first)
                    + count(stolen1, first)
                    + count(stolen2, first)
                    + count(left1, first)
                    + count(left2, first);
            result.r2 = count(popped, second)
                    + count(stolen1, second)
                    + count(stolen2, second)
                    + count(left1, second)
                    + count(left2, second);
        }
    }

    /** C1: a batch steal against a pop, both at the top. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "each taken once")
    @Outcome(expect = FORBIDDEN, desc = "lost or taken twice")
    @State
    public static class BatchAgainstPopFifo {
        private final WorkDeque deque = new FifoWorkDeque(0, 4);
        private final WorkDeque thieves = new FifoWorkDeque(0, 4);
        private final Job first = new Job(0);
        private final Job second = new Job(1);
        private Object popped;
        private Object stolen;

        public BatchAgainstPopFifo() {
            deque.push(first);
            deque.push(second);
            deque.push(new Job(2));
        }

        @Actor
        public void owner() {
            popped = deque.pop();
        }

        @Actor
        public void thief() {
            stolen = deque.stealBatch(thieves, 2);
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = count(popped, first) + count(stolen, first);
            result.r2 = count(popped, second) + count(stolen, second);
            for (WorkDeque queue : new WorkDeque[] {deque, thieves}) {
                for (Object job = queue.pop(); job != null; job = queue.pop()) {
                    result.r1 += count(job, first);
                    result.r2 += count(job, second);
                }
            }
        }
    }

    /** I4 and R1: a batch steal while the owner grows the ring and wraps over slots. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "each taken once")
    @Outcome(expect = FORBIDDEN, desc = "lost or taken twice")
    @State
    public static class BatchWhileGrowingFifo {
        private final WorkDeque deque = new FifoWorkDeque(0, 2);
        private final WorkDeque thieves = new FifoWorkDeque(0, 8);
        private final Job first = new Job(0);
        private final Job last = new Job(5);
        private Object stolen;

        public BatchWhileGrowingFifo() {
            deque.push(first);
            deque.push(new Job(1));
        }

        @Actor
        public void owner() {
            deque.push(new Job(2)); // grows to 4
            deque.push(new Job(3));
            deque.push(new Job(4)); // grows to 8
            deque.push(last);
        }

        @Actor
        public void thief() {
            stolen = deque.stealBatch(thieves, 8);
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = count(stolen, first);
            result.r2 = count(stolen, last);
            for (WorkDeque queue : new WorkDeque[] {deque, thieves}) {
                for (Object job = queue.pop(); job != null; job = queue.pop()) {
                    result.r1 += count(job, first);
                    result.r2 += count(job, last);
                }
            }
        }
    }

    /** W1 -> R1: a thief that gets a job sees what was written before the push. */
    @JCStressTest
    @Outcome(
            id = {"-1", "42"},
            expect = ACCEPTABLE,
            desc = "no job yet, or the job with its payload")
    @Outcome(expect = FORBIDDEN, desc = "an empty slot or a job without its payload")
    @State
    public static class Publish {
        private final WorkDeque deque = new FifoWorkDeque(0, 2);

        @Actor
        public void owner() {
            Job job = new Job(0);
            job.payload = 42;
            deque.push(job);
        }

        @Actor
        public void thief(I_Result result) {
            result.r1 = -1;
            for (int i = 0; i < 4; i++) {
                if (!deque.isEmpty()) { // then there is a job, and no other thief
                    result.r1 = deque.steal() instanceof Job taken ? taken.payload : -2;
                    return;
                }
            }
        }
    }

    /** C1 -> R2: the owner refills a slot only after the thief has read it. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "each taken once")
    @Outcome(expect = FORBIDDEN, desc = "lost or taken twice")
    @State
    public static class RefillLifo {
        private final WorkDeque deque = new LifoWorkDeque(Long.MAX_VALUE, 2);
        private final Job first = new Job(0);
        private final Job third = new Job(2);
        private Object stolen;

        public RefillLifo() {
            deque.push(first);
            deque.push(new Job(1));
        }

        @Actor
        public void owner() {
            deque.push(third); // into the slot of the first, or of a larger ring
        }

        @Actor
        public void thief() {
            stolen = deque.steal();
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = count(stolen, first);
            result.r2 = count(stolen, third);
            for (Object job = deque.pop(); job != null; job = deque.pop()) {
                result.r1 += count(job, first);
                result.r2 += count(job, third);
            }
        }
    }

    /** The ring is published before bottom is read: the owner replaces the ring of an empty deque and pushes into it. */
    @JCStressTest
    @Outcome(id = "8, 0", expect = ACCEPTABLE, desc = "each taken once")
    @Outcome(expect = FORBIDDEN, desc = "lost, taken twice, or an empty slot of an old ring")
    @State
    public static class StealFromNewRingFifo extends NewRing {
        public StealFromNewRingFifo() {
            super(new FifoWorkDeque(0, 1));
        }

        @Actor
        public void owner() {
            growAndTrim();
        }

        @Actor
        public void thief() {
            steal(false);
        }

        @Arbiter
        public void arbiter(II_Result result) {
            judge(result);
        }
    }

    /** The same with batches, whose reading of bottom decides how many slots are read. */
    @JCStressTest
    @Outcome(id = "8, 0", expect = ACCEPTABLE, desc = "each taken once")
    @Outcome(expect = FORBIDDEN, desc = "lost, taken twice, or an empty slot of an old ring")
    @State
    public static class BatchFromNewRingFifo extends NewRing {
        public BatchFromNewRingFifo() {
            super(new FifoWorkDeque(0, 1));
        }

        @Actor
        public void owner() {
            growAndTrim();
        }

        @Actor
        public void thief() {
            steal(true);
        }

        @Arbiter
        public void arbiter(II_Result result) {
            judge(result);
        }
    }

    /** The same in LIFO order. */
    @JCStressTest
    @Outcome(id = "8, 0", expect = ACCEPTABLE, desc = "each taken once")
    @Outcome(expect = FORBIDDEN, desc = "lost, taken twice, or an empty slot of an old ring")
    @State
    public static class StealFromNewRingLifo extends NewRing {
        public StealFromNewRingLifo() {
            super(new LifoWorkDeque(0, 1));
        }

        @Actor
        public void owner() {
            growAndTrim();
        }

        @Actor
        public void thief() {
            steal(false);
        }

        @Arbiter
        public void arbiter(II_Result result) {
            judge(result);
        }
    }

    /** Several new rings a round, because a thief is seldom just between its two reads when one comes. */
    abstract static class NewRing {
        private static final int JOBS = 8;
        private final WorkDeque deque;
        private final WorkDeque thieves = new FifoWorkDeque(0, JOBS);
        private final int[] taken = new int[JOBS];
        private int strange;

        NewRing(WorkDeque deque) {
            this.deque = deque;
        }

        final void growAndTrim() {
            for (int i = 0; i < JOBS; i++) {
                deque.reserve(2 << (i & 1)); // a new ring, also if the deque is empty
                deque.push(i);
                deque.trim();
            }
        }

        final void steal(boolean batch) {
            for (int i = 0; i < 3 * JOBS; i++) {
                Object job = batch ? deque.stealBatch(thieves, 4) : deque.steal();
                if (job instanceof Integer number) {
                    taken[number]++;
                }
            }
        }

        final void judge(II_Result result) {
            for (WorkDeque queue : new WorkDeque[] {deque, thieves}) {
                while (!queue.isEmpty()) {
                    if (queue.pop() instanceof Integer number) {
                        taken[number]++;
                    } else {
                        strange++;
                    }
                }
            }
            for (int times : taken) {
                result.r1 += times == 1 ? 1 : 0;
            }
            result.r2 = strange;
        }
    }

    /** C1 -> R2: a full ring of two; each push refills the slot of the job that was stolen last. */
    @JCStressTest
    @Outcome(id = "8, 8", expect = ACCEPTABLE, desc = "each taken once, in order")
    @Outcome(expect = FORBIDDEN, desc = "lost, taken twice or out of order")
    @State
    public static class RefillFifo {
        private static final int JOBS = 8;
        private final WorkDeque deque = new FifoWorkDeque(-4, 2);
        private int next;
        private int inOrder;

        @Actor
        public void owner() {
            for (int i = 0; i < JOBS; i++) {
                for (int wait = 0; deque.size() == 2 && wait < 50; wait++) {
                    Thread.onSpinWait(); // rather than grow
                }
                deque.push(i);
            }
        }

        @Actor
        public void thief() {
            for (int i = 0; i < 4 * JOBS; i++) {
                take(deque.steal());
            }
        }

        private void take(Object job) {
            if (job instanceof Integer number) {
                inOrder += number == next ? 1 : 0;
                next++;
            }
        }

        @Arbiter
        public void arbiter(II_Result result) {
            while (!deque.isEmpty()) {
                take(deque.pop());
            }
            result.r1 = next;
            result.r2 = inOrder;
        }
    }

    /** F1 <> F2 and C1 over several rounds: the owner pushes two and pops two while a thief steals. */
    @JCStressTest
    @Outcome(id = "16, 16", expect = ACCEPTABLE, desc = "each taken once")
    @Outcome(expect = FORBIDDEN, desc = "lost or taken twice")
    @State
    public static class OwnerAgainstThiefLifo {
        private static final int ROUNDS = 8;
        private final WorkDeque deque = new LifoWorkDeque(0, 4);
        private final int[] byOwner = new int[2 * ROUNDS];
        private final int[] byThief = new int[2 * ROUNDS];

        @Actor
        public void owner() {
            for (int i = 0; i < 2 * ROUNDS; i += 2) {
                deque.push(i);
                deque.push(i + 1);
                note(byOwner, deque.pop());
                note(byOwner, deque.pop());
            }
        }

        @Actor
        public void thief() {
            for (int i = 0; i < 4 * ROUNDS; i++) {
                note(byThief, deque.steal());
            }
        }

        private static void note(int[] taken, Object job) {
            if (job instanceof Integer number) {
                taken[number]++;
            }
        }

        @Arbiter
        public void arbiter(II_Result result) {
            while (!deque.isEmpty()) {
                note(byOwner, deque.pop());
            }
            for (int i = 0; i < 2 * ROUNDS; i++) {
                result.r1 += byOwner[i] + byThief[i];
                result.r2 += byOwner[i] + byThief[i] == 1 ? 1 : 0;
            }
        }
    }

    /** F1 <> F2: a batch steal takes one job at a time, since the owner pops without a CAS. */
    @JCStressTest
    @Outcome(id = "4", expect = ACCEPTABLE, desc = "each taken once")
    @Outcome(expect = FORBIDDEN, desc = "lost or taken twice")
    @State
    public static class BatchAgainstPopLifo {
        private static final int JOBS = 4;
        private final WorkDeque deque = new LifoWorkDeque(0, JOBS);
        private final WorkDeque thieves = new LifoWorkDeque(0, JOBS);
        private final int[] byOwner = new int[JOBS];
        private final int[] byThief = new int[JOBS];

        public BatchAgainstPopLifo() {
            for (int i = 0; i < JOBS; i++) {
                deque.push(i);
            }
        }

        @Actor
        public void owner() {
            for (int i = 0; i < JOBS - 1; i++) {
                note(byOwner, deque.pop());
            }
        }

        @Actor
        public void thief() {
            note(byThief, deque.stealBatch(thieves, JOBS));
        }

        private static void note(int[] taken, Object job) {
            if (job instanceof Integer number) {
                taken[number]++;
            }
        }

        @Arbiter
        public void arbiter(I_Result result) {
            for (WorkDeque queue : new WorkDeque[] {deque, thieves}) {
                while (!queue.isEmpty()) {
                    note(byOwner, queue.pop());
                }
            }
            for (int i = 0; i < JOBS; i++) {
                result.r1 += byOwner[i] + byThief[i] == 1 ? 1 : 0;
            }
        }
    }

    /** I4: the owner halves the ring, again and again, while a thief steals. */
    @JCStressTest
    @Outcome(id = "32", expect = ACCEPTABLE, desc = "each taken once")
    @Outcome(expect = FORBIDDEN, desc = "lost or taken twice")
    @State
    public static class StealWhileShrinkingLifo {
        private static final int JOBS = 32;
        private final WorkDeque deque = new LifoWorkDeque(0, 1);
        private final int[] byOwner = new int[JOBS];
        private final int[] byThief = new int[JOBS];

        public StealWhileShrinkingLifo() {
            for (int i = 0; i < JOBS; i++) {
                deque.push(i);
            }
        }

        @Actor
        public void owner() {
            for (int i = 0; i < JOBS; i++) {
                note(byOwner, deque.pop());
            }
        }

        @Actor
        public void thief() {
            for (int i = 0; i < 6; i++) {
                note(byThief, deque.steal());
            }
        }

        private static void note(int[] taken, Object job) {
            if (job instanceof Integer number) {
                taken[number]++;
            }
        }

        @Arbiter
        public void arbiter(I_Result result) {
            for (int i = 0; i < JOBS; i++) {
                result.r1 += byOwner[i] + byThief[i] == 1 ? 1 : 0;
            }
        }
    }
}
