// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Timers that are due while there is no memory: a JVM of its own, whose heap is full for a while. */
class TimerMemoryIT {
    @Test
    void withoutMemoryTimersAreLateAndNotLost() throws Exception {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx24m",
                        "-XX:+UseSerialGC",
                        "-XX:-UseTLAB", // so that no thread has a little left
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(output).contains("late=true", "ran=" + Child.TIMERS, "terminated=true", "books=true");
    }

    /** Fills the heap while timers are due; the worker is held, so that they need room in the injector. */
    static final class Child {
        static final int TIMERS = 10_000;

        private Child() {}

        public static void main(String[] arguments) throws Exception {
            WorkerPool pool = WorkerPool.start(PoolConfig.unpinned("memory", 1, null));
            CountDownLatch hold = new CountDownLatch(1);
            AtomicInteger ran = new AtomicInteger();
            pool.intake().execute(() -> {
                try {
                    hold.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            Runnable body = ran::incrementAndGet;
            for (int i = 0; i < TIMERS; i++) {
                Object ignored = pool.schedule(body, TimeUnit.MILLISECONDS.toNanos(1500), null);
            }
            Object hoard = fill();
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2500);
            while (System.nanoTime() - end < 0) {
                Thread.onSpinWait(); // without an allocation
            }
            int late = pool.timers.jobs();
            hoard = hoard.getClass(); // gives it up
            hold.countDown();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (ran.get() < TIMERS && System.nanoTime() - deadline < 0) {
                Thread.sleep(1);
            }
            pool.shutdown();
            boolean terminated = pool.awaitTermination(30, TimeUnit.SECONDS);
            System.out.println("late=" + (late > 0) + " ran=" + ran + " terminated=" + terminated + " books="
                    + (pool.stats().jobsRun() == pool.stats().jobsSubmitted()) + " " + hoard);
            System.exit(0);
        }

        private static Object fill() {
            List<Object> hoard = new ArrayList<>(100_000);
            for (int size = 1 << 20; size >= 16; size /= 4) {
                try {
                    while (true) {
                        hoard.add(new byte[size]);
                    }
                } catch (OutOfMemoryError full) {
                    // the next smaller size
                }
            }
            return hoard;
        }
    }
}
