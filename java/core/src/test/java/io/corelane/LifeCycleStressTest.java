// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Schedulers come and go; nothing of them stays. */
@Timeout(1200) // for the long form
class LifeCycleStressTest {
    private static final int ROUNDS = 500; // for each of two pinnings

    @ParameterizedTest
    @EnumSource(
            value = Pinning.class,
            names = {"OFF", "PREFERRED"})
    void aThousandSchedulersLeaveNoThreadBehind(Pinning pinning) throws Exception {
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < Stress.scaled(ROUNDS); i++) {
            PinnedScheduler scheduler = PinnedScheduler.builder()
                    .name("come-and-go")
                    .workers(1 + i % 3)
                    .pinning(pinning)
                    .sharing(true)
                    .failureHandler((job, failure) -> {})
                    .build();
            use(scheduler, ran, i);
            if (i % 3 == 2) {
                scheduler.shutdownNow();
                assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS))
                        .as("%s", scheduler.dump())
                        .isTrue();
            } else {
                scheduler.close();
            }
            assertThat(scheduler.isTerminated()).isTrue();
        }
        assertThat(ran.get()).isGreaterThan(5 * ROUNDS);
        Stress.await(
                () -> remaining().isEmpty(), () -> "" + remaining()); // the last act of a thread comes after its report
    }

    private static void use(PinnedScheduler scheduler, AtomicInteger ran, int round) throws Exception {
        scheduler.execute(ran::incrementAndGet);
        scheduler.forEachLane(ran::incrementAndGet);
        scheduler.schedule(ran::incrementAndGet, round % 2, TimeUnit.MILLISECONDS);
        scheduler.scheduleAtFixedRate(ran::incrementAndGet, 0, 1, TimeUnit.MILLISECONDS);
        JobHandle<?> blocked = scheduler.submit(() -> scheduler.blocking(ran::incrementAndGet));
        scheduler
                .lane(0)
                .execute(() -> ran.addAndGet(
                        scheduler.submitWithin(() -> 1, Duration.ofHours(1)).join()));
        if (round % 2 == 0) {
            blocked.join();
        }
    }

    private static Set<String> remaining() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("come-and-go"))
                .collect(Collectors.toSet());
    }
}
