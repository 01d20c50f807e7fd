// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.deque;

import io.corelane.ModelCheck;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * One owner and two thieves: the results are those of a plain {@link ArrayDeque} in some order of the calls, in orders
 * of their steps that Lincheck tries one by one. Rings start with two slots and indices just below the wrap, so that
 * nearly every scenario grows the ring and wraps. A thief that lost a race tries again within its call.
 *
 * <p>A batch steal takes exactly half in FIFO order. In LIFO order it is one claim per job, others may come in between,
 * and the promise is only that each job comes out once.
 *
 * <p>What Lincheck cannot see: it runs one step after another on one memory, so an access that is weaker than it has to
 * be, or a missing fence, changes nothing here; {@code WorkDequeJcstress} is for that. The number of orders is limited;
 * most have two or three switches of threads.
 */
class WorkDequeLincheckTest {
    private static final long FIRST_INDEX = Long.MAX_VALUE - 1;
    private static final int MAX = 8;
    private static final String GROW_AND_EMPTY = "pushTwo push pop pop pop";

    @Test
    void aFifoDequeIsLinearizable() {
        ModelCheck check = ModelCheck.of(Fifo.class, FifoModel.class);
        check.run(350, "pushTwo push", "pop pop", "pushTwo pushTwo", "stealBatch"); // the ring grows under a batch
        check.run(350, GROW_AND_EMPTY, "pop pop", "trim push", "steal"); // the ring is replaced under a thief
        check.run(350, "push push", "pop pop", "pushTwo pop", "stealBatch"); // half of what there is at one time
        check.run(350, "push push", "pop pop", "pop push", "steal", "stealBatch");
        check.draw(6, 150, 3, 2);
    }

    @Test
    void aLifoDequeIsLinearizable() {
        ModelCheck check = ModelCheck.of(Lifo.class, LifoModel.class);
        check.run(350, "push", "pop pop", "pop push pop", "steal", "steal"); // all want the last job
        check.run(350, GROW_AND_EMPTY, "pop pop", "trim push", "steal");
        check.run(350, "push push", "pop pop", "pop pushTwo", "steal", "steal");
        check.draw(6, 150, 3, 2);
    }

    @Test
    void aLifoDequeGivesEachJobOutOnceWithBatches() {
        ModelCheck check = ModelCheck.of(LifoWithBatches.class, NoResults.class);
        check.run(350, "push push push", "", "pop pop pop", "stealBatch"); // the owner pops into the batch
        check.run(350, "push push", "", "pop pushTwo pop", "stealBatch", "stealBatch");
        check.draw(6, 150, 3, 2);
    }

    private static Object stealFrom(WorkDeque victim) {
        Object job = victim.steal();
        while (job == WorkDeque.RETRY) {
            job = victim.steal();
        }
        return job;
    }

    /** Returns the jobs of the batch in order, as a number with two digits for each; lists would take much longer. */
    private static long stealBatchFrom(WorkDeque victim) {
        WorkDeque own = new FifoWorkDeque(FIRST_INDEX, 4);
        Object job = victim.stealBatch(own, MAX);
        while (job == WorkDeque.RETRY) {
            job = victim.stealBatch(own, MAX);
        }
        long jobs = 0;
        while (job != null) {
            jobs = 100 * jobs + (Integer) job;
            job = own.pop();
        }
        return jobs;
    }

    /** What the owner does in both orders. Jobs are numbers, and no two are the same. */
    public abstract static class Owner {
        final WorkDeque deque;
        int pushed;

        Owner(WorkDeque deque) {
            this.deque = deque;
        }

        @Operation(nonParallelGroup = "owner")
        public void push() {
            deque.push(++pushed);
        }

        @Operation(nonParallelGroup = "owner")
        public void pushTwo() {
            deque.reserve(2);
            deque.pushAll(new Object[] {++pushed, ++pushed}, 0, 2);
        }

