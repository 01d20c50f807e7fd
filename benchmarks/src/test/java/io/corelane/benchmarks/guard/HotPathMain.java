// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.guard;

import com.sun.management.ThreadMXBean;
import io.corelane.IdlePolicy;
import io.corelane.PinnedScheduler;
import io.corelane.WorkerStats;
import io.corelane.affinity.Pinning;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** What {@link HotPathIT} counts, in a JVM of its own: prints a line {@code name=count} for each figure. */
final class HotPathMain {
    private static final int MILLION = 1_000_000;
    private static final int BURST = 1000;
    private static final int SINGLES = 300;
    private static final int CHAINS = 301;
    private static final int HOPS = 20_000;
    private static final int FIB = 27;
    private static final int FIB_RESULT = 196_418;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private HotPathMain() {}

    /**
     * Counts, or runs what the compiler has to see.
     *
     * @param arguments none to count; {@code compile} for jobs alone, {@code forks} for trees alone
     */
    public static void main(String[] arguments) throws Exception {
        if (List.of(arguments).contains("forks")) {
            forks();
        } else {
            jobs(arguments);
        }
        if (arguments.length == 0) {
            chains();
            forks();
        }
    }

    private static void jobs(String[] arguments) throws Exception {
        try (PinnedScheduler scheduler = PinnedScheduler.builder()
                .workers(arguments.length > 0 ? 1 : 2) // alone: what is inlined does not depend on who stole how much
                .pinning(Pinning.OFF)
                .idle(IdlePolicy.park())
                .build()) {
            Runnable job = () -> {};
            for (int i = 0; i < 400; i++) {
                burst(scheduler, job, BURST);
                quiesce(scheduler);
            }
            if (arguments.length > 0) {
                return; // that was all the compiler needs to see
            }
            submits(scheduler, 100_000);
            bytes(scheduler, job);
            switches(scheduler, job);
            wakeUps(scheduler, job);
        }
    }

    /** Chains, where each job ends by submitting the next, beside an idle worker under the default policy. */
    private static void chains() throws Exception {
        try (PinnedScheduler scheduler =
                PinnedScheduler.builder().workers(2).sharing(true).build()) {
            for (int i = 0; i < 4 * CHAINS; i++) {
                chain(scheduler); // interpreted, a chain is slower than its wake-ups
            }
            List<Long> parks = new ArrayList<>();
            List<Long> stolen = new ArrayList<>();
            for (int i = 0; i < CHAINS; i++) {
                long parksBefore = total(scheduler, WorkerStats::parks);
                long stolenBefore = total(scheduler, WorkerStats::jobsStolen);
                chain(scheduler);
                parks.add(total(scheduler, WorkerStats::parks) - parksBefore);
                stolen.add(total(scheduler, WorkerStats::jobsStolen) - stolenBefore);
            }
            print("parksPer" + HOPS + "Hops", mostOf(parks));
            print("stolenPer" + HOPS + "Hops", mostOf(stolen));
        }
    }

    /** What nine of ten do not exceed. */
    private static long mostOf(List<Long> counts) {
        Collections.sort(counts);
        return counts.get(counts.size() * 9 / 10);
    }

    private static long total(PinnedScheduler scheduler, ToLongFunction<WorkerStats> counter) {
        return scheduler.stats().workers().stream().mapToLong(counter).sum();
    }

