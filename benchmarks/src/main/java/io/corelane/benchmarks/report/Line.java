// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What the forks of a row come to.
 *
 * @param row the row
 * @param unit of its figures
 * @param higherIsBetter which way is up
 * @param subjects what each did, best first, those without a figure last
 * @param costs headings of what is known of the costs of some subject
 * @param bestPeer the best of the others' subjects, or empty
 * @param ratio how many times better ours is than that; 0 if one of the two has no figure
 * @param ofDirect how many times better ours is than the same without a scheduler; 0 if one of the two has no figure
 * @param verdict who is ahead
 */
record Line(
        Row row,
        String unit,
        boolean higherIsBetter,
        List<Entry> subjects,
        Map<Cost, String> costs,
        String bestPeer,
        double ratio,
        double ofDirect,
        Verdict verdict) {
    /** Who is ahead; level if the two spreads overlap, and with one JVM there is no spread to tell by. */
    enum Verdict {
        WIN("win"),
        LEVEL("level"),
        LOSS("loss"),
        ONE_JVM("one JVM"),
        UNKNOWN("unknown");

        private final String text;

        Verdict(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * One subject in a row.
     *
     * @param subject who
     * @param median over its forks of the median over the rounds of each, so that each counts once
     * @param lowest the lowest median of a fork
     * @param highest the highest median of a fork
     * @param forks how many forks ended well
     * @param curve median over its forks, for latency
     * @param costs median over its forks of what each job or fork took beside time, as far as it is known
     * @param ofDirect how many times as good as {@code direct}, which has no scheduler; 0 if one of the two has no figure
     * @param trouble what became of the others, or empty
     */
    record Entry(
            String subject,
            double median,
            double lowest,
            double highest,
            int forks,
            List<ForkResult.Point> curve,
            Map<Cost, Double> costs,
            double ofDirect,
            String trouble) {
        boolean hasFigure() {
            return forks > 0;
        }

        Entry beside(Entry direct, boolean higherIsBetter) {
            double ratio = hasFigure() && direct.hasFigure() ? timesBetter(direct, higherIsBetter) : 0;
            return new Entry(subject, median, lowest, highest, forks, curve, costs, ratio, trouble);
        }

        double timesBetter(Entry other, boolean higherIsBetter) {
            return higherIsBetter ? median / other.median : other.median / median;
        }

        static Entry of(String subject, List<ForkResult> results) {
            List<ForkResult> good = results.stream()
                    .filter(result -> result.status() == ForkResult.Status.OK)
                    .toList();
            String trouble = results.stream()
                    .filter(result -> result.status() != ForkResult.Status.OK)
                    .map(result -> result.status() + ": " + result.message())
                    .distinct()
                    .collect(Collectors.joining("; "));
            if (good.isEmpty()) {
                return new Entry(subject, 0, 0, 0, 0, List.of(), Map.of(), 0, trouble);
            }
            List<Double> medians =
                    good.stream().map(result -> Line.median(result.values())).toList();
            return new Entry(
                    subject,
                    Line.median(medians),
                    medians.stream().min(Comparator.naturalOrder()).orElseThrow(),
                    medians.stream().max(Comparator.naturalOrder()).orElseThrow(),
                    good.size(),
                    Line.medianCurve(good),
                    Line.medianCosts(good),
                    0,
                    trouble);
        }
    }

    private static Map<Cost, String> headings(Row row, List<Entry> entries) {
        Map<Cost, String> headings = new EnumMap<>(Cost.class);
        for (Cost cost : Cost.values()) {
            if (entries.stream().anyMatch(entry -> entry.costs().containsKey(cost))) {
                headings.put(cost, cost.heading(row.kind()));
            }
        }
        return headings;
    }

    static Line of(Row row, List<ForkResult> results) {
        boolean upwards = row.kind().higherIsBetter();
        List<Entry> entries = besideDirect(entries(row, results), upwards);
        Entry ours = entries.stream()
                .filter(entry -> entry.subject().equals(row.ours()))
                .findFirst()
                .orElseThrow();
        Entry peer = entries.stream()
                .filter(entry -> ours.hasFigure() && entry.hasFigure() && Row.isPeer(entry.subject()))
                .findFirst()
                .orElse(null);
        return new Line(
                row,
                row.kind().unit(),
                upwards,
                entries,
                headings(row, entries),
                peer == null ? "" : peer.subject(),
                peer == null ? 0 : ours.timesBetter(peer, upwards),
                ours.ofDirect(),
                peer == null ? Verdict.UNKNOWN : verdict(row, ours, peer));
    }

    /** Returns the subjects of a row, best first, those without a figure last. */
    private static List<Entry> entries(Row row, List<ForkResult> results) {
        Comparator<Entry> better = Comparator.comparingDouble(Entry::median);
        if (row.kind().higherIsBetter()) {
            better = better.reversed();
        }
        return row.subjects().stream()
                .map(subject -> Entry.of(
                        subject,
                        results.stream()
                                .filter(result -> result.row().equals(row.id())
                                        && result.subject().equals(subject))
                                .toList()))
                .sorted(Comparator.comparing(Entry::hasFigure).reversed().thenComparing(better))
                .toList();
    }

    private static List<Entry> besideDirect(List<Entry> entries, boolean higherIsBetter) {
        return entries.stream()
                .filter(entry -> entry.subject().equals(Row.DIRECT))
                .findFirst()
                .map(direct -> entries.stream()
                        .map(entry -> entry.beside(direct, higherIsBetter))
                        .toList())
                .orElse(entries);
    }

    private static Verdict verdict(Row row, Entry ours, Entry peer) {
        if (Math.min(ours.forks(), peer.forks()) == 1) {
            return Verdict.ONE_JVM;
        }
        if (ours.lowest() <= peer.highest() && peer.lowest() <= ours.highest()) {
            return Verdict.LEVEL;
        }
        return ours.median() > peer.median() == row.kind().higherIsBetter() ? Verdict.WIN : Verdict.LOSS;
    }

    static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    private static Map<Cost, Double> medianCosts(List<ForkResult> results) {
        Map<Cost, Double> medians = new EnumMap<>(Cost.class);
        for (Cost cost : Cost.values()) {
            List<Double> known = results.stream()
                    .filter(result -> result.costs().containsKey(cost))
                    .map(result -> result.costs().getOrDefault(cost, 0.0))
                    .toList();
            if (!known.isEmpty()) {
                medians.put(cost, median(known));
            }
        }
        return medians;
    }

    private static List<ForkResult.Point> medianCurve(List<ForkResult> results) {
        TreeMap<Double, List<Double>> byPercentile = new TreeMap<>();
        for (ForkResult result : results) {
            for (ForkResult.Point point : result.curve()) {
                byPercentile
                        .computeIfAbsent(point.percentile(), percentile -> new ArrayList<>())
                        .add(point.micros());
            }
        }
        List<ForkResult.Point> curve = new ArrayList<>();
        byPercentile.forEach((percentile, micros) -> curve.add(new ForkResult.Point(percentile, median(micros))));
        return curve;
    }
}
