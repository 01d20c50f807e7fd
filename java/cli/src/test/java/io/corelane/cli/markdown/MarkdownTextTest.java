// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MarkdownTextTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "a*b a\\*b",
                "[x](y) \\[x\\](y)",
                "snake_case_name snake_case_name",
                "_x_ \\_x\\_",
                "`code` \\`code\\`",
                "List<String> List\\<String>",
                "a<b a\\<b",
                "1<2 1<2",
                "R&D R&D",
                "&amp; \\&amp;",
                "&#38; \\&#38;",
                "back\\slash back\\\\slash",
                "Hi! Hi\\!",
                "a|b a|b"
            })
    void markupIsEscapedAndNothingElse(String text, String escaped) {
        assertThat(MarkdownText.escape(text, false)).isEqualTo(escaped);
    }

    @Test
    void pipeIsEscapedInATable() {
        assertThat(MarkdownText.escape("a|b", true)).isEqualTo("a\\|b");
    }

    @ParameterizedTest
    @CsvSource({
        "# x,\\# x",
        "#x,#x",
        "- x,\\- x",
        "-1,-1",
        "+ x,\\+ x",
        "---,\\---",
        "- - -,\\- - -",
        "===,\\===",
        "> x,\\> x",
        "1. x,1\\. x",
        "12) x,12\\) x",
        "1.5 x,1.5 x",
        "text,text"
    })
    void lineStartIsEscapedWhereItWouldStartABlock(String text, String escaped) {
        assertThat(MarkdownText.escapeLineStart(text)).isEqualTo(escaped);
    }

    @Test
    void codeFenceIsLongerThanTheBackticksInIt() {
        assertThat(MarkdownText.code("x")).isEqualTo("`x`");
        assertThat(MarkdownText.code("a `b`` c")).isEqualTo("``` a `b`` c ```");
    }

    @Test
    void spacesAtTheEndsOfCodeStandOutside() {
        assertThat(MarkdownText.code(" k, ")).isEqualTo(" `k,` ");
    }

    @Test
    void addressIsSafeBetweenParentheses() {
        assertThat(MarkdownText.address("a b")).isEqualTo("a%20b");
        assertThat(MarkdownText.address("#add(int,int)")).isEqualTo("#add(int,int)");
        assertThat(MarkdownText.address("a)(b")).isEqualTo("a%29%28b");
        assertThat(MarkdownText.address("<x>\\|\"")).isEqualTo("%3Cx%3E%5C%7C%22");
    }
}
