// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.PinEvent;
import io.corelane.PinnedScheduler;
import io.corelane.RecordedLog;
import io.corelane.SchedulerListener;
import io.corelane.SchedulerStats;
import io.corelane.Stress;
import io.corelane.WorkerStats;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.ThreadAffinity;
import io.corelane.topology.CpuSelection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Run by {@link PinWatcherIT}, on CPUs 0 and 1: has its masks changed from outside while jobs go on, and checks what the watcher makes
 * of it and that each job ran once.
 */
public final class PinWatcherProgram {
    private static final CpuSelection BOTH = CpuSelection.of(CpuSet.of(0, 1));

    private final Queue<PinEvent> events = new ConcurrentLinkedQueue<>();
    private final PinnedScheduler scheduler;
    private final AtomicLong submitted = new AtomicLong();
    private final AtomicLong ran = new AtomicLong();
    private volatile boolean ending;

    /** What happens to the process. */
    public enum Scenario {
        /** A cpuset loses one of two CPUs and gets it back. */
        CPUSET,
        /** A cpuset loses the CPU of the only worker. */
        CPUSET_MOVES,
        /** A cpuset loses the CPU of the only worker and has one that the selection excludes. */
        CPUSET_STAYS,
        /** A CPU is switched off and on. */
        HOTPLUG,
        /** The mask of one thread is changed by another program. */
        TASKSET_OF_A_THREAD,
        /** The mask of the whole process is changed by another program. */
        TASKSET_OF_ALL
    }

    private PinWatcherProgram(int workers, CpuSelection cpus) {
        scheduler = PinnedScheduler.builder()
                .name("watched")
                .workers(workers)
                .cpus(cpus)
                .listener(new SchedulerListener() {
                    @Override
                    public void onPinChanged(PinEvent event) {
                        events.add(event);
                        throw new IllegalStateException("a listener that throws");
                    }
                })
                .build();
    }

    /** Takes the scenario and what is to be changed: a cpuset's folder, or nothing. */
    public static void main(String[] arguments) throws Exception {
        Scenario scenario = Scenario.valueOf(arguments[0]);
        Path place = Path.of(arguments[1]);
        switch (scenario) {
            case CPUSET ->
                new PinWatcherProgram(2, BOTH).loseAndRegain(() -> write(place, "0"), () -> write(place, "0-1"));
            case CPUSET_MOVES ->
                new PinWatcherProgram(1, CpuSelection.allowed())
                        .moveAway(() -> write(place, "1"), () -> write(place, "0-1"));
            case CPUSET_STAYS ->
                new PinWatcherProgram(1, CpuSelection.allowed().excluding(CpuSet.of(1)))
                        .stayUnpinned(() -> write(place, "1"), () -> write(place, "0-1"));
            case HOTPLUG ->
                new PinWatcherProgram(2, BOTH).loseAndRegain(() -> write(place, "0"), () -> write(place, "1"));
            case TASKSET_OF_A_THREAD -> new PinWatcherProgram(2, BOTH).repin();
            case TASKSET_OF_ALL ->
                new PinWatcherProgram(2, BOTH).loseAndRegain(() -> taskset("-ap", "1"), () -> taskset("-ap", "3"));
        }
        System.out.println("all is as it should be");
    }

    private void loseAndRegain(Stress.Body lose, Stress.Body regain) throws Exception {
        try (scheduler) {
            List<Thread> load = load();
            lose.run();
            awaitEvent(1, PinEvent.Change.LOST);
            assertThat(maskOfLane(1)).isEqualTo(CpuSet.of(0));
            assertThat(worker(1).cpu()).isEqualTo(-1);
            assertThat(scheduler.dump()).contains("CPU asked 1, got none (pinned again ");
            assertJobsGoOn();
            assertThat(scheduler.blocking(() -> 42))
                    .as("outside a worker it just runs")
                    .isEqualTo(42);
            assertThat(scheduler
                            .submit(() -> scheduler.blocking(ThreadAffinity::get))
                            .join())
                    .as("a thread that is away uses what is left")
                    .isEqualTo(CpuSet.of(0));
            regain.run();
            awaitEvent(1, PinEvent.Change.RESTORED);
            assertThat(maskOfLane(1)).isEqualTo(CpuSet.of(1));
            assertThat(maskOfLane(0)).isEqualTo(CpuSet.of(0));
            assertThat(worker(1).pins().lost()).isPositive();
            assertThat(worker(1).pins().restored()).isPositive();
            assertThat(kernelNames()).contains("watched-0@0", "watched-1@1");
            end(load);
        }
    }

