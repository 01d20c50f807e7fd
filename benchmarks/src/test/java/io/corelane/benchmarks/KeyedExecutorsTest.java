// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyedExecutorsTest {
    @ParameterizedTest
    @ValueSource(strings = {"corelane-lanes", "corelane-lanes-unpinned", "tpe-lbq-hash", "tpe-ltq-hash", "netty-hash"})
    void jobsOfOneKeyRunOnceAndInOrder(String name) throws Exception {
        int keys = 7;
        int jobs = 20_000;
        int[] last = new int[keys];
        AtomicInteger outOfOrder = new AtomicInteger();
        CountDownLatch ran = new CountDownLatch(jobs);
        try (KeyedExecutors executors = KeyedExecutors.create(name, 2)) {
            for (int i = 0; i < jobs; i++) {
                int key = i % keys;
                int number = i / keys;
                executors.execute(key, () -> {
                    if (last[key]++ != number) {
                        outOfOrder.incrementAndGet();
                    }
                    ran.countDown();
                });
            }
            assertThat(ran.await(60, TimeUnit.SECONDS))
                    .as("left: %d", ran.getCount())
                    .isTrue();
        }
        assertThat(outOfOrder).hasValue(0);
    }

    @Test
    void anUnknownNameIsRefused() {
        assertThatThrownBy(() -> KeyedExecutors.create("fjp", 1)).hasMessageContaining("subject=fjp");
    }
}
