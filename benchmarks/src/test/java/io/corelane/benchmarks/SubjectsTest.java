// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.ExecutorService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SubjectsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "corelane",
                "corelane-unpinned",
                "corelane-park",
                "corelane-spin",
                "fjp-fifo",
                "fjp-lifo",
                "tpe-lbq",
                "tpe-ltq"
            })
    void everySubjectRunsEveryJobOnce(String name) throws Exception {
        ExecutorService executor = Subjects.create(name, 2);
        RunCounters counters = new RunCounters();
        Work work = Work.calibrated(100, counters);
        try (Producers producers = new Producers(4)) {
            producers.submit(40_000, jobs -> {
                for (int i = 0; i < jobs; i++) {
                    executor.execute(work.newJob());
                }
            });
            counters.awaitTotal(40_000);
        }
        executor.shutdownNow();
        assertThat(counters.total()).isEqualTo(40_000);
    }

    @Test
    void anUnknownSubjectIsRefused() {
        assertThatThrownBy(() -> Subjects.create("none", 1)).hasMessageContaining("subject=none");
    }
}
