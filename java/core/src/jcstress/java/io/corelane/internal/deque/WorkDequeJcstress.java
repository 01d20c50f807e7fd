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
            Object job = deque.steal();
            result.r1 = job == null ? -1 : job instanceof Job taken ? taken.payload : -2;
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
}
