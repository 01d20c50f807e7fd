// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.affinity.Pinning;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code executeAll}, {@code tryExecute} and the bound of the injector. */
@Timeout(120)
class ExecuteManyTest {
    private static PinnedScheduler.Builder one() {
        return PinnedScheduler.builder().workers(1).pinning(Pinning.OFF);
    }

    @Test
    void jobsOfOneCallRunInOrderOnASingleWorker() {
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<Integer> expected = new ArrayList<>();
        try (PinnedScheduler scheduler = one().build()) {
            for (int call = 0; call < 5; call++) {
                List<Runnable> jobs = new ArrayList<>();
                for (int i = 0; i < 700; i++) {
                    int number = expected.size();
                    expected.add(number);
                    jobs.add(() -> order.add(number));
                }
                scheduler.executeAll(jobs);
            }
        }
        assertThat(order).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource
    void aJobMaySubmitManyToItsOwnWorker(LocalOrder localOrder) throws Exception {
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<Runnable> jobs = List.of(() -> order.add(0), () -> order.add(1), () -> order.add(2));
        CountDownLatch end = new CountDownLatch(1);
        try (PinnedScheduler scheduler = one().localOrder(localOrder).build()) {
            scheduler.execute(() -> {
                scheduler.execute(() -> order.add(-1));
                scheduler.executeAll(jobs);
                end.countDown();
            });
            end.await();
            scheduler.shutdown();
            assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            assertThat(order)
                    .containsExactly(
                            localOrder == LocalOrder.FIFO ? new Integer[] {-1, 0, 1, 2} : new Integer[] {0, 1, 2, -1});
            assertThat(scheduler.stats().jobsSubmitted())
                    .isEqualTo(5)
                    .isEqualTo(scheduler.stats().jobsRun());
        }
        assertThat(jobs).as("the caller's own collection").doesNotContainNull();
    }

    @Test
    void aNullAmongTheJobsMeansThatNoneIsAccepted() {
        try (PinnedScheduler scheduler = one().build()) {
            AtomicInteger ran = new AtomicInteger();
            assertThatThrownBy(() -> scheduler.executeAll(Arrays.asList(ran::incrementAndGet, null)))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("a job of 2 is null");
            scheduler.executeAll(List.of());
            scheduler.submit(() -> {}).join();
            assertThat(ran.get()).isZero();
        }
    }

    @Test
    void afterShutdownAllAreRejectedAndCounted() {
        PinnedScheduler scheduler = one().name("gone").build();
        scheduler.close();
        List<Runnable> jobs = List.of(() -> {}, () -> {});
        assertThatThrownBy(() -> scheduler.executeAll(jobs))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("2 jobs rejected: scheduler gone has terminated");
        assertThatThrownBy(() -> scheduler.tryExecute(jobs.get(0)))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageEndingWith("rejected: scheduler gone has terminated");
        assertThat(scheduler.stats().jobsRejected()).isEqualTo(3);
    }

    /** One worker that is held up, so that what is accepted stays in the injector. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 100, 3000})
    void aBoundedInjectorHoldsExactlyItsCapacity(int capacity) throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        try (PinnedScheduler scheduler = one().injectorCapacity(capacity).build()) {
            scheduler.execute(() -> {
                started.countDown();
                Latches.uninterruptibly(end);
            });
            started.await();
            try {
                for (int i = 0; i < capacity; i++) {
                    assertThat(scheduler.tryExecute(ran::incrementAndGet))
                            .as("job %d", i)
                            .isTrue();
                }
                assertThat(scheduler.tryExecute(ran::incrementAndGet)).isFalse();
                assertThatThrownBy(() -> scheduler.execute(ran::incrementAndGet))
                        .isInstanceOf(RejectedExecutionException.class)
                        .hasMessageEndingWith("rejected: the injector is full (capacity " + capacity + ")");
                assertThatThrownBy(() -> scheduler.submit(ran::incrementAndGet))
                        .isInstanceOf(RejectedExecutionException.class);
                assertThatThrownBy(() -> scheduler.executeAll(List.of(ran::incrementAndGet, ran::incrementAndGet)))
                        .isInstanceOf(RejectedExecutionException.class)
                        .hasMessage("2 jobs rejected: the injector has no room for all (capacity " + capacity + ")");
                assertThat(scheduler.stats().jobsRejected()).isEqualTo(5);
                assertThat(scheduler.stats().queued()).isEqualTo(capacity);
            } finally {
                end.countDown(); // or close() would wait for ever
            }
            Stress.await(() -> ran.get() == capacity, scheduler::toString);
            assertThat(scheduler.tryExecute(ran::incrementAndGet)).isTrue();
        }
        assertThat(ran.get()).isEqualTo(capacity + 1);
    }

    @Test
    void aJobSubmitsToItsOwnDequeAlthoughTheInjectorIsFull() {
        AtomicInteger ran = new AtomicInteger();
        try (PinnedScheduler scheduler = one().injectorCapacity(1).build()) {
            scheduler
                    .submit(() -> {
                        for (int i = 0; i < 100; i++) {
                            assertThat(scheduler.tryExecute(ran::incrementAndGet))
                                    .isTrue();
                        }
                    })
                    .join();
        }
        assertThat(ran.get()).isEqualTo(100);
    }

    @Test
    void aCapacityBelowOneIsRefused() {
        assertThatThrownBy(() -> PinnedScheduler.builder().injectorCapacity(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("injectorCapacity=0 (expected at least 1)");
    }

    /** Batches from outside and from a worker race with the end: each is run or handed back whole, or rejected whole. */
    @ParameterizedTest
    @CsvSource({"1, false", "1, true", "2, false", "2, true"})
    void batchesThatRaceWithShutdownAreNeverSplit(int workers, boolean now) throws Exception {
        int size = 100;
        for (int round = 0; round < Stress.scaled(150); round++) {
            PinnedScheduler scheduler = PinnedSchedulerTest.unpinned(workers);
            AtomicInteger ran = new AtomicInteger();
            ConcurrentLinkedQueue<Integer> accepted = new ConcurrentLinkedQueue<>();
            List<Runnable> batch = Collections.nCopies(size, ran::incrementAndGet);
            Stress.Threads threads = new Stress.Threads();
            threads.start("outside", () -> submitWhile(() -> true, scheduler, batch, accepted, ran));
            BooleanSupplier untilTheEnd = () -> now || !scheduler.isShutdown(); // shutdown lets a job submit more
            scheduler.execute(() -> submitWhile(untilTheEnd, scheduler, batch, accepted, ran));
            int head = round % 4 * 2;
            Stress.await(() -> accepted.size() >= head, scheduler::toString);
            int handedBack = now
                    ? (int) scheduler.shutdownNow().stream()
                            .filter(batch::contains)
                            .count()
                    : 0;
            scheduler.shutdown();
            threads.join(scheduler::toString);
            assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS))
                    .as("%s", scheduler)
                    .isTrue();
            assertThat(ran.get() + handedBack).isEqualTo(size * accepted.size());
        }
    }

    private static void submitWhile(
            BooleanSupplier goOn,
            PinnedScheduler scheduler,
            List<Runnable> batch,
            ConcurrentLinkedQueue<Integer> accepted,
            AtomicInteger ran) {
        try {
            while (goOn.getAsBoolean()) {
                if (accepted.size() * batch.size() - ran.get() > 2000 && !scheduler.isShutdown()) {
                    Thread.yield(); // a short backlog: the race is at the end of the round
                    continue;
                }
                scheduler.executeAll(batch);
                accepted.add(batch.size());
            }
        } catch (RejectedExecutionException expected) {
            assertThat(scheduler.isShutdown()).isTrue();
        }
    }
}
