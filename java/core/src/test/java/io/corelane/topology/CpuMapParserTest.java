// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.affinity.CpuSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CpuMapParserTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0|''",
                "1|0",
                "f|0-3",
                "Ff|0-7",
                "80000000|31",
                "1,00000000|32",
                "0000,22222222,00000001|0,33,37,41,45,49,53,57,61",
                "00000000,00070000,00000007|0-2,48-50",
            })
    void readsWordsFromTheHighest(String map, String list) {
        assertThat(CpuMapParser.parse(map)).isEqualTo(CpuSet.parse(list));
    }

    @Test
    void readsTheHighestCpuAndNoHigherOne() {
        String zeros = ",00000000".repeat(65_535 / 32);
        assertThat(CpuMapParser.parse("80000000" + zeros)).isEqualTo(CpuSet.of(65_535));
        assertThatThrownBy(() -> CpuMapParser.parse("1,00000000" + zeros))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the map names a CPU above 65535");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", ",", "1,", ",00000001", "1,0000000", "123456789", "g", "0x1", "1 2", "1,000000 1", "\u0661"})
    void refusesAnythingElse(String map) {
        assertThatThrownBy(() -> CpuMapParser.parse(map)).isInstanceOf(IllegalArgumentException.class);
    }
}
