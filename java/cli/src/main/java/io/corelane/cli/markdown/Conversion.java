// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import io.corelane.PinnedScheduler;
import io.corelane.SchedulerStats;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts the pages that were collected and makes the report. */
final class Conversion {
    private final PinnedScheduler scheduler;
    private final PageCollector collector;
    private final StopSignal stop;

    Conversion(PinnedScheduler scheduler, PageCollector collector, StopSignal stop) {
        this.scheduler = scheduler;
        this.collector = collector;
        this.stop = stop;
    }

    /**
     * Runs the conversion.
     *
     * @param compareRounds how many rounds to compare with other pools, or 0
     */
    Report run(OutputDirectory out, int compareRounds) {
        List<PageJob> jobs = jobs(out);
        long start = System.nanoTime();
        List<Ending> endings = convert(jobs);
        double seconds = (System.nanoTime() - start) / 1e9;
        out.close();
        SchedulerStats stats = scheduler.stats();
        List<Failure> failures = new ArrayList<>(collector.failures());
        for (int i = 0; i < jobs.size(); i++) {
            if (endings.get(i) instanceof Ending.Failed failed) {
                failures.add(Failure.of(jobs.get(i).page().name(), failed.cause()));
            }
        }
        Totals totals = Totals.of(endings).plus(collector.failures().size(), collector.skipped());
        Comparison comparison = compare(compareRounds, endings, jobs);
        return new Report(totals, seconds, stats, failures, stop.requested(), comparison);
    }

    private List<PageJob> jobs(MarkdownSink sink) {
        PageConverter converter = new PageConverter(new LinkIndex(collector.pages()));
        return collector.pages().stream()
                .map(page -> new PageJob(page, converter, sink, stop))
                .toList();
    }

    private List<Ending> convert(List<PageJob> jobs) {
        WindowedRunner runner = new WindowedRunner(new CorelanePool(scheduler), scheduler.workers());
        try (Progress progress = Progress.of("markdown", jobs.size())) {
            List<Ending> endings = runner.run(jobs, stop, progress);
            for (int i = 0; i < jobs.size() && !stop.requested(); i++) {
                if (endings.get(i) instanceof Ending.Failed failed && failed.cause() instanceof OutOfMemoryError) {
                    // it, or another that took the heap: each gets the heap to itself once
                    endings.set(
                            i,
                            runner.run(jobs.subList(i, i + 1), stop, () -> {}).get(0));
                }
            }
            return endings;
        }
    }

    /** Compares the ways on the documents that converted: failing is no work to measure. */
    private @Nullable Comparison compare(int rounds, List<Ending> endings, List<PageJob> jobs) {
        List<PageJob> good = new ArrayList<>();
        for (int i = 0; i < jobs.size(); i++) {
            if (endings.get(i) instanceof Ending.Converted) {
                PageJob job = jobs.get(i);
                good.add(new PageJob(job.page(), job.converter(), MarkdownSink.NOWHERE, stop));
            }
        }
        return rounds == 0 || good.isEmpty() || stop.requested()
                ? null
                : new ComparisonRun(good, rounds, stop).run(scheduler);
    }
}
