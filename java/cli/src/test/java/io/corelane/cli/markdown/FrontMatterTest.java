// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FrontMatterTest {
    @Test
    void titleAndSourceAreQuoted() {
        assertThat(FrontMatter.of("C: a \"test\" # no comment", "a\\b.jar!/x.html"))
                .isEqualTo("""
                        ---
                        title: "C: a \\"test\\" # no comment"
                        source: "a\\\\b.jar!/x.html"
                        ---
                        """);
    }

    @Test
    void nothingEndsTheLineOrTheScalar() {
        assertThat(FrontMatter.quote("a\nb\r---\u0085\u2028\u2029\u0000\u007f"))
                .isEqualTo("\"a\\U0000000Ab\\U0000000D---\\U00000085\\U00002028\\U00002029\\U00000000\\U0000007F\"");
    }

    @Test
    void lettersAndEmojiStayAndHalfSurrogatesDoNot() {
        assertThat(FrontMatter.quote("\u00fc\u6f22\ud83d\ude00\ud83d"))
                .isEqualTo("\"\u00fc\u6f22\ud83d\ude00\\uFFFD\"");
    }

    @Test
    void directionMarksThatCouldHideTextAreEscaped() {
        assertThat(FrontMatter.quote("a\u202eb\ufeff")).isEqualTo("\"a\\U0000202Eb\\U0000FEFF\"");
    }
}
