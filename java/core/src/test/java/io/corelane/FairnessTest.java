// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import io.corelane.affinity.Pinning;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nobody waits for ever behind others, however busy they keep the workers. */
@Timeout(120)
class FairnessTest {
    private static PinnedScheduler.Builder unpinned(int workers) {
        return PinnedScheduler.builder().workers(workers).pinning(Pinning.OFF);
    }

    /** Runs another job and waits for its turn again, until told to stop. */
    private static final class Resubmitting implements Runnable {
        private final PinnedScheduler scheduler;
        private final AtomicBoolean stop;
        private final AtomicInteger running;
        Runnable next = this;

        Resubmitting(PinnedScheduler scheduler, AtomicBoolean stop, AtomicInteger running) {
            this.scheduler = scheduler;
            this.stop = stop;
            this.running = running;
        }

        @Override
        public void run() {
            if (stop.get()) {
                running.decrementAndGet();
            } else {
                scheduler.execute(next);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, FIFO, 0", "1, LIFO, 0", "2, FIFO, 0", "2, LIFO, 0", "1, FIFO, 10", "2, LIFO, 10"})
    void jobsThatKeepResubmittingEachOtherStarveNeitherOutsideNorOldLocalJobs(
            int workers, LocalOrder order, int injectorCapacity) {
        PinnedScheduler.Builder builder = unpinned(workers).localOrder(order);
        if (injectorCapacity > 0) {
            builder.injectorCapacity(injectorCapacity);
        }
        try (PinnedScheduler scheduler = builder.build()) {
            AtomicBoolean stop = new AtomicBoolean();
            AtomicInteger running = new AtomicInteger(2 * workers);
            AtomicInteger old = new AtomicInteger();
            for (int i = 0; i < workers; i++) {
                Resubmitting ping = new Resubmitting(scheduler, stop, running);
                Resubmitting pong = new Resubmitting(scheduler, stop, running);
                ping.next = pong;
                pong.next = ping;
                scheduler
                        .submit(
                                () -> { // from a worker: all three go to its deque
                                    scheduler.execute(old::incrementAndGet);
                                    scheduler.execute(ping);
                                    scheduler.execute(pong);
                                })
                        .join();
            }
            Stress.await(() -> old.get() == workers, () -> "old local jobs run: " + old + ", " + scheduler.stats());
            for (int i = 0; i < 100; i++) {
                AtomicBoolean ran = new AtomicBoolean();
                scheduler.execute(() -> ran.set(true));
                int number = i;
                Stress.await(ran::get, () -> "outside job " + number + " waits: " + scheduler.stats());
            }
            stop.set(true);
            Stress.await(() -> running.get() == 0, scheduler::toString);
        }
    }

    /**
     * One worker is held up, and one submitter floods the other: those whose jobs land elsewhere in the injector still
     * have their turn. Which shard a thread uses follows from its id, so there are rounds with new threads.
     */
    @Test
    void aFloodingSubmitterDoesNotStarveThoseOfOtherShards() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch started = new CountDownLatch(1);
        try (PinnedScheduler scheduler = unpinned(2).build()) {
            JobHandle<?> holder = scheduler.submit(() -> {
                started.countDown();
                Stress.await(() -> held.getCount() == 0, () -> "held");
            });
            started.await();
            for (int round = 0; round < 8; round++) {
                submitBesideAFlood(scheduler);
            }
            held.countDown();
            holder.join();
        }
    }

    private static void submitBesideAFlood(PinnedScheduler scheduler) throws InterruptedException {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger ran = new AtomicInteger();
        Stress.Threads flooder = new Stress.Threads();
        flooder.start("flooder", () -> {
            while (!stop.get()) {
                if (underWay.get() < 100_000) {
                    underWay.incrementAndGet();
                    scheduler.execute(() -> flood(underWay));
                }
            }
        });
        try {
            Stress.await(() -> underWay.get() > 50_000, () -> "under way " + underWay);
            Stress.Threads others = new Stress.Threads();
            for (int i = 0; i < 8; i++) {
                others.start("other-" + i, () -> scheduler.execute(ran::incrementAndGet));
            }
            others.join(scheduler::toString);
            Stress.await(() -> ran.get() == 8, () -> ran + " of 8 run: " + scheduler.stats());
        } finally {
            stop.set(true);
        }
        flooder.join(scheduler::toString);
        Stress.await(() -> underWay.get() == 0, scheduler::toString);
    }

    /** A job that takes longer than its submission, so that there is a backlog. */
    private static void flood(AtomicInteger underWay) {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < 3000) { // some CPUs make a spin wait of 1 ns, others one of 40 ns
            Thread.onSpinWait();
        }
        underWay.decrementAndGet();
    }
}
