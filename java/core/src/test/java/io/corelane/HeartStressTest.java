// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.Pinning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every way in at once, in every shape of pool: each job runs exactly once, no wake-up is lost, and the books are right.
 * The long form takes all combinations of the values below, with more jobs.
 */
class HeartStressTest {
    private static final List<String> IDLE = List.of("default", "park", "spin", "busy");

    /** A pool and who submits to it. */
    record Shape(int workers, int producers, LocalOrder order, String idle, Pinning pinning) {}

    static Stream<Shape> shapes() {
        if (!Stress.isLong()) {
            return Stream.of(
                    new Shape(1, 1, LocalOrder.FIFO, "default", Pinning.REQUIRED),
                    new Shape(1, 64, LocalOrder.LIFO, "park", Pinning.OFF),
                    new Shape(2, 1, LocalOrder.LIFO, "default", Pinning.REQUIRED),
                    new Shape(2, 4, LocalOrder.FIFO, "park", Pinning.REQUIRED),
                    new Shape(2, 4, LocalOrder.LIFO, "spin", Pinning.OFF),
                    new Shape(2, 64, LocalOrder.FIFO, "busy", Pinning.OFF),
                    new Shape(8, 1, LocalOrder.FIFO, "default", Pinning.OFF),
                    new Shape(8, 64, LocalOrder.LIFO, "default", Pinning.REQUIRED),
                    new Shape(64, 4, LocalOrder.FIFO, "park", Pinning.OFF),
                    new Shape(64, 64, LocalOrder.LIFO, "default", Pinning.OFF),
                    new Shape(256, 1, LocalOrder.FIFO, "default", Pinning.OFF),
                    new Shape(256, 64, LocalOrder.LIFO, "park", Pinning.REQUIRED));
        }
        return Stream.of(1, 2, 8, 64, 256)
                .flatMap(workers -> Stream.of(1, 4, 64).flatMap(producers -> Stream.of(LocalOrder.values())
                        .flatMap(order -> IDLE.stream().flatMap(idle -> Stream.of(Pinning.OFF, Pinning.REQUIRED)
                                .map(pinning -> new Shape(workers, producers, order, idle, pinning))))))
                .filter(shape -> shape.workers() <= 8 || !shape.idle().equals("busy")); // 64 spinners run nothing else
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void everyJobRunsOnceByWhateverWayItCame(Shape shape) throws Exception {
        int perProducer = Stress.scaled(400_000) / shape.producers();
        Ledger ledger = new Ledger(perProducer * shape.producers());
        PinnedScheduler scheduler = builder(shape).daemon(true).build();
        Stress.Threads threads = new Stress.Threads();
        for (int p = 0; p < shape.producers(); p++) {
            int first = p * perProducer;
            threads.start("producer-" + p, () -> ledger.submit(scheduler, first, first + perProducer));
        }
        Thread prodder = threads.start("prodder", () -> prodWorkers("stress-" + shape.hashCode()));
        Stress.awaitProgress(ledger.ended::get, ledger.runs.length(), () -> shape + " " + scheduler.stats());
        prodder.interrupt();
        threads.join(() -> shape + " " + scheduler.stats());
        Schedulers.end(scheduler);
        ledger.assertEachRanOnce();
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.jobsSubmitted()).isEqualTo(stats.jobsRun()).isEqualTo(ledger.runs.length());
    }

    private static PinnedScheduler.Builder builder(Shape shape) {
        PinnedScheduler.Builder builder = PinnedScheduler.builder()
                .name("stress-" + shape.hashCode())
                .workers(shape.workers())
                .localOrder(shape.order())
                .pinning(shape.pinning());
        if (shape.pinning() != Pinning.OFF) {
            builder.sharing(true);
        }
        return switch (shape.idle()) {
            case "park" -> builder.idle(IdlePolicy.park());
            case "spin" -> builder.idle(IdlePolicy.spinThenPark(Duration.ofNanos(20_000)));
            case "busy" -> builder.idle(IdlePolicy.busySpin());
            default -> builder;
        };
    }

    /** Ends parks that nobody else ended, which is when a worker can notice that a wake-up was lost. */
    private static void prodWorkers(String scheduler) {
        List<Thread> workers = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(scheduler))
                .toList();
        for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
            LockSupport.unpark(workers.get(i % workers.size()));
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(500));
        }
    }

    /** What was submitted and how often it ran. */
    private static final class Ledger {
        final AtomicIntegerArray runs;
        final AtomicLong ended = new AtomicLong();

        Ledger(int jobs) {
            runs = new AtomicIntegerArray(jobs);
        }

        /** Submits the jobs from..to by turns one by one, in batches, with handles, and from jobs. */
        void submit(PinnedScheduler scheduler, int from, int to) {
            int next = from;
            for (int round = 0; next < to; round++) {
                int size = Math.min(
                        to - next, 1 + round * 37 % (round % 16 == 0 ? 3000 : 60)); // some make a deque grow and shrink
                List<Runnable> jobs = jobs(next, next + size);
                next += size;
                switch (round % 5) {
                    case 0 -> scheduler.executeAll(jobs);
                    case 1 -> jobs.forEach(scheduler::execute);
                    case 2 ->
                        jobs.forEach(
                                job -> assertThat(scheduler.tryExecute(job)).isTrue());
                    case 3 -> fromWithin(scheduler, jobs, false);
                    default -> fromWithin(scheduler, jobs, true);
                }
            }
        }

        /** The first job submits the others: one by one, or at once. */
        private void fromWithin(PinnedScheduler scheduler, List<Runnable> jobs, boolean burst) {
            List<Runnable> others = jobs.subList(1, jobs.size());
            scheduler.execute(new Parent(scheduler, jobs.get(0), others, burst));
        }

        private List<Runnable> jobs(int from, int to) {
            List<Runnable> jobs = new ArrayList<>();
            for (int i = from; i < to; i++) {
                int number = i;
                jobs.add(() -> {
                    runs.incrementAndGet(number);
                    ended.incrementAndGet();
                });
            }
            return jobs;
        }

        void assertEachRanOnce() {
            for (int i = 0; i < runs.length(); i++) {
                assertThat(runs.get(i)).as("job %d", i).isEqualTo(1);
            }
        }
    }

    /** A job that submits others from its worker, and then does its own work. */
    private record Parent(PinnedScheduler scheduler, Runnable own, List<Runnable> others, boolean burst)
            implements Runnable {
        @Override
        public void run() {
            if (burst) {
                scheduler.executeAll(others);
            } else {
                others.forEach(scheduler::execute);
            }
            own.run();
        }
    }
}
