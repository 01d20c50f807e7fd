// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Keeps every worker of a scheduler busy until it is closed, whoever interrupts; so that what is queued stays there. */
final class Holding implements AutoCloseable {
    private final CountDownLatch end = new CountDownLatch(1);

    private Holding() {}

    static Holding workersOf(PinnedScheduler scheduler) throws InterruptedException {
        Holding holding = new Holding();
        CountDownLatch started = new CountDownLatch(scheduler.workers());
        for (int i = 0; i < scheduler.workers(); i++) {
            scheduler.execute(() -> {
                started.countDown();
                Latches.uninterruptibly(holding.end);
            });
        }
        assertThat(started.await(60, TimeUnit.SECONDS)).as("%s", scheduler).isTrue();
        return holding;
    }

    @Override
    public void close() {
        end.countDown();
    }
}
