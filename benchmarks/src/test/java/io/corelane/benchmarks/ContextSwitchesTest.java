// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContextSwitchesTest {
    @TempDir
    Path directory;

    @Test
    void bothKindsAreReadFromAStatusFile() throws IOException {
        Path status = Files.writeString(
                directory.resolve("status"),
                "Name:\tx\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n");
        assertThat(ContextSwitches.read(status)).isEqualTo(new ContextSwitches(12, 3));
    }

    @Test
    void aThreadThatHasEndedCountsNothing() throws IOException {
        assertThat(ContextSwitches.read(directory.resolve("gone"))).isEqualTo(new ContextSwitches(0, 0));
    }

    @Test
    void aFileWithoutTheCountsIsAnErrorAndNotAZero() throws IOException {
        Path status = Files.writeString(directory.resolve("status"), "Name:\tx\n");
        assertThatThrownBy(() -> ContextSwitches.read(status)).hasMessageContaining("voluntary_ctxt_switches");
    }

    @Test
    void aThreadThatSleepsIsCounted() throws Exception {
        CountDownLatch slept = new CountDownLatch(1);
        CountDownLatch read = new CountDownLatch(1);
        ContextSwitches before = ContextSwitches.ofOthers();
        Thread sleeper = new Thread(() -> {
            for (int i = 0; i < 50; i++) {
                LockSupport.parkNanos(100_000);
            }
            slept.countDown();
            try {
                read.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        sleeper.start();
        slept.await();
        assertThat(ContextSwitches.ofOthers().minus(before).voluntary()).isGreaterThanOrEqualTo(50);
        read.countDown();
        sleeper.join();
    }
}