    private static void chain(PinnedScheduler scheduler) throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        scheduler.execute(new Hop(scheduler, new AtomicInteger(HOPS), end));
        end.await();
    }

    /** A job that ends by submitting itself. */
    private record Hop(PinnedScheduler scheduler, AtomicInteger left, CountDownLatch end) implements Runnable {
        @Override
        public void run() {
            if (left.decrementAndGet() == 0) {
                end.countDown();
            } else {
                scheduler.execute(this);
            }
        }
    }

    /** Trees on the only worker: nobody wants a fork, so all of them stay private. */
    private static void forks() {
        try (PinnedScheduler scheduler = PinnedScheduler.builder()
                .workers(1)
                .pinning(Pinning.OFF)
                .idle(IdlePolicy.park())
                .build()) {
            for (int i = 0; i < 30; i++) {
                tree(scheduler);
            }
            long before = allocated();
            tree(scheduler);
            print("bytesPerMillionForks", (allocated() - before) * MILLION / ForkedFib.forks(FIB));
        }
    }

    private static void tree(PinnedScheduler scheduler) {
        long result =
                scheduler.submit(() -> scheduler.invoke(new ForkedFib(FIB))).join();
        if (result != FIB_RESULT) {
            throw new IllegalStateException("fib(" + FIB + ")=" + result + " (expected " + FIB_RESULT + ")");
        }
    }

    private static void burst(PinnedScheduler scheduler, Runnable job, int jobs) {
        for (int i = 0; i < jobs; i++) {
            scheduler.execute(job);
        }
    }

    private static long submits(PinnedScheduler scheduler, int jobs) throws Exception {
        Future<?>[] handles = new Future<?>[jobs];
        Runnable job = () -> {};
        long before = allocated();
        for (int i = 0; i < jobs; i++) {
            handles[i] = scheduler.submit(job);
        }
        for (Future<?> handle : handles) {
            handle.get();
        }
        return allocated() - before;
    }

    private static void quiesce(PinnedScheduler scheduler) throws InterruptedException {
        if (!scheduler.awaitQuiescence(PATIENCE)) {
            throw new IllegalStateException("not quiet:\n" + scheduler.dump());
        }
    }

    private static void bytes(PinnedScheduler scheduler, Runnable job) throws Exception {
        for (int round = 0; round < 3; round++) {
            burst(scheduler, job, MILLION); // chunks for the longest backlog are made here and kept
            quiesce(scheduler);
        }
        long before = allocated();
        for (int i = 0; i < MILLION / BURST; i++) {
            burst(scheduler, job, BURST);
            quiesce(scheduler);
        }
        print("bytesPerMillionExecutes", allocated() - before);
        submits(scheduler, 100_000);
        print("bytesPerMillionSubmits", submits(scheduler, 100_000) * 10);
    }

    /** A million jobs are submitted while both workers are held, and then run: nobody has a reason to sleep or to wake. */
    private static void switches(PinnedScheduler scheduler, Runnable job) throws Exception {
        CountDownLatch held = new CountDownLatch(2);
        CountDownLatch gate = new CountDownLatch(1);
        for (int i = 0; i < 2; i++) {
            scheduler.execute(() -> {
                held.countDown();
                awaitQuietly(gate);
            });
        }
        held.await();
        long before = voluntarySwitches();
        burst(scheduler, job, MILLION);
        gate.countDown();
        quiesce(scheduler);
        print("sleepsPerMillionInABurst", voluntarySwitches() - before);
    }

    /** One job at a time, to workers that are all parked: each should wake one of them. */
    private static void wakeUps(PinnedScheduler scheduler, Runnable job) throws Exception {
        awaitParked();
        long before = workerSwitches();
        for (int i = 0; i < SINGLES; i++) {
            scheduler.execute(job);
            quiesce(scheduler);
            awaitParked();
        }
        print("wakeUpsPerThousandSingles", (workerSwitches() - before) * 1000 / SINGLES);
    }

    private static void awaitQuietly(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void awaitParked() {
        while (workers().stream().anyMatch(thread -> thread.getState() == Thread.State.RUNNABLE)) {
            Thread.onSpinWait();
        }
    }

    private static List<Thread> workers() {
        Thread[] threads = new Thread[Thread.activeCount() + 16];
        int count = Thread.enumerate(threads);
        return Arrays.stream(threads, 0, count)
                .filter(thread -> thread.getName().startsWith("corelane"))
                .toList();
    }

    private static long allocated() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (Thread worker : workers()) {
            sum += Math.max(0, threads.getThreadAllocatedBytes(worker.getId()));
        }
        return sum + threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    private static long workerSwitches() throws IOException {
        return switches("corelane");
    }

    private static long voluntarySwitches() throws IOException {
        return switches("corelane") + read(Path.of("/proc/thread-self/status"));
    }

    private static long switches(String name) throws IOException {
        List<Path> threads = new ArrayList<>();
        try (Stream<Path> all = Files.list(Path.of("/proc/self/task"))) {
            all.forEach(threads::add);
        }
        long sum = 0;
        for (Path thread : threads) {
            if (Files.readString(thread.resolve("comm")).startsWith(name)) {
                sum += read(thread.resolve("status"));
            }
        }
        return sum;
    }

    private static long read(Path status) throws IOException {
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("voluntary_ctxt_switches:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .sum();
    }

    private static void print(String name, long value) {
        System.out.println(name + "=" + value);
    }
}
