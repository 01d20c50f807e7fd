// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class IndexReportTest {
    @Test
    void jsonIsAsciiAndHoldsAnyName() {
        String name = "\u00e4\ud83d\ude00 \"<&\\\n";
        FileIndex index = new FileIndex(new TreeMap<>(), 0, 0, List.of(new Unread(name, "why")));
        String json = new IndexReport(name, 1, index, List.of()).json();
        assertThat(json).isASCII();
        assertThat(JsonParser.parseString(json)
                        .getAsJsonObject()
                        .get("directory")
                        .getAsString())
                .isEqualTo(name);
    }
}
