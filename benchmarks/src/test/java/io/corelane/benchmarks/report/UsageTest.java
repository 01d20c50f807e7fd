// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UsageTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int ARRAY_BYTES = 1_000_016;
    private static final double MEASURING_BYTES = 500_000;

    private static byte[] array() {
        return new byte[ARRAY_BYTES - 16];
    }

    @Test
    void bytesOfThreadsOldAndNewAreCounted() throws Exception {
        Map<Cost, Double> used = Map.of();
        while (!used.containsKey(Cost.BYTES)) { // until no thread of an earlier test ends meanwhile
            used = fourArraysOfThreeThreads();
        }
        assertThat(used).containsOnlyKeys(Cost.values());
        assertThat(used.get(Cost.BYTES)).isBetween(4.0 * ARRAY_BYTES, 4.0 * ARRAY_BYTES + MEASURING_BYTES);
    }

    private static Map<Cost, Double> fourArraysOfThreeThreads() throws Exception {
        ExecutorService old = Executors.newSingleThreadExecutor();
        byte[] ignored = old.submit(UsageTest::array).get();
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch made = new CountDownLatch(1);
        Thread born = new Thread(() -> {
            List<byte[]> arrays = List.of(array(), array());
            made.countDown();
            awaitQuietly(end);
            arrays.forEach(array -> array[0] = 1);
        });
        Usage before = Usage.before();
        List<byte[]> arrays = List.of(array(), old.submit(UsageTest::array).get());
        born.start();
        made.await();
        Map<Cost, Double> used = Usage.after().since(before);
        assertThat(arrays).hasSize(2);
        end.countDown();
        born.join();
        old.shutdown();
        return used;
    }

    @Test
    void ifAThreadHasEndedOnlyTheCpuTimeIsKnown() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Thread old = new Thread(() -> awaitQuietly(end));
        old.start();
        Usage before = Usage.before();
        end.countDown();
        old.join();
        assertThat(Usage.after().since(before)).as("one that was there before").containsOnlyKeys(Cost.CPU);
    }

    @Test
    void aThreadThatIsBornAndEndsInBetweenIsNoticedToo() throws Exception {
        Usage before = Usage.before();
        Thread brief = new Thread(() -> {});
        brief.start();
        brief.join();
        assertThat(Usage.after().since(before)).containsOnlyKeys(Cost.CPU);
    }

    @Test
    void theCpuTimeOfAnEndedThreadIsCounted() throws Exception {
        Usage before = Usage.before();
        long nanos = 200_000_000;
        Thread busy = new Thread(() -> {
            long start = THREADS.getCurrentThreadCpuTime();
            while (THREADS.getCurrentThreadCpuTime() - start < nanos) {
                Thread.onSpinWait();
            }
        });
        busy.start();
        busy.join();
        double tick = 20_000_000;
        assertThat(Usage.after().since(before).get(Cost.CPU)).isGreaterThan(nanos - tick);
    }

    @Test
    void theSizeOfAnObjectIsExact() {
        assertThat(Usage.bytesOfOne(() -> new long[13])).isEqualTo(16 + 13 * 8);
    }

    @Test
    void eachJobHasItsShareWithoutItsOwnBytesAndNeverLessThanNone() {
        Measured measured = new Measured(List.of(1.0), 50, Map.of(Cost.BYTES, 4000.0, Cost.CPU, 1000.0));
        assertThat(measured.each(EnumSet.allOf(Cost.class), 2, 16)).isEqualTo(Map.of(Cost.BYTES, 24.0, Cost.CPU, 10.0));
        assertThat(measured.each(EnumSet.of(Cost.BYTES), 1, 96)).isEqualTo(Map.of(Cost.BYTES, 0.0));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
