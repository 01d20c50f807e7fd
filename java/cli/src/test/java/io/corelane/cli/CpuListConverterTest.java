// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.affinity.CpuSet;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

class CpuListConverterTest {
    private final CpuListConverter converter = new CpuListConverter();

    @Test
    void listOfCpusIsParsed() {
        assertThat(converter.convert("0-2,8")).isEqualTo(CpuSet.of(0, 1, 2, 8));
    }

    @Test
    void malformedListIsRefusedWithTheOffendingText() {
        assertThatThrownBy(() -> converter.convert("0-x"))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("x");
    }

    @Test
    void emptyListIsRefused() {
        assertThatThrownBy(() -> converter.convert("")).isInstanceOf(TypeConversionException.class);
    }
}
