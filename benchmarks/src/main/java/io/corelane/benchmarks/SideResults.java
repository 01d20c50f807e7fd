// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import org.HdrHistogram.Histogram;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Carries what a benchmark finds out beside its time, such as percentiles and counts, into JMH's results. It needs
 * {@code -prof io.corelane.benchmarks.SideResults} on the command line. Each value is the mean over all iterations.
 */
public final class SideResults implements InternalProfiler {
    /** A figure of this iteration. */
    private record Figure(double value, String unit) {}

    private static final ConcurrentSkipListMap<String, Figure> FIGURES = new ConcurrentSkipListMap<>();

    /** Called by JMH. */
    public SideResults() {}

    /**
     * Notes a figure of the present iteration; a later one of the same name replaces it.
     *
     * @param name its name
     * @param value its value
     * @param unit its unit
     */
    static void put(String name, double value, String unit) {
        FIGURES.put(name, new Figure(value, unit));
    }

    /**
     * Notes the percentiles of the present iteration.
     *
     * @param nanos a histogram of nanoseconds
     */
    static void putPercentiles(Histogram nanos) {
        for (double percentile : new double[] {50, 90, 99, 99.9, 99.99}) {
            put("p" + percentile, (double) nanos.getValueAtPercentile(percentile), "ns");
        }
        put("max", (double) nanos.getMaxValue(), "ns");
    }

    @Override
    public String getDescription() {
        return "figures that a benchmark finds out beside its time";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        FIGURES.clear();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        List<ScalarResult> results = new ArrayList<>();
        FIGURES.forEach((name, figure) ->
                results.add(new ScalarResult(name, figure.value(), figure.unit(), AggregationPolicy.AVG)));
        return results;
    }
}
