// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.injector;

import io.corelane.ModelCheck;
import io.corelane.internal.deque.WorkDeque;
import java.util.ArrayDeque;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ParameterGenerator;
import org.jetbrains.lincheck.datastructures.RandomProvider;
import org.junit.jupiter.api.Test;

/**
 * Producers, consumers and whoever closes: the results are those of a plain {@link ArrayDeque} with a closed flag in some
 * order of the calls, in orders of their steps that Lincheck tries one by one. So an offer is either rejected or its job
 * comes out, once and in its turn, whatever the close met. The shard starts two jobs before the end of a chunk, with a
 * used chunk to be linked again.
 *
 * <p>A shard does not promise to hand out what is there: {@code take} may return null while another consumer has the
 * lock, or while an earlier producer has claimed a slot and not filled it. It does promise that {@code isEmpty} says
 * "no" then; so a take tries again until there is a job or the shard says that it is empty.
 *
 * <p>What Lincheck cannot see: it runs one step after another on one memory, so an access that is weaker than it has to
 * be, or a missing fence, changes nothing here; {@code InjectorShardJcstress} is for that. The number of orders is
 * limited; most have two or three switches of threads.
 */
class InjectorLincheckTest {
    @Test
    void severalConsumersTakeEachJobOnceAndInOrder() {
        ModelCheck check = ModelCheck.of(SeveralConsumers.class, Model.class);
        check.run(350, "offer1 offer2", "take take", "take", "take", "offer3");
        check.run(350, "offer1", "take take", "offer2", "take", "isEmpty");
        check.draw(6, 150, 3, 2);
    }

    @Test
    void oneConsumerTakesAndMovesBatchesInOrder() {
        ModelCheck check = ModelCheck.of(BatchConsumer.class, Model.class);
        check.run(350, "", "take take take", "offer1 offer2", "offer3 offer4", "take move");
        check.draw(6, 150, 3, 2);
    }

    @Test
    void anOfferIsRejectedOrItsJobIsFoundAfterTheClose() {
        ModelCheck check = ModelCheck.of(BatchConsumer.class, Model.class);
        check.run(350, "", "offer9 take take take", "offer1 offer2", "offer3", "close");
        check.run(350, "offer1", "offer9 take take take", "offer2", "offer3", "close take");
    }

    /** A shard as it is after 2046 jobs: producers and consumer are in the second chunk, the first waits to be used again. */
    private static InjectorShard usedShard(WorkDeque own) {
        InjectorShard shard = new InjectorShard();
        int last = InjectorShard.CHUNK - 1;
        shard.producerIndex = 2L * last;
        shard.consumerIndex = last;
        shard.offer(0); // links the second chunk
        shard.take(own, 1);
        shard.producerIndex = 2L * (2 * InjectorShard.CHUNK - 2);
        shard.consumerIndex = 2 * InjectorShard.CHUNK - 2;
        return shard;
    }

    /** Any thread takes. */
    @Param(name = "job", gen = Numbers.class)
    public static class SeveralConsumers {
        private final InjectorShard shard = usedShard(WorkDeque.create(false));

        @Operation(params = "job")
        public boolean offer(int job) {
            return shard.offer(job);
        }

        @Operation
        public Object take() {
            WorkDeque own = WorkDeque.create(false);
            Object job = shard.take(own, 1);
            while (job == null && !shard.isEmpty()) {
                job = shard.take(own, 1);
            }
            return job;
        }

        @Operation
        public boolean isEmpty() {
            return shard.isEmpty();
        }

        @Operation
        public void close() {
            shard.close();
        }
    }

    /** One thread takes, more than it asked for, and keeps the rest for its next calls. */
    @Param(name = "job", gen = Numbers.class)
    public static class BatchConsumer {
        private final WorkDeque own = WorkDeque.create(false);
        private final InjectorShard shard = usedShard(own);

        @Operation(params = "job")
        public boolean offer(int job) {
            return shard.offer(job);
        }

        @Operation(nonParallelGroup = "consumer")
        public Object take() {
            Object job = own.pop();
            while (job == null) {
                job = shard.take(own, 3);
                if (job == null && shard.isEmpty()) {
                    return null;
                }
            }
            return job;
        }

        @Operation(nonParallelGroup = "consumer")
        public Object move() {
            Object job = own.pop();
            while (job == null) {
                if (shard.moveTo(own, 2) == 0 && shard.isEmpty()) {
                    return null;
                }
                job = own.pop();
            }
            return job;
        }

        @Operation(nonParallelGroup = "consumer")
        public boolean isEmpty() {
            return own.isEmpty() && shard.isEmpty();
        }

        @Operation
        public void close() {
            shard.close();
        }
    }

    /** What a shard does when nothing is concurrent. */
    public static class Model {
        private final ArrayDeque<Object> jobs = new ArrayDeque<>();
        private boolean closed;

        @Operation
        public boolean offer(int job) {
            return !closed && jobs.add(job);
        }

        @Operation
        public Object take() {
            return jobs.poll();
        }

        @Operation
        public Object move() {
            return jobs.poll();
        }

        @Operation
        public boolean isEmpty() {
            return jobs.isEmpty();
        }

        @Operation
        public void close() {
            closed = true;
        }
    }

    /** 1, 2, 3 and so on in each scenario, so that no two jobs are the same. */
    public static class Numbers implements ParameterGenerator<Integer> {
        private int last;

        public Numbers(RandomProvider random, String configuration) {}

        @Override
        public Integer generate() {
            return ++last;
        }

        @Override
        public void reset() {
            last = 0;
        }
    }
}
