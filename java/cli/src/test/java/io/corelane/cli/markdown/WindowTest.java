// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WindowTest {
    private final Window window = new Window(4, 4 * 1024 * 1024);

    @Test
    void smallDocumentTakesOnePlace() {
        assertThat(window.weight(0)).isEqualTo(1024);
        assertThat(window.weight(1000)).isEqualTo(1024);
    }

    @Test
    void largeDocumentTakesTheHeapItNeeds() {
        assertThat(window.weight(20 * 1024)).isEqualTo(20 * HeapEstimate.BYTES_PER_BYTE);
    }

    @Test
    void hugeDocumentTakesTheWholeWindowAndNoMore() {
        assertThat(window.weight(Long.MAX_VALUE / 1000)).isEqualTo(4 * 1024);
    }
}
