// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.JobHandle;
import io.corelane.Outcome;
import io.corelane.PinnedScheduler;
import io.corelane.RecordedLog;
import io.corelane.SchedulerStats;
import io.corelane.Stress;
import io.corelane.affinity.Pinning;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Run by {@link ThreadLimitIT} in a pids cgroup of its own. */
public final class ThreadLimitProgram {
    private static final Object POISON = "not a job";
    private static final String NO_THREAD = "no new thread to be had, trying again";
    private static final int JOBS = 1_000;

    private final Path group;

    private ThreadLimitProgram(Path group) {
        this.group = group;
    }

    /** What happens while there are no threads to be had. */
    enum Scenario {
        START_UNPINNED,
        START_PINNED,
        WORKER_DIES,
        WORKER_DIES_BEFORE_SHUTDOWN,
        WORKER_DIES_BEFORE_SHUTDOWN_NOW,
        WORKER_DIES_SEARCHING,
        BLOCKING_SECTIONS,
        FIRST_TIMER
    }

    private enum End {
        LIFT,
        SHUTDOWN_THEN_LIFT,
        SHUTDOWN_NOW
    }

    /** Takes the scenario and the cgroup. */
    public static void main(String[] arguments) {
        try {
            new ThreadLimitProgram(Path.of(arguments[1])).run(Scenario.valueOf(arguments[0]));
            System.out.println("all is as it should be");
        } catch (Throwable failure) {
            failure.printStackTrace();
            System.exit(1);
        }
    }

    private void run(Scenario scenario) throws Exception {
        warmUp();
        switch (scenario) {
            case START_UNPINNED -> start(Pinning.OFF);
            case START_PINNED -> start(Pinning.REQUIRED);
            case WORKER_DIES -> workerDies(End.LIFT);
            case WORKER_DIES_BEFORE_SHUTDOWN -> workerDies(End.SHUTDOWN_THEN_LIFT);
            case WORKER_DIES_BEFORE_SHUTDOWN_NOW -> workerDies(End.SHUTDOWN_NOW);
            case WORKER_DIES_SEARCHING -> workerDiesSearching();
            case BLOCKING_SECTIONS -> blockingSections();
            case FIRST_TIMER -> firstTimer();
        }
    }

    /** So that nothing but the scenario wants a thread later; JNA keeps one or two for a while. */
    private void warmUp() throws Exception {
        try (PinnedScheduler scheduler = builder(2, Pinning.REQUIRED).build()) {
            scheduler.submit(() -> scheduler.blocking(() -> 1)).join();
            scheduler.submit(() -> assertThat(scheduler.workers()).isEqualTo(2)).join();
        }
        Stress.await(
                () -> kernelNames().noneMatch(name -> name.startsWith("limited")),
                () -> "" + kernelNames().toList());
    }

    private static Stream<String> kernelNames() {
        List<String> names = new ArrayList<>();
        for (File task : Objects.requireNonNull(new File("/proc/self/task").listFiles())) {
            try {
                names.add(Files.readString(task.toPath().resolve("comm")));
            } catch (IOException ended) {
                // gone meanwhile
            }
        }
        return names.stream();
    }

    private static PinnedScheduler.Builder builder(int workers, Pinning pinning) {
        return PinnedScheduler.builder()
                .name("limited")
                .workers(workers)
                .pinning(pinning)
                .sharing(true);
    }

    private void start(Pinning pinning) throws Exception {
        for (int room = 0; room < 4; room++) {
            int before = threads();
            limit(before + room);
            assertThatThrownBy(() -> builder(8, pinning).build())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageMatching("worker [" + room + "-7] of 8: its thread cannot be started \\(.+\\)")
                    .hasCauseInstanceOf(OutOfMemoryError.class);
            assertThat(Thread.getAllStackTraces().keySet())
                    .noneMatch(thread -> thread.getName().startsWith("limited"));
            awaitThreads(before);
            if (room > 0) {
                AtomicInteger ran = new AtomicInteger();
                try (PinnedScheduler scheduler = builder(room, pinning).build()) {
                    for (int i = 0; i < JOBS; i++) {
                        scheduler.execute(ran::incrementAndGet);
                    }
                }
                assertThat(ran).hasValue(JOBS);
                awaitThreads(before);
            }
            lift();
        }
    }

