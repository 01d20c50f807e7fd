// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A small report with a win, a loss, a subject that failed and one that hung. */
final class Recorded {
    static final Row WON = row("won", Row.Kind.EXECUTE, 1, "corelane", "fjp-fifo", "ring");
    static final Row MORE_PRODUCERS = row("more", Row.Kind.EXECUTE, 4, "corelane", "fjp-fifo");
    static final Row LOST = row("lost", Row.Kind.LATENCY, 1, "corelane-park", "tpe-lbq", "direct");

    static final Row FORKED = row("forked", Row.Kind.FIB, 1, "corelane", "fjp-lifo", "direct");

    private Recorded() {}

    private static Row row(String id, Row.Kind kind, int producers, String... subjects) {
        return new Row(id, "row " + id, kind, producers, 2, 0, "10", List.of(subjects));
    }

    static Profile profile() {
        return new Profile("recorded", List.of(WON, MORE_PRODUCERS, LOST, FORKED), 2, 1, 1, 1, 64, 5, 0);
    }

    static List<ForkResult> results() {
        List<ForkResult> results = new ArrayList<>();
        results.add(ForkResult.named(Task.raw(), Map.of("CAS", 3.1)));
        for (int repetition = 0; repetition < 2; repetition++) {
            results.add(values(WON, "corelane", repetition, 40 + repetition, 42 + repetition));
            results.add(values(WON, "fjp-fifo", repetition, 20, 21));
            results.add(values(MORE_PRODUCERS, "corelane", repetition, 38 + 3 * repetition));
            results.add(values(MORE_PRODUCERS, "fjp-fifo", repetition, 39, 40));
            results.add(late(LOST, "corelane-park", repetition, 12));
            results.add(late(LOST, "tpe-lbq", repetition, 8));
            results.add(late(LOST, "direct", repetition, 0.1));
            results.add(values(FORKED, "corelane", repetition, 7));
            results.add(values(FORKED, "fjp-lifo", repetition, 21));
            results.add(values(FORKED, "direct", repetition, 3));
        }
        results.add(ForkResult.without(
                new Fork(WON, "ring", 0), ForkResult.Status.FAILED, "exit code 1: </script><b>|no|</b>"));
        results.add(ForkResult.without(new Fork(WON, "ring", 1), ForkResult.Status.TIMEOUT, "not ended after 5 s"));
        return results;
    }

    static Report report() {
        return Report.of(
                "repeat me",
                Map.of("CPU", "a CPU", "date", "a day", "commit", "abc", "JDK", "17"),
                profile(),
                results());
    }

    private static ForkResult values(Row row, String subject, int repetition, double... values) {
        List<Double> rounds = new ArrayList<>();
        for (double value : values) {
            rounds.add(value);
        }
        return ForkResult.values(new Fork(row, subject, repetition), rounds, costs(row, subject, repetition));
    }

    /** As if threads of fjp-fifo had ended while the second of its JVMs was measured. */
    private static Map<Cost, Double> costs(Row row, String subject, int repetition) {
        if (row.equals(WON)) {
            return subject.equals("corelane") || repetition == 0
                    ? Map.of(Cost.BYTES, 0.5, Cost.CPU, 80.0 + repetition, Cost.SLEEPS, 0.001, Cost.PREEMPTIONS, 0.02)
                    : Map.of(Cost.CPU, 82.0);
        }
        return row.equals(FORKED) ? Map.of(Cost.BYTES, subject.equals("direct") ? 0.0 : 24) : Map.of();
    }

    private static ForkResult late(Row row, String subject, int repetition, double micros) {
        List<ForkResult.Point> curve = new ArrayList<>();
        for (double percentile : new double[] {0, 50, 90, 99, 99.9, 99.99, 100}) {
            curve.add(new ForkResult.Point(percentile, micros * (1 + percentile / 10)));
        }
        return ForkResult.curve(new Fork(row, subject, repetition), micros, curve);
    }
}
