// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Measures the versions of a program.
 *
 * <p>Every version runs once to warm up. The measured rounds run all versions, backwards and forwards in turn (CBA,
 * ABC), so that none profits from its place. Each result, also of the warm-up, is compared with the first one, outside
 * of the measured time.
 *
 * @param <I> what the versions work on
 * @param <R> what comes of it
 */
final class Comparison<I, R> {
    /**
     * What came of it.
     *
     * @param value the result of all versions
     * @param timings the times of each version, in the order of the versions
     * @param <R> the type of the result
     */
    record Measured<R>(R value, List<Timing> timings) {}

    private final Supplier<I> input;
    private final List<Version<I, R>> versions;
    private final ResultCheck<R> check;

    /**
     * Creates a comparison.
     *
     * @param input makes what the versions work on, anew for each run, outside of the measured time
     * @param versions the versions; the first one's result is what is expected of all
     * @param check compares two results
     */
    Comparison(Supplier<I> input, List<Version<I, R>> versions, ResultCheck<R> check) {
        this.input = input;
        this.versions = versions;
        this.check = check;
    }

    Measured<R> run(int rounds) throws DifferenceException {
        R expected = versions.get(0).work().apply(input.get());
        for (Version<I, R> version : versions.subList(1, versions.size())) {
            requireSame(version.work().apply(input.get()), expected, version.name() + ", warm-up");
        }
        List<Timing> timings = versions.stream()
                .map(version -> new Timing(version.name(), new ArrayList<>(rounds)))
                .toList();
        for (int turn = 0; turn < rounds * versions.size(); turn++) {
            int index = index(turn, versions.size());
            String where = versions.get(index).name() + ", round " + (turn / versions.size() + 1);
            timings.get(index).nanos().add(measure(versions.get(index), expected, where));
        }
        return new Measured<>(expected, timings);
    }

    /** Returns whose turn it is: 2 1 0, 0 1 2, 2 1 0, and so on. */
    static int index(int turn, int versions) {
        int place = turn % versions;
        return turn / versions % 2 == 0 ? versions - 1 - place : place;
    }

    private long measure(Version<I, R> version, R expected, String where) throws DifferenceException {
        I from = input.get();
        long start = System.nanoTime();
        R result = version.work().apply(from);
        long nanos = System.nanoTime() - start;
        requireSame(result, expected, where);
        return nanos;
    }

    private void requireSame(R result, R expected, String where) throws DifferenceException {
        List<String> differences = check.differences(result, expected);
        if (!differences.isEmpty()) {
            throw new DifferenceException(
                    where + ", compared with " + versions.get(0).name(), differences);
        }
    }
}
