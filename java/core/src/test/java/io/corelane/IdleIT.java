// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.Pinning;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A scheduler with nothing to do costs nothing: the kernel counts no context switch of its threads. The long form watches
 * for longer.
 */
class IdleIT {
    @ParameterizedTest
    @CsvSource({"1, OFF", "2, OFF", "64, OFF", "1, REQUIRED", "2, REQUIRED"})
    void anIdleWorkerIsNeverScheduled(int workers, Pinning pinning) throws Exception {
        String name = "idle" + workers + pinning.name().charAt(0);
        PinnedScheduler.Builder builder =
                PinnedScheduler.builder().name(name).workers(workers).pinning(pinning);
        try (PinnedScheduler scheduler =
                pinning == Pinning.OFF ? builder.build() : builder.sharing(true).build()) {
            for (int i = 0; i < 1000; i++) {
                scheduler.submit(() -> {}).join();
            }
            awaitSleepers(name, workers);
            Map<String, Long> before = switches(name);
            TimeUnit.SECONDS.sleep(Stress.isLong() ? 60 : 2); // the time is what is tested
            assertThat(before).hasSize(workers);
            assertThat(switches(name)).isEqualTo(before);
        }
    }

    /** Waits until the kernel sees all workers asleep and their counts no longer move. */
    private static void awaitSleepers(String name, int workers) throws Exception {
        Map<String, Long> last = Map.of();
        for (int quiet = 0; quiet < 10; ) {
            TimeUnit.MILLISECONDS.sleep(10);
            Map<String, Long> now = switches(name);
            quiet = now.equals(last) && now.size() == workers ? quiet + 1 : 0;
            last = now;
        }
    }

    /** Returns the voluntary and involuntary switches of the scheduler's threads, by thread id. */
    private static Map<String, Long> switches(String name) throws IOException {
        Map<String, Long> switches = new TreeMap<>();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                if (isNamed(thread, name)) {
                    long sum = Files.readAllLines(thread.resolve("status")).stream()
                            .filter(line -> line.contains("ctxt_switches:"))
                            .mapToLong(line -> Long.parseLong(
                                    line.substring(line.indexOf(':') + 1).trim()))
                            .sum();
                    switches.put(String.valueOf(thread.getFileName()), sum);
                }
            }
        }
        return switches;
    }

    private static boolean isNamed(Path thread, String name) throws IOException {
        try {
            return Files.readString(thread.resolve("comm")).startsWith(name);
        } catch (NoSuchFileException ended) {
            return false; // one of the JVM's own
        } catch (IOException e) {
            if ("No such process".equals(e.getMessage())) {
                return false; // it ended between the opening and the reading
            }
            throw e;
        }
    }
}