        @Operation(nonParallelGroup = "owner")
        public void trim() {
            deque.trim();
        }
    }

    /** All calls return what they took. */
    public static class Fifo extends Owner {
        public Fifo() {
            super(new FifoWorkDeque(FIRST_INDEX, 2));
        }

        @Operation(nonParallelGroup = "owner")
        public Object pop() {
            return deque.pop();
        }

        @Operation
        public Object steal() {
            return stealFrom(deque);
        }

        @Operation
        public long stealBatch() {
            return stealBatchFrom(deque);
        }
    }

    /** All calls return what they took. */
    public static class Lifo extends Owner {
        public Lifo() {
            super(new LifoWorkDeque(FIRST_INDEX, 2));
        }

        @Operation(nonParallelGroup = "owner")
        public Object pop() {
            return deque.pop();
        }

        @Operation
        public Object steal() {
            return stealFrom(deque);
        }
    }

    /** The calls count what they took, four bits for each job. */
    public static class LifoWithBatches extends Owner {
        private final AtomicLong taken = new AtomicLong();

        public LifoWithBatches() {
            super(new LifoWorkDeque(FIRST_INDEX, 2));
        }

        @Operation(nonParallelGroup = "owner")
        public void pop() {
            take(deque.pop());
        }

        @Operation
        public void steal() {
            take(stealFrom(deque));
        }

        @Operation
        public void stealBatch() {
            for (long jobs = stealBatchFrom(deque); jobs != 0; jobs /= 100) {
                take((int) (jobs % 100));
            }
        }

        private void take(Object job) {
            if (job != null) {
                taken.addAndGet(1L << (4 * (Integer) job));
            }
        }

        @Validate
        public void eachJobIsTakenOnce() {
            for (Object job = stealFrom(deque); job != null; job = stealFrom(deque)) {
                take(job);
            }
            for (int job = 1; job <= pushed; job++) {
                long times = (taken.get() >>> (4 * job)) & 15;
                if (times != 1) {
                    throw new AssertionError("job " + job + " of " + pushed + " was taken " + times + " times");
                }
            }
        }
    }

    /** What a FIFO deque does when nothing is concurrent. */
    public static class FifoModel {
        private final ArrayDeque<Integer> jobs = new ArrayDeque<>();
        private int pushed;

        @Operation
        public void push() {
            jobs.addLast(++pushed);
        }

        @Operation
        public void pushTwo() {
            push();
            push();
        }

        @Operation
        public void trim() {}

        @Operation
        public Object pop() {
            return jobs.pollFirst();
        }

        @Operation
        public Object steal() {
            return jobs.pollFirst();
        }

        @Operation
        public long stealBatch() {
            int half = Math.min(MAX, (jobs.size() + 1) / 2);
            long batch = 0;
            for (int i = 0; i < half; i++) {
                batch = 100 * batch + jobs.remove();
            }
            return batch;
        }
    }

    /** What a LIFO deque does when nothing is concurrent. */
    public static class LifoModel {
        private final ArrayDeque<Integer> jobs = new ArrayDeque<>();
        private int pushed;

        @Operation
        public void push() {
            jobs.addLast(++pushed);
        }

        @Operation
        public void pushTwo() {
            pushed += 2;
            jobs.addLast(pushed);
            jobs.addLast(pushed - 1); // the first of the two is popped first
        }

        @Operation
        public void trim() {}

        @Operation
        public Object pop() {
            return jobs.pollLast();
        }

        @Operation
        public Object steal() {
            return jobs.pollFirst();
        }
    }

    /** The operations return nothing, so nothing is to be checked of their results. */
    public static class NoResults {
        @Operation
        public void push() {}

        @Operation
        public void pushTwo() {}

        @Operation
        public void trim() {}

        @Operation
        public void pop() {}

        @Operation
        public void steal() {}

        @Operation
        public void stealBatch() {}
    }
}
