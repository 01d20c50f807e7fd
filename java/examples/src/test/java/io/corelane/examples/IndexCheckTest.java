// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class IndexCheckTest {
    private static final FileIndex.ExtensionCounts COUNTS = new FileIndex.ExtensionCounts(1, 2, 3, 4);

    @Test
    void equalIndexesHaveNoDifference() {
        assertThat(IndexCheck.differences(index("a", 1), index("a", 1))).isEmpty();
    }

    @Test
    void eachDifferenceIsNamed() {
        assertThat(IndexCheck.differences(index("a", 1), index("b", 2)))
                .containsExactly(
                        "extension \"a\": " + COUNTS + " (expected null)",
                        "extension \"b\": null (expected " + COUNTS + ")",
                        "links: 1 (expected 2)",
                        "others: 1 (expected 2)",
                        "unread: [Unread[path=a, reason=why]] (expected [Unread[path=b, reason=why]])");
    }

    private static FileIndex index(String name, int count) {
        return new FileIndex(new TreeMap<>(Map.of(name, COUNTS)), count, count, List.of(new Unread(name, "why")));
    }
}