    private void workerDies(End end) throws Exception {
        Queue<Throwable> deaths = new ConcurrentLinkedQueue<>();
        WorkerPool pool = WorkerPool.start(PoolConfig.unpinned("limited", 2, (job, failure) -> deaths.add(failure)));
        AtomicInteger[] runs = counters(2 * JOBS);
        List<Integer> lane = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch queued = new CountDownLatch(1);
        CountDownLatch mayDie = new CountDownLatch(1);
        CountDownLatch maySteal = new CountDownLatch(1);
        pool.lanes().lane(1).execute(() -> await(maySteal));
        pool.lanes().lane(0).execute(() -> {
            for (int i = 0; i < JOBS; i++) {
                pool.intake().execute(runs[i]::incrementAndGet);
            }
            queued.countDown();
            await(mayDie);
        });
        await(queued);
        assertThat(pool.workers[0].deque.size()).isEqualTo(JOBS);
        Objects.requireNonNull(pool.workers[0].mailbox).offer(POISON);
        for (int i = 0; i < JOBS; i++) {
            int number = i;
            pool.lanes().lane(0).execute(() -> lane.add(number));
        }
        JobHandle<Integer> last = pool.lanes().lane(0).submit(lane::size);

        limit(threads());
        mayDie.countDown();
        Stress.await(() -> RecordedLog.linesWith(NO_THREAD).size() >= 3, pool::dump);
        assertThat(deaths).hasSize(1);
        assertThat(pool.stats().workers().get(0).threadsReplaced()).isEqualTo(1);
        assertThat(pool.dump()).contains("worker 0: CPU asked none, got none, no thread");
        maySteal.countDown();
        for (int i = JOBS; i < 2 * JOBS; i++) {
            pool.intake().execute(runs[i]::incrementAndGet);
        }
        Stress.await(() -> sum(runs) == 2 * JOBS, pool::dump);
        assertThat(lane).isEmpty();

        if (end == End.SHUTDOWN_NOW) {
            assertThat(pool.shutdownNow()).hasSize(JOBS + 1); // with the handle
            assertThat(last.outcome()).isEqualTo(new Outcome.Cancelled<>());
            assertThat(lane).isEmpty();
        } else {
            if (end == End.SHUTDOWN_THEN_LIFT) {
                pool.shutdown();
                assertThat(pool.awaitTermination(50, TimeUnit.MILLISECONDS)).isFalse();
            }
            lift();
            assertThat(last.join()).isEqualTo(JOBS);
            assertThat(lane).isEqualTo(IntStream.range(0, JOBS).boxed().toList());
            pool.shutdown();
        }
        assertThat(pool.awaitTermination(60, TimeUnit.SECONDS))
                .as("%s", pool.dump())
                .isTrue();
        assertThat(runs).allMatch(count -> count.get() == 1);
        assertThat(deaths).hasSize(1);
        SchedulerStats stats = pool.stats();
        long ended = stats.jobsRun() + stats.jobsFailed() + stats.jobsCancelled() + stats.jobsHandedBack();
        assertThat(stats.jobsFailed()).as("the poison").isEqualTo(1);
        assertThat(stats.jobsSubmitted()).isEqualTo(ended);
    }

    /** One that looks for work keeps the others parked; when it dies somebody has to be woken all the same. */
    private void workerDiesSearching() throws Exception {
        Queue<Throwable> deaths = new ConcurrentLinkedQueue<>();
        PoolConfig parking = PoolConfig.unpinned("limited", 2, (job, failure) -> deaths.add(failure));
        WorkerPool pool = WorkerPool.start(new PoolConfig(
                parking.name(),
                parking.workers(),
                parking.placement(),
                parking.intake(),
                parking.lifo(),
                new PoolConfig.Idling(TimeUnit.HOURS.toNanos(1), false),
                parking.joinHelp(),
                parking.spareThreads(),
                parking.context(),
                parking.daemon(),
                parking.failureHandler(),
                null));
        Stress.await(() -> pool.eventCount.isParked(0) != pool.eventCount.isParked(1), pool::dump);
        int searcher = pool.eventCount.isParked(0) ? 1 : 0;
        assertThat(pool.eventCount.searching()).isEqualTo(1);
        limit(threads());
        Victims victims = pool.victims[searcher];
        pool.victims[searcher] = null;
        Stress.await(() -> RecordedLog.linesWith(NO_THREAD).size() >= 2, pool::dump);
        pool.victims[searcher] = victims;
        assertThat(deaths).hasSize(1).hasOnlyElementsOfType(NullPointerException.class);
        assertThat(pool.intake().submit(() -> 42).join(Duration.ofSeconds(30))).isEqualTo(42);
        lift();
        pool.shutdown();
        assertThat(pool.awaitTermination(60, TimeUnit.SECONDS))
                .as("%s", pool.dump())
                .isTrue();
    }

