// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import io.corelane.benchmarks.DirectJobs;
import io.corelane.benchmarks.ExternalJobs;
import io.corelane.benchmarks.Producers;
import io.corelane.benchmarks.QueuedMemory;
import io.corelane.benchmarks.RunCounters;
import io.corelane.benchmarks.Subjects;
import io.corelane.benchmarks.Work;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/** What runs in the JVM of a fork: reads a {@link Task}, measures, writes a {@link ForkResult}. */
final class ForkMain {
    private static final int WAITING_ROUNDS = 3;

    private final Task task;
    private final Row row;
    private final String subject;

    private ForkMain(Task task) {
        this.task = task;
        this.row = task.fork().row();
        this.subject = task.fork().subject();
    }

    /**
     * Measures and exits.
     *
     * @param arguments the task's file and the result's file
     * @throws Exception if anything fails; the parent sees the exit code and keeps the trace
     */
    public static void main(String[] arguments) throws Exception {
        Task task = Json.read(Path.of(arguments[0]), Task.class);
        Json.write(Path.of(arguments[1]), new ForkMain(task).measure());
        System.exit(0); // whatever threads a subject has left behind
    }

    private ForkResult measure() throws Exception {
        return switch (row.kind()) {
            case RAW -> ForkResult.named(task.fork(), new RawCosts(task.measureMillis()).measure());
            case LATENCY -> new LatencyRows(task).pinned();
            case NEIGHBOUR -> new LatencyRows(task).besideNeighbour();
            case EXECUTE -> subject.equals(Row.DIRECT) ? direct() : execute();
            case BATCHES -> execute();
            case WAITING -> waiting();
            case SUBMIT -> submit();
            case FIB, TREE, SKYNET -> result(steps().trees(), steps().forksPerStep(), 0);
            case SELF_SUBMISSION -> result(steps().selfSubmission(), 1, 0);
            case PING_PONG -> result(steps().pingPong(), 1, 0);
            case FAN_OUT_RESULTS, FAN_OUT_COUNTED -> result(steps().fanOut(), 1, 0);
            case LOOP -> result(steps().loops(), 1, 0);
            case KEYED -> result(steps().keyed(), 1, 0);
        };
    }

    private StepRows steps() {
        return new StepRows(task);
    }

    private ForkResult result(Measured measured, double partsPerStep, long ownBytes) {
        return ForkResult.values(
                task.fork(), measured.values(), measured.each(row.kind().costs(), partsPerStep, ownBytes));
    }

    private ForkResult execute() throws Exception {
        RunCounters counters = new RunCounters(Subjects.hasThreadPerJob(subject));
        Work work = Work.calibrated(row.jobNanos(), counters);
        ExecutorService executor = Subjects.create(subject, row.workers());
        int share = Math.max(1, task.jobs() / row.producers());
        int jobs = share * row.producers();
        long[] expected = {0};
        long ownBytes = Usage.bytesOfOne(work::newJob);
        try (Producers producers = new Producers(row.producers())) {
            Measured measured = new Rounds(task).measure(() -> {
                expected[0] += jobs;
                producers.submit(jobs, own -> {
                    if (row.kind() == Row.Kind.BATCHES) {
                        ExternalJobs.submitInBatches(executor, own, work::newJob);
                    } else {
                        for (int i = 0; i < own; i++) {
                            executor.execute(work.newJob());
                        }
                    }
                });
                counters.awaitTotal(expected[0]);
                return jobs;
            });
            return result(measured, 1, ownBytes);
        } finally {
            executor.shutdownNow();
        }
    }

    /** The same jobs with no scheduler between: the bound. */
    private ForkResult direct() throws Exception {
        RunCounters counters = new RunCounters();
        Work work = Work.calibrated(row.jobNanos(), counters);
        int jobs = Math.max(1, task.jobs() / row.workers()) * row.workers();
        long[] expected = {0};
        long ownBytes = Usage.bytesOfOne(work::newJob);
        try (Producers threads = new Producers(row.workers())) {
            Measured measured = new Rounds(task).measure(() -> {
                expected[0] += jobs;
                DirectJobs.run(threads, work, jobs);
                counters.awaitTotal(expected[0]);
                return jobs;
            });
            return result(measured, 1, ownBytes);
        }
    }

    /** Each figure with a new pool: some keep the memory of a burst for the next. */
    private ForkResult waiting() throws InterruptedException {
        List<Double> values = new ArrayList<>();
        for (int i = 0; i < WAITING_ROUNDS; i++) {
            ExecutorService executor = Subjects.create(subject, row.workers());
            try {
                values.add(QueuedMemory.bytesPerJob(executor, row.workers()));
            } finally {
                executor.shutdownNow();
            }
        }
        return ForkResult.values(task.fork(), values, Map.of());
    }

    private ForkResult submit() throws Exception {
        ExecutorService executor = Subjects.create(subject, row.workers());
        Future<?>[] handles = new Future<?>[task.jobs()];
        long ownBytes = Usage.bytesOfOne(() -> returning(1));
        try {
            Measured measured = new Rounds(task).measure(() -> {
                long sum = 0;
                for (int i = 0; i < handles.length; i++) {
                    Integer result = i & 127;
                    sum -= result;
                    handles[i] = executor.submit(returning(result));
                }
                for (Future<?> handle : handles) {
                    sum += (Integer) handle.get();
                }
                if (sum != 0) {
                    throw new IllegalStateException("the results are off by " + sum);
                }
                return handles.length;
            });
            return result(measured, 1, ownBytes);
        } finally {
            executor.shutdownNow();
        }
    }

    private static Callable<Integer> returning(Integer result) {
        return () -> result;
    }
}
