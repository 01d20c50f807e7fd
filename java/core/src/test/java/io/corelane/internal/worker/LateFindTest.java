// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.Stress;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loses a wake-up on purpose, by a submission without a signal, and looks whether that is noticed. */
class LateFindTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aJobThatNobodyWasWokenForIsCountedAndRun(int workers) throws Exception {
        WorkerPool pool = WorkerPool.start(PoolConfig.unpinned("late", workers, null));
        AtomicInteger ran = new AtomicInteger();
        awaitAllParked(pool);
        LockSupport.unpark(pool.threads.of(0)); // with nothing to find
        pool.intake().execute(ran::incrementAndGet);
        Stress.await(() -> ran.get() == 1, () -> "" + pool.stats());
        awaitAllParked(pool);
        assertThat(lateFinds(pool)).isZero();

        assertThat(pool.injector.offer((Runnable) ran::incrementAndGet, 1)).isTrue();
        assertThat(pool.eventCount.allParkedSince(pool.eventCount.stamp())).isTrue();
        LockSupport.unpark(pool.threads.of(0));
        Stress.await(() -> ran.get() == 2, () -> "" + pool.stats());
        assertThat(lateFinds(pool)).isEqualTo(1);
        pool.shutdown();
    }

    private static void awaitAllParked(WorkerPool pool) {
        Stress.await(() -> pool.eventCount.allParkedSince(pool.eventCount.stamp()), () -> "" + pool.stats());
    }

    private static long lateFinds(WorkerPool pool) {
        return pool.stats().workers().stream()
                .mapToLong(worker -> worker.lateFinds())
                .sum();
    }
}
