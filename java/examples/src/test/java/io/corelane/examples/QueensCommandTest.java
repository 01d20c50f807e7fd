// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class QueensCommandTest {
    @ParameterizedTest
    @CsvSource({"1,1", "2,0", "3,0", "4,2", "5,10", "6,4", "7,40", "8,92", "9,352"})
    void allVersionsCountTheKnownNumbers(int board, long solutions) {
        for (int workers = 1; workers <= 2; workers++) {
            Run run = Run.ofMain("queens", "--board=" + board, "--workers=" + workers, "--rounds=2");
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out())
                    .startsWith(board + " queens: " + solutions + " solutions, " + workers + " thread")
                    .contains("All results are the same.");
        }
    }

    @Test
    void aVersionThatMissesASolutionIsExitCode1() {
        CommandLine commandLine = new CommandLine(new QueensCommand(pools -> List.of(
                QueensVersions.of(pools).get(0),
                new Version<>("liar", "misses one", board -> QueensRecursion.count(board) - 1))));
        Run run = Run.of(commandLine, "--board=8", "--workers=1");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo("queens: liar, warm-up, compared with sequential: 91 solutions (expected 92)"
                        + System.lineSeparator());
        assertThat(run.out()).isEmpty();
    }
}
