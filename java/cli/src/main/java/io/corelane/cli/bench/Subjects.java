// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import io.corelane.PinnedScheduler;
import io.corelane.WorkerStats;
import io.corelane.affinity.CpuSet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The subjects of a benchmark: Corelane first, then its peers with as many threads. */
final class Subjects {
    /** Starting a thread costs so much more than queueing a job that fewer jobs tell enough. */
    static final int THREAD_PER_JOB_DIVISOR = 100;

    private Subjects() {}

    /**
     * Lists the subjects; starts the scheduler once to learn its defaults and to find a refused pin early.
     *
     * @param settings what to measure
     * @param allowedCpus how many CPUs a thread that is not pinned may use
     * @throws io.corelane.affinity.AffinityException if a required pin is refused
     * @throws IllegalArgumentException if the scheduler does not accept the settings
     */
    static List<Subject> list(BenchSettings settings, int allowedCpus) {
        List<Subject> subjects = new ArrayList<>();
        Subject corelane = corelane(settings.scheduler(), allowedCpus);
        subjects.add(corelane);
        if (settings.compare()) {
            int threads = corelane.threads();
            int cpus = Math.min(threads, allowedCpus);
            subjects.add(forkJoin(threads, cpus));
            subjects.add(threadPool(threads, cpus));
            subjects.add(threadPerJob(allowedCpus));
        }
        return List.copyOf(subjects);
    }

    private static Subject corelane(SchedulerSettings settings, int allowedCpus) {
        try (PinnedScheduler probe = settings.start()) {
            int workers = probe.workers();
            CpuSet pinned = CpuSet.of(probe.stats().workers().stream()
                    .mapToInt(WorkerStats::cpu)
                    .filter(cpu -> cpu >= 0)
                    .toArray());
            int cpus = pinned.size() == workers ? workers : Math.min(workers, allowedCpus);
            String setup =
                    workers(workers) + ", " + placement(pinned, probe.stats().note());
            return new Subject("Corelane", setup, workers, cpus, 1, settings::start);
        }
    }

    private static String placement(CpuSet pinned, String note) {
        String place = pinned.isEmpty() ? "not pinned" : "pinned to CPUs " + pinned;
        return note.isEmpty() ? place : place + " (" + note + ")";
    }

    /** In FIFO order, as its documentation advises for jobs that are never joined. */
    private static Subject forkJoin(int threads, int cpus) {
        return new Subject(
                "ForkJoinPool",
                workers(threads) + ", asyncMode",
                threads,
                cpus,
                1,
                () -> new ForkJoinPool(threads, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true));
    }

    private static Subject threadPool(int threads, int cpus) {
        return new Subject(
                "ThreadPoolExecutor",
                workers(threads) + ", LinkedBlockingQueue",
                threads,
                cpus,
                1,
                () -> new ThreadPoolExecutor(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>()));
    }

    private static Subject threadPerJob(int cpus) {
        return new Subject(
                "thread-per-job",
                "scaled down to 1/" + THREAD_PER_JOB_DIVISOR + " of the jobs",
                0,
                cpus,
                THREAD_PER_JOB_DIVISOR,
                ThreadPerJobExecutor::new);
    }

    private static String workers(int count) {
        return count == 1 ? "1 worker" : count + " workers";
    }
}
