// SPDX-License-Identifier: Apache-2.0
package io.corelane.affinity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.RecordedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class PinnedThreadFactoryTest {
    private static final CpuSet ALLOWED = ThreadAffinity.get();

    @Test
    void eachThreadGetsACpuOfItsOwn() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(ALLOWED.size(), PinnedThreadFactory.of("factory", ALLOWED));
        List<Future<CpuSet>> masks = new ArrayList<>();
        for (int i = 0; i < ALLOWED.size(); i++) {
            masks.add(pool.submit(() -> ThreadAffinity.get()));
        }
        CpuSet all = CpuSet.empty();
        for (Future<CpuSet> mask : masks) {
            assertThat(mask.get().size()).isEqualTo(1);
            all = all.union(mask.get());
        }
        pool.shutdown();
        assertThat(ALLOWED.containsAll(all)).isTrue();
    }

    @Test
    void aThreadThatEndedGivesItsCpuBack() throws Exception {
        PinnedThreadFactory factory = PinnedThreadFactory.of("factory", CpuSet.of(ALLOWED.first()));
        for (int i = 0; i < 3; i++) {
            Thread thread = factory.newThread(() -> {});
            assertThat(thread.getName()).isEqualTo("factory-" + i + "-cpu" + ALLOWED.first());
            thread.start();
            thread.join();
        }
    }

    @Test
    void oneThreadMoreThanCpusIsRefusedUnlessSharingIsAllowed() throws Exception {
        CpuSet one = CpuSet.of(ALLOWED.first());
        PinnedThreadFactory factory = PinnedThreadFactory.of("factory", one);
        Thread first = factory.newThread(() -> {});
        assertThatThrownBy(() -> factory.newThread(() -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("each of the CPUs " + one + " has a thread");
        first.start();
        first.join();

        PinnedThreadFactory shared = PinnedThreadFactory.builder()
                .cpus(one)
                .sharing(true)
                .daemon(true)
                .build();
        List<CpuSet> masks = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread thread = shared.newThread(() -> masks.add(ThreadAffinity.get()));
            assertThat(thread.isDaemon()).isTrue();
            thread.start();
            thread.join();
        }
        assertThat(masks).containsExactly(one, one, one);
    }

    @Test
    void aRefusedPinEndsTheThreadWhenRequiredAndIsLoggedWhenPreferred() throws Exception {
        AtomicReference<Throwable> death = new AtomicReference<>();
        Thread required = PinnedThreadFactory.of("required", CpuSet.of(8191)).newThread(() -> {});
        required.setUncaughtExceptionHandler((thread, failure) -> death.set(failure));
        required.start();
        required.join();
        assertThat(death.get()).isInstanceOf(AffinityException.class);

        AtomicReference<CpuSet> mask = new AtomicReference<>();
        Thread preferred = PinnedThreadFactory.builder()
                .name("preferred")
                .cpus(CpuSet.of(8191))
                .pinning(Pinning.PREFERRED)
                .build()
                .newThread(() -> mask.set(ThreadAffinity.get()));
        preferred.start();
        preferred.join();
        assertThat(mask.get()).isEqualTo(ALLOWED);
        assertThat(RecordedLog.linesWith(preferred.getName() + " runs unpinned"))
                .hasSize(1);
    }

    @Test
    void noCpuIsRefused() {
        assertThatThrownBy(() -> PinnedThreadFactory.of("x", CpuSet.empty()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> PinnedThreadFactory.builder().build()).isInstanceOf(IllegalArgumentException.class);
    }
}
