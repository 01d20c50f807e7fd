// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Scopes: forks that end together. */
@Timeout(300)
class ForkScopeTest {
    private static final class Oops extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Oops(String message) {
            super(message);
        }
    }

    @Schedulers.EachShape
    void aScopeEndsWhenAllItsForksHave(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        for (int round = 0; round < Stress.scaled(50); round++) {
            AtomicInteger ended = new AtomicInteger();
            int sum = scheduler.scope(scope -> {
                List<Fork<Integer>> forks = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    int value = i;
                    forks.add(scope.fork(() -> {
                        scope.fork(ended::incrementAndGet);
                        return value;
                    }));
                    scope.fork(ended::incrementAndGet);
                }
                return forks.stream().mapToInt(Fork::join).sum();
            });
            assertThat(sum).isEqualTo(4950);
            assertThat(ended).hasValue(200);
        }
        Schedulers.end(scheduler);
    }

    /** The body waits for a fork that would never end, and another one fails elsewhere. */
    @Test
    void theFirstFailureCancelsTheRestAndCarriesTheOthers() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(3).build();
        for (int round = 0; round < 20; round++) {
            CyclicBarrier both = new CyclicBarrier(2);
            AtomicInteger cancelled = new AtomicInteger();
            assertThatThrownBy(() -> scheduler.scope(scope -> {
                        Fork<Integer> endless = scope.fork(() -> {
                            both.await(60, TimeUnit.SECONDS);
                            try {
                                while (true) {
                                    scope.fork(() -> 1).join();
                                }
                            } catch (CancellationException expected) {
                                cancelled.incrementAndGet();
                                throw new Oops("second");
                            }
                        });
                        scope.fork(() -> {
                            both.await(60, TimeUnit.SECONDS);
                            throw new Oops("first");
                        });
                        return endless.join();
                    }))
                    .isInstanceOf(Oops.class)
                    .hasMessage("first")
                    .satisfies(failure ->
                            assertThat(failure.getSuppressed()).anyMatch(other -> "second".equals(other.getMessage())));
            assertThat(cancelled).hasValue(1);
        }
        Schedulers.end(scheduler);
    }

    @Test
    void aFailureOfTheBodyCancelsTheForks() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        AtomicInteger ran = new AtomicInteger();
        assertThatThrownBy(() -> Schedulers.result(
                        scheduler,
                        scheduler.submit(() -> scheduler.scope(scope -> {
                            scope.fork(ran::incrementAndGet);
                            throw new Oops("body");
                        }))))
                .hasCauseInstanceOf(Oops.class);
        assertThat(ran).hasValue(0);
        Schedulers.end(scheduler);
    }

    @Test
    void aCheckedExceptionComesOutAsItIs() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        assertThatThrownBy(() -> scheduler.scope(scope -> scope.fork(() -> {
                            throw new java.io.IOException("disk");
                        })
                        .join()))
                .isInstanceOf(java.io.IOException.class);
        Schedulers.end(scheduler);
    }

    @Schedulers.EachShape
    void aTimeLimitReachesTheChildren(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        AtomicInteger inside = new AtomicInteger();
        assertThatThrownBy(() -> scheduler.scope(Duration.ofMillis(30), scope -> {
                    for (int i = 0; i < 4; i++) {
                        scope.fork(() -> {
                            inside.incrementAndGet();
                            try {
                                while (true) {
                                    scope.fork(() -> 1).join();
                                }
                            } finally {
                                inside.decrementAndGet();
                            }
                        });
                    }
                    return 0;
                }))
                .isInstanceOf(CancellationException.class);
        assertThat(inside).hasValue(0);
        assertThat(scheduler.<Integer>scope(
                        Duration.ofDays(1), scope -> scope.fork(() -> 7).join()))
                .isEqualTo(7);
        Schedulers.end(scheduler);
    }

    @Test
    void anybodyMayCancelAScope() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        CountDownLatch started = new CountDownLatch(1);
        assertThatThrownBy(() -> scheduler.scope(scope -> {
                    Thread canceller = new Thread(() -> {
                        try {
                            started.await();
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                        scope.cancel();
                    });
                    canceller.start();
                    started.countDown();
                    while (started.getCount() == 0) {
                        scope.fork(() -> 1).join();
                    }
                    return 0;
                }))
                .isInstanceOf(CancellationException.class);
        Schedulers.end(scheduler);
    }
}
