// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    private final List<String> runs = new ArrayList<>();

    @Test
    void warmUpRunsForwardsAndRoundsRunBackwardsAndForwardsInTurn() throws DifferenceException {
        compare(() -> 7, 2, input -> 7);
        assertThat(String.join("", runs)).isEqualTo("abc" + "cba" + "abc");
    }

    @Test
    void turnsAreTheSameForAnyNumberOfVersions() {
        assertThat(IntStream.range(0, 8).map(turn -> Comparison.index(turn, 2)))
                .containsExactly(1, 0, 0, 1, 1, 0, 0, 1);
    }

    @Test
    void eachVersionHasATimeForEachRoundAndNoneForTheWarmUp() throws DifferenceException {
        Comparison.Measured<Integer> measured = compare(() -> 7, 3, input -> 7);
        assertThat(measured.value()).isEqualTo(7);
        assertThat(measured.timings()).extracting(Timing::name).containsExactly("a", "b", "c");
        assertThat(measured.timings())
                .allSatisfy(timing -> assertThat(timing.nanos()).hasSize(3));
    }

    @Test
    void eachRunHasItsOwnInput() throws DifferenceException {
        List<Integer> inputs = new ArrayList<>();
        Supplier<Integer> counter = () -> {
            inputs.add(inputs.size());
            return inputs.size();
        };
        compare(counter, 2, input -> 7);
        assertThat(inputs).hasSize(9);
    }

    @Test
    void aDifferenceInTheWarmUpIsFound() {
        assertThatThrownBy(() -> compare(() -> 7, 1, input -> 8))
                .isInstanceOf(DifferenceException.class)
                .hasMessage("c, warm-up, compared with a: 8 (expected 7)");
    }

    @Test
    void aDifferenceInALaterRoundIsFound() {
        Function<Integer, Integer> lateLiar = input -> runs.size() == 10 ? 8 : 7;
        assertThatThrownBy(() -> compare(() -> 7, 3, lateLiar))
                .isInstanceOf(DifferenceException.class)
                .hasMessage("c, round 3, compared with a: 8 (expected 7)");
    }

    private Comparison.Measured<Integer> compare(Supplier<Integer> input, int rounds, Function<Integer, Integer> last)
            throws DifferenceException {
        List<Version<Integer, Integer>> versions =
                List.of(version("a", from -> 7), version("b", from -> 7), version("c", last));
        return new Comparison<>(input, versions, ComparisonTest::differences).run(rounds);
    }

    private Version<Integer, Integer> version(String name, Function<Integer, Integer> work) {
        return new Version<>(name, "", from -> {
            runs.add(name);
            return work.apply(from);
        });
    }

    private static List<String> differences(Integer result, Integer expected) {
        return result.equals(expected) ? List.of() : List.of(result + " (expected " + expected + ")");
    }
}
