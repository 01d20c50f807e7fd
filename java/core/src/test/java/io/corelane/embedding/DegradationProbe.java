// SPDX-License-Identifier: Apache-2.0
package io.corelane.embedding;

import io.corelane.PinnedScheduler;
import io.corelane.SchedulerStats;
import io.corelane.WorkerStats;
import io.corelane.affinity.AffinityException;
import io.corelane.affinity.Pinning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A program that {@code DegradationIT} runs where pins are refused: it prints what a user would see, a fact a line. */
public final class DegradationProbe {
    private static final String NAME = "probe";
    private static final int JOBS = 1_000;

    private DegradationProbe() {}

    /**
     * Starts a scheduler of two workers and uses all of it.
     *
     * @param arguments a pinning; a number of workers, or nothing; anything to wait for a line before the start
     */
    public static void main(String[] arguments) throws Exception {
        Pinning pinning = Pinning.valueOf(arguments[0]);
        int workers = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 2;
        if (arguments.length > 2) {
            System.out.println("ready");
            int line = System.in.read();
            System.out.println("go=" + line);
        }
        try {
            use(pinning, workers);
            awaitEnds();
        } catch (AffinityException refused) {
            print(refused);
            again(refused, pinning, workers);
        } catch (IllegalStateException refused) {
            System.out.println("state=" + refused.getMessage());
        }
        System.out.println("threads=" + threads().count());
        System.out.println("native=" + mapped());
    }

    /** A closed scheduler's last thread opens the way for {@code close} before it ends, so it may just be ending. */
    private static void awaitEnds() throws InterruptedException {
        for (Thread thread : threads().toList()) {
            thread.join(TimeUnit.SECONDS.toMillis(60));
        }
    }

    private static Stream<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(NAME));
    }

    private static PinnedScheduler.Builder builder(Pinning pinning, int workers) {
        return PinnedScheduler.builder()
                .name(NAME)
                .workers(workers)
                .sharing(true)
                .pinning(pinning);
    }

    private static void use(Pinning pinning, int workers) throws Exception {
        AtomicInteger ran = new AtomicInteger();
        SchedulerStats stats;
        try (PinnedScheduler scheduler = builder(pinning, workers).build()) {
            for (int i = 0; i < JOBS; i++) {
                scheduler.execute(ran::incrementAndGet);
            }
            scheduler.submit(ran::incrementAndGet).join();
            scheduler.lane(workers - 1).submit(ran::incrementAndGet).join();
            scheduler.schedule(ran::incrementAndGet, 1, TimeUnit.MILLISECONDS).join();
            scheduler.submit(() -> scheduler.blocking(ran::incrementAndGet)).join();
            Thread helper = scheduler.unpinnedThreadFactory().newThread(ran::incrementAndGet);
            helper.start();
            helper.join();
            stats = scheduler.stats();
        }
        System.out.println("ran=" + ran.get() + " of " + (JOBS + 5));
        System.out.println("note=" + stats.note());
        System.out.println(
                "got=" + stats.workers().stream().map(WorkerStats::cpu).toList());
    }

    private static void print(AffinityException refused) {
        System.out.println("refused=" + refused.getMessage());
        System.out.println("errno=" + refused.errno());
        System.out.println("call=" + refused.call());
        System.out.println("cpus=" + refused.cpus());
        System.out.println("remedy=" + refused.remedy());
    }

    /** The library is not tried again: the second answer is the first, whatever a second try would have met. */
    private static void again(AffinityException first, Pinning pinning, int workers) {
        try {
            builder(pinning, workers).build().close();
            System.out.println("again=started");
        } catch (AffinityException second) {
            System.out.println("again=" + (second.remedy().equals(first.remedy()) && second.errno() == first.errno()));
        }
    }

    /** The files of JNA and of ours that this process has mapped. */
    private static List<String> mapped() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(line -> line.indexOf('/') >= 0)
                .map(line -> line.substring(line.indexOf('/')))
                .filter(file -> file.matches(".*/(libcorelane_affinity|libjnidispatch|jna)[^/]*\\.(so|tmp)( .*)?"))
                .distinct()
                .toList();
    }
}
