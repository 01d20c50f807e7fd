// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class SortCommandTest {
    @ParameterizedTest
    @CsvSource({"0,1", "1,1", "2,1", "10000,1", "0,2", "1,2", "2,2", "10000,2"})
    void allVersionsSortAlike(int size, int workers) {
        Run run = Run.ofMain("sort", "--size=" + size, "--workers=" + workers, "--rounds=2");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .startsWith(Report.format("%,d random longs sorted, %d thread", size, workers))
                .contains("sequential: Arrays.sort", "ForkJoinPool: Arrays.parallelSort", "Corelane: PinnedScheduler")
                .contains("All results are the same.");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 4_096, 4_097, 10_000, 100_000})
    void patternsAreSorted(int size) {
        for (int workers = 1; workers <= 2; workers++) {
            try (Pools pools = Pools.start(workers)) {
                for (Version<long[], long[]> version : SortVersions.of(pools)) {
                    for (LongPattern pattern : LongPattern.ALL) {
                        long[] numbers = pattern.make(size);
                        long[] expected = numbers.clone();
                        Arrays.sort(expected);
                        assertThat(version.work().apply(numbers))
                                .as("%s, %s, workers %d", version.name(), pattern.name(), workers)
                                .isEqualTo(expected);
                    }
                }
            }
        }
    }

    @Test
    void aVersionThatDoesNotSortIsExitCode1AndNamesTheElement() {
        CommandLine commandLine = new CommandLine(new SortCommand(pools -> List.of(
                SortVersions.of(pools).get(0),
                new Version<>("liar", "sorts all but one", SortCommandTest::sortAllButOne))));
        Run run = Run.of(commandLine, "--size=100", "--workers=1");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("sort: liar, warm-up, compared with sequential: element 0 is ")
                .hasLineCount(1);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void moreNumbersThanTheHeapHoldsAreWrongUsage() {
        SortCommand command = new SortCommand();
        new CommandLine(command).parseArgs("--size=1000000");
        command.requireMemory(40_000_000);
        assertThatThrownBy(() -> command.requireMemory(39_999_999))
                .isInstanceOf(CommandLine.ParameterException.class)
                .hasMessage("--size=1000000 (expected 0..999999, as many as fit into a heap of 38 MiB; raise -Xmx for"
                        + " more)");
    }

    private static long[] sortAllButOne(long[] numbers) {
        Arrays.sort(numbers);
        numbers[0]++;
        return numbers;
    }
}
