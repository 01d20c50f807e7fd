// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class LatencyRowsTest {
    private static long neighbours() {
        try (Stream<ProcessHandle> children = ProcessHandle.current().children()) {
            return children.filter(child -> child.info().command().orElse("").endsWith("sh"))
                    .count();
        }
    }

    @ParameterizedTest
    @CsvSource({"noisy, corelane-unpinned, true", "none, corelane-unpinned, false", "noisy, tpe-lbq, true"})
    void aNeighbourIsThereWhileItIsMeasuredAndTheFigureIsTheTail(String variant, String subject, boolean isThere)
            throws Exception {
        Row row = new Row("r", "", Row.Kind.NEIGHBOUR, 1, 2, 20_000, variant, List.of(subject));
        Task task = new Task(new Fork(row, subject, 0), 1, 300, 300);
        long before = neighbours();
        ForkResult[] result = new ForkResult[1];
        Thread measuring = new Thread(() -> {
            try {
                result[0] = new LatencyRows(task).besideNeighbour();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        measuring.start();
        long most = 0;
        while (measuring.isAlive()) {
            most = Math.max(most, neighbours() - before);
            measuring.join(20);
        }
        assertThat(most > 0).isEqualTo(isThere);
        assertThat(neighbours()).as("gone afterwards").isEqualTo(before);
        assertThat(result[0].values())
                .as("99.9 %% of the jobs of 300 ms started no later; %s", result[0].curve())
                .containsExactly(result[0].curve().stream()
                        .filter(point -> point.percentile() == 99.9)
                        .findFirst()
                        .orElseThrow()
                        .micros());
    }
}