    private void moveAway(Stress.Body lose, Stress.Body regain) throws Exception {
        try (scheduler) {
            List<Thread> load = load();
            lose.run();
            awaitEvent(0, PinEvent.Change.MOVED);
            assertThat(maskOfLane(0)).isEqualTo(CpuSet.of(1));
            assertThat(worker(0).cpu()).isEqualTo(1);
            assertThat(kernelNames()).contains("watched-0@1");
            assertJobsGoOn();
            regain.run();
            awaitEvent(0, PinEvent.Change.RESTORED);
            assertThat(maskOfLane(0)).isEqualTo(CpuSet.of(0));
            assertThat(kernelNames()).contains("watched-0@0");
            end(load);
        }
    }

    private void stayUnpinned(Stress.Body lose, Stress.Body regain) throws Exception {
        try (scheduler) {
            List<Thread> load = load();
            lose.run();
            awaitEvent(0, PinEvent.Change.LOST);
            assertThat(worker(0).cpu()).isEqualTo(-1);
            assertThat(worker(0).threadName()).isEqualTo("watched-worker-0");
            assertJobsGoOn();
            regain.run();
            awaitEvent(0, PinEvent.Change.RESTORED);
            assertThat(events).noneMatch(event -> event.change() == PinEvent.Change.MOVED);
            assertThat(worker(0).threadName()).isEqualTo("watched-worker-0-cpu0");
            end(load);
        }
    }

    private void repin() throws Exception {
        try (scheduler) {
            List<Thread> load = load();
            String tid = String.valueOf(
                    scheduler.lane(1).submit(ThreadAffinity::threadId).join());
            run("taskset", "-p", "1", tid);
            awaitEvent(1, PinEvent.Change.REPINNED);
            assertThat(maskOfLane(1)).isEqualTo(CpuSet.of(1));
            assertThat(worker(1).pins().repinned()).isPositive();
            assertThat(events).allMatch(event -> event.worker() == 1).allMatch(event -> event.planned() == 1);
            end(load);
        }
    }

    /** Submits a few jobs at a time, always. */
    private List<Thread> load() {
        List<Thread> submitters = Stream.generate(() -> new Thread(this::submitUntilTheEnd))
                .limit(2)
                .toList();
        submitters.forEach(Thread::start);
        Stress.await(() -> ran.get() > 1000, scheduler::dump);
        return submitters;
    }

    private void submitUntilTheEnd() {
        while (!ending) {
            CountDownLatch batch = new CountDownLatch(10);
            for (int i = 0; i < 10; i++) {
                submitted.incrementAndGet();
                scheduler.execute(() -> {
                    ran.incrementAndGet();
                    batch.countDown();
                });
            }
            try {
                batch.await();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void end(List<Thread> load) throws Exception {
        ending = true;
        for (Thread submitter : load) {
            submitter.join();
        }
        scheduler.close();
        assertThat(ran).hasValue(submitted.get());
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.jobsSubmitted()).isEqualTo(stats.jobsRun());
        Stress.await(() -> kernelNames().stream().noneMatch("corelane-pin-wat"::startsWith), this::state);
    }

    private void assertJobsGoOn() {
        long before = ran.get();
        Stress.await(() -> ran.get() > before + 1000, scheduler::dump);
    }

    private void awaitEvent(int worker, PinEvent.Change change) {
        Stress.await(
                () -> events.stream().anyMatch(event -> event.worker() == worker && event.change() == change),
                this::state);
    }

    private String state() {
        return events + " " + RecordedLog.linesWith("") + " " + kernelNames() + "\n" + scheduler.dump();
    }

    private CpuSet maskOfLane(int worker) {
        return scheduler.lane(worker).submit(() -> ThreadAffinity.get()).join();
    }

    private WorkerStats worker(int index) {
        return scheduler.stats().workers().get(index);
    }

    private static List<String> kernelNames() {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            return tasks.map(PinWatcherProgram::name).toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String name(Path task) {
        try {
            return Files.readString(task.resolve("comm")).strip();
        } catch (IOException ended) {
            return "";
        }
    }

    private static void write(Path file, String text) throws IOException {
        Files.writeString(file, text);
    }

    private static void taskset(String flags, String mask) throws Exception {
        run("taskset", flags, mask, String.valueOf(ProcessHandle.current().pid()));
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }
}
