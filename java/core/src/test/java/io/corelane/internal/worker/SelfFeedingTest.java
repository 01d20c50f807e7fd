// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.IdlePolicy;
import io.corelane.JobHandle;
import io.corelane.LocalOrder;
import io.corelane.PinnedScheduler;
import io.corelane.Stress;
import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A worker whose jobs submit the next one is left alone by the others; what it leaves behind is not. */
@Timeout(300)
class SelfFeedingTest {
    private static final int CHAINS = 300;
    private static final int HOPS = 300;

    static Stream<Arguments> shapes() {
        return Stream.of(LocalOrder.values()).flatMap(order -> Stream.of(
                        IdlePolicy.park(), IdlePolicy.spinThenPark(Duration.ofNanos(2_000)), IdlePolicy.busySpin())
                .map(idle -> Arguments.of(order, idle)));
    }

    private static PinnedScheduler start(LocalOrder order, IdlePolicy idle, int workers) {
        return PinnedScheduler.builder()
                .workers(workers)
                .pinning(Pinning.OFF)
                .localOrder(order)
                .idle(idle)
                .build();
    }

    /** The worker is busy until another has taken the only job in its deque, or for ever. */
    @ParameterizedTest
    @MethodSource("shapes")
    void theLastJobOfAChainIsTakenByAnotherWhileItsSubmitterIsBusy(LocalOrder order, IdlePolicy idle) throws Exception {
        try (PinnedScheduler scheduler = start(order, idle, 2)) {
            for (int i = 0; i < CHAINS; i++) {
                AtomicReference<Thread> last = new AtomicReference<>();
                AtomicInteger left = new AtomicInteger(i % HOPS);
                JobHandle<Thread> busy = scheduler.submit(() -> runChain(scheduler, left, last));
                assertThat(busy.join(Duration.ofSeconds(60))).isNotNull();
                Stress.await(() -> last.get() != null, scheduler::dump);
            }
        }
    }

    private static Thread runChain(PinnedScheduler scheduler, AtomicInteger left, AtomicReference<Thread> last) {
        if (left.getAndDecrement() > 0) {
            scheduler.execute(() -> runChain(scheduler, left, last));
            return Thread.currentThread();
        }
        AtomicReference<Thread> taker = new AtomicReference<>();
        scheduler.execute(() -> taker.set(Thread.currentThread()));
        Stress.await(() -> taker.get() != null, scheduler::dump);
        assertThat(taker.get()).isNotSameAs(Thread.currentThread());
        last.set(taker.get());
        return Thread.currentThread();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void chainsOnMostWorkersKeepNobodyElseWaiting(LocalOrder order, IdlePolicy idle) throws Exception {
        int chains = 3;
        try (PinnedScheduler scheduler = start(order, idle, 4)) {
            AtomicInteger stop = new AtomicInteger();
            CountDownLatch ended = new CountDownLatch(chains);
            for (int i = 0; i < chains; i++) {
                scheduler.execute(() -> chain(scheduler, stop, ended));
            }
            for (int i = 0; i < CHAINS; i++) {
                assertThat(scheduler.submit(() -> 1).join(Duration.ofSeconds(60)))
                        .isEqualTo(1);
                assertThat(scheduler
                                .submit(() -> scheduler.submit(() -> 2).join())
                                .join(Duration.ofSeconds(60)))
                        .isEqualTo(2);
            }
            stop.set(1);
            assertThat(ended.await(60, TimeUnit.SECONDS)).as(scheduler::dump).isTrue();
        }
    }

    private static void chain(PinnedScheduler scheduler, AtomicInteger stop, CountDownLatch ended) {
        if (stop.get() != 0) {
            ended.countDown();
        } else {
            scheduler.execute(() -> chain(scheduler, stop, ended));
        }
    }
}
