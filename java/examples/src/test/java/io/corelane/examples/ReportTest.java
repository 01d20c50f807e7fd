// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class ReportTest {
    @Test
    void tableHasALineForEachVersion() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        try {
            assertThat(Report.table(List.of(
                                    timing("sequential", 2000), timing("ForkJoinPool", 1500), timing("Corelane", 1000)))
                            .lines())
                    .containsExactly(
                            "                  median ms      best ms   / sequential   / ForkJoinPool",
                            "sequential          2,000.0      2,000.0           1.00             0.75",
                            "ForkJoinPool        1,500.0      1,500.0           1.33             1.00",
                            "Corelane            1,000.0      1,000.0           2.00             1.50",
                            "Ratios: how many times as fast, by medians; below 1 it is slower. All results are the same.");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void eachSetupIsALine() {
        Version<Integer, Integer> one = new Version<>("one", "plain", input -> input);
        Version<Integer, Integer> two = new Version<>("two", "fancy", input -> input);
        assertThat(Report.setups(List.of(one, two)).lines()).containsExactly("one: plain", "two: fancy");
    }

    private static Timing timing(String name, long millis) {
        return new Timing(name, List.of(millis * 1_000_000));
    }
}
