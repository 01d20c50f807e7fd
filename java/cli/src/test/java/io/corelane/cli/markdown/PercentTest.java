// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PercentTest {
    @Test
    void decodeReadsUtf8() {
        assertThat(Percent.decode("a%20b/%C3%BC%e2%82%ac.html")).isEqualTo("a b/\u00fc\u20ac.html");
        assertThat(Percent.decode("plain")).isEqualTo("plain");
        assertThat(Percent.decode("\u00fc%20")).isEqualTo("\u00fc ");
    }

    @Test
    void decodeRefusesWhatIsMalformedOrNoPath() {
        for (String bad : new String[] {"%", "%2", "a%zz", "%FF", "%C3", "%00", "%5C", "a\\b"}) {
            assertThat(Percent.decode(bad)).as(bad).isNull();
        }
    }

    @Test
    void encodeKeepsOnlyWhatIsSafeInALink() {
        assertThat(Percent.encode("a b(c):\u00fc%?#[x].md")).isEqualTo("a%20b%28c%29%3A%C3%BC%25%3F%23%5Bx%5D.md");
        assertThat(Percent.encode("Map.Entry-1_2~$.md")).isEqualTo("Map.Entry-1_2~$.md");
    }
}