    private void blockingSections() throws Exception {
        try (PinnedScheduler scheduler = builder(2, Pinning.OFF).build()) {
            limit(threads());
            CountDownLatch firstEnds = new CountDownLatch(1);
            JobHandle<String> first = scheduler.submit(() -> scheduler.blocking(() -> {
                await(firstEnds);
                return "first";
            }));
            AtomicInteger[] runs = counters(2 * JOBS);
            for (int i = 0; i < JOBS; i++) {
                scheduler.execute(runs[i]::incrementAndGet);
            }
            Stress.await(() -> sum(runs) == JOBS, scheduler::dump);
            Stress.await(
                    () -> !RecordedLog.linesWith("no spare thread to be had").isEmpty(), scheduler::dump);
            assertThat(scheduler.stats().threadsAway()).isZero();

            CountDownLatch secondEnds = new CountDownLatch(1);
            CountDownLatch secondBegan = new CountDownLatch(1);
            JobHandle<String> second = scheduler.submit(() -> scheduler.blocking(() -> {
                secondBegan.countDown();
                await(secondEnds);
                throw new IOException("second");
            }));
            await(secondBegan); // both workers are blocked
            for (int i = JOBS; i < 2 * JOBS; i++) {
                scheduler.execute(runs[i]::incrementAndGet);
            }
            assertThat(sum(runs)).isEqualTo(JOBS);
            firstEnds.countDown();
            assertThat(first.join()).isEqualTo("first");
            Stress.await(() -> sum(runs) == 2 * JOBS, scheduler::dump);
            secondEnds.countDown();
            assertThatThrownBy(second::get).hasCauseInstanceOf(IOException.class);
            assertThat(runs).allMatch(count -> count.get() == 1);

            lanesGoOn(scheduler);
            assertThat(scheduler.submit(() -> nested(scheduler, 300)).join()).isEqualTo(300);
            lift();
            sparesComeAgain(scheduler);
        }
    }

    /** A lane is held while its job blocks, but not after a section for which there was no spare thread. */
    private static void lanesGoOn(PinnedScheduler scheduler) throws Exception {
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 10; i++) {
            int number = i;
            scheduler.lane(0).submit(() -> scheduler.blocking(() -> order.add(number)));
        }
        assertThat(scheduler.lane(0).submit(order::size).join(Duration.ofSeconds(60)))
                .isEqualTo(10);
        assertThat(order).isSorted();
    }

    private static int nested(PinnedScheduler scheduler, int depth) {
        return depth == 0
                ? 0
                : 1 + scheduler.submit(() -> nested(scheduler, depth - 1)).join();
    }

    private static void sparesComeAgain(PinnedScheduler scheduler) throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(2);
        List<JobHandle<?>> blocked = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            blocked.add(scheduler.submit(() -> scheduler.blocking(() -> {
                begun.countDown();
                await(end);
                return true;
            })));
        }
        await(begun);
        assertThat(scheduler.submit(() -> 42).join(Duration.ofSeconds(60))).isEqualTo(42);
        end.countDown();
        blocked.forEach(JobHandle::join);
    }

    private void firstTimer() throws Exception {
        PinnedScheduler scheduler = builder(2, Pinning.OFF).build();
        limit(threads());
        AtomicInteger ran = new AtomicInteger();
        assertThatThrownBy(() -> scheduler.schedule(ran::incrementAndGet, 0, TimeUnit.SECONDS))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("the timer thread cannot be started");
        assertThatThrownBy(() -> scheduler.submitWithin(ran::incrementAndGet, Duration.ofHours(1)))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("the timer thread cannot be started");
        assertThat(scheduler.submit(() -> 42).join()).isEqualTo(42);
        assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(60))).isTrue();
        assertThat(ran).as("rejected jobs").hasValue(0);
        lift();
        assertThat(scheduler.schedule(ran::incrementAndGet, 0, TimeUnit.SECONDS).join())
                .isEqualTo(1);
        assertThat(scheduler
                        .submitWithin(ran::incrementAndGet, Duration.ofHours(1))
                        .join())
                .isEqualTo(2);
        scheduler.close();
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.jobsRun()).isEqualTo(3);
        assertThat(stats.jobsSubmitted()).isEqualTo(3);
    }

    private static AtomicInteger[] counters(int count) {
        return IntStream.range(0, count).mapToObj(i -> new AtomicInteger()).toArray(AtomicInteger[]::new);
    }

    private static int sum(AtomicInteger[] counters) {
        int sum = 0;
        for (AtomicInteger counter : counters) {
            sum += counter.get();
        }
        return sum;
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private int threads() {
        try {
            return Integer.parseInt(
                    Files.readString(group.resolve("pids.current")).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A thread that has ended for Java is counted by the kernel a little longer. */
    private void awaitThreads(int count) {
        Stress.await(() -> threads() <= count, () -> threads() + " threads, expected " + count);
    }

    private void limit(int threads) throws IOException {
        Files.writeString(group.resolve("pids.max"), Integer.toString(threads));
    }

    private void lift() throws IOException {
        Files.writeString(group.resolve("pids.max"), "max");
    }
}
