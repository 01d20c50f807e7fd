// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.Pinning;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The timer thread wakes when a timer is due and at no other time: the kernel counts its context switches. */
class TimerIdleIT {
    @ParameterizedTest
    @EnumSource(names = {"OFF", "REQUIRED"})
    void theTimerThreadIsNotScheduledWhileNoTimerIsDue(Pinning pinning) throws Exception {
        String name = "tick" + pinning.name().charAt(0);
        try (PinnedScheduler scheduler =
                PinnedScheduler.builder().name(name).workers(1).pinning(pinning).build()) {
            List<ScheduledJob<?>> handles = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                handles.add(scheduler.schedule(() -> {}, 1 + i % 10, TimeUnit.HOURS));
            }
            scheduler.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).get();
            long before = awaitSleep(name);
            TimeUnit.SECONDS.sleep(Stress.isLong() ? 60 : 2); // the time is what is tested
            assertThat(switches(name)).as("timers in the far future").isEqualTo(before);

            for (ScheduledJob<?> handle : handles) {
                handle.cancel(false);
                scheduler.schedule(() -> {}, 11, TimeUnit.HOURS).cancel(false); // behind the first: nobody is woken
            }
            assertThat(scheduler.stats().timersWaiting()).isZero();
            TimeUnit.SECONDS.sleep(1);
            assertThat(switches(name)).as("no timer at all").isBetween(before, before + 2);
        }
    }

    /** A run needs one switch to wake and one to sleep, with a few of the kernel's. */
    @ParameterizedTest
    @EnumSource(names = {"OFF", "REQUIRED"})
    void aRepeatedJobWakesItOnceForEachRunAndForEachRepetition(Pinning pinning) throws Exception {
        String name = "beat" + pinning.name().charAt(0);
        try (PinnedScheduler scheduler =
                PinnedScheduler.builder().name(name).workers(1).pinning(pinning).build()) {
            AtomicInteger runs = new AtomicInteger();
            scheduler.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).get();
            long before = awaitSleep(name);
            ScheduledJob<?> handle =
                    scheduler.repeat(runs::incrementAndGet, Repetition.withFixedDelay(Duration.ofMillis(20)));
            Stress.awaitProgress(runs::get, 50, scheduler::dump);
            handle.cancel(false);
            long switches = switches(name) - before;
            System.out.println("switches of the timer thread for 50 runs: " + switches);
            assertThat(switches).isBetween(40L, 300L);
        }
    }

    private static long awaitSleep(String name) throws Exception {
        long last = -1;
        for (int quiet = 0; quiet < 10; ) {
            TimeUnit.MILLISECONDS.sleep(10);
            long now = switches(name);
            quiet = now == last ? quiet + 1 : 0;
            last = now;
        }
        return last;
    }

    /** Returns the voluntary switches of the scheduler's timer thread; its involuntary ones are no wake-ups. */
    private static long switches(String name) throws IOException {
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                if (isNamed(thread, name + "-timer")) {
                    return Files.readAllLines(thread.resolve("status")).stream()
                            .filter(line -> line.startsWith("voluntary_ctxt_switches:"))
                            .mapToLong(line -> Long.parseLong(
                                    line.substring(line.indexOf(':') + 1).trim()))
                            .sum();
                }
            }
        }
        throw new AssertionError("no timer thread of " + name);
    }

    private static boolean isNamed(Path thread, String name) throws IOException {
        try {
            return Files.readString(thread.resolve("comm")).trim().equals(name);
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
