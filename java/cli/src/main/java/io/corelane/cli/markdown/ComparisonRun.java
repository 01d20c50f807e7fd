// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import io.corelane.PinnedScheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import org.jspecify.annotations.Nullable;

/**
 * Measures the same jobs on Corelane, on a {@link ForkJoinPool} of the same size and one after the other.
 *
 * <p>Every way runs once to warm up. The measured rounds run all ways, forwards and backwards in turn (ABC, CBA), so that
 * none profits from its place. Both pools exist throughout and are idle while another way runs.
 */
final class ComparisonRun {
    private static final int WAYS = 3;

    private final List<PageJob> jobs;
    private final int rounds;
    private final StopSignal stop;

    ComparisonRun(List<PageJob> jobs, int rounds, StopSignal stop) {
        this.jobs = jobs;
        this.rounds = rounds;
        this.stop = stop;
    }

    /** Returns the times, or null if the command was told to stop before all were taken. */
    @Nullable
    Comparison run(PinnedScheduler scheduler) {
        int workers = scheduler.workers();
        ForkJoinPool pool = new ForkJoinPool(workers);
        try (Progress progress = Progress.of("compare", jobs.size() * WAYS * (rounds + 1))) {
            List<Contender> contenders = List.of(
                    new Contender("corelane", new WindowedRunner(new CorelanePool(scheduler), workers)),
                    new Contender("ForkJoinPool", new WindowedRunner(new ForkJoinJobPool(pool), workers)),
                    new Contender("sequential", new SequentialRunner()));
            Totals work = null;
            boolean sameWork = true;
            for (int turn = 0; turn < WAYS * (rounds + 1) && !stop.requested(); turn++) {
                Totals done = contenders.get(index(turn)).run(turn >= WAYS, progress);
                work = work == null ? done : work;
                sameWork &= work.equals(done);
            }
            List<Comparison.Way> ways = contenders.stream().map(Contender::way).toList();
            return stop.requested() || work == null ? null : new Comparison(workers, work.converted(), sameWork, ways);
        } finally {
            pool.shutdownNow();
        }
    }

    /** Returns whose turn it is: 0 1 2, 2 1 0, 0 1 2, and so on. */
    static int index(int turn) {
        int place = turn % WAYS;
        return turn / WAYS % 2 == 0 ? place : WAYS - 1 - place;
    }

    /** One of the ways, and its times so far. */
    private final class Contender {
        private final String name;
        private final ConversionRunner runner;
        private final List<Double> seconds = new ArrayList<>();

        Contender(String name, ConversionRunner runner) {
            this.name = name;
            this.runner = runner;
        }

        Totals run(boolean measured, Progress progress) {
            long start = System.nanoTime();
            List<Ending> endings = runner.run(jobs, stop, progress);
            double took = (System.nanoTime() - start) / 1e9;
            if (measured) {
                seconds.add(took);
            }
            return Totals.of(endings);
        }

        Comparison.Way way() {
            return new Comparison.Way(name, seconds);
        }
    }
}
