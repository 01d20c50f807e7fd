// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TargetsTest {
    @Test
    void extensionOfAPageBecomesMd() throws IOException {
        Targets targets = new Targets();
        assertThat(targets.claim("a/b.html", "1")).isEqualTo("a/b.md");
        assertThat(targets.claim("a/c.tar.HTM", "2")).isEqualTo("a/c.tar.md");
        assertThat(targets.claim("a.html/d.xhtml", "3")).isEqualTo("a.html/d.md");
        assertThat(targets.claim("page.php", "4")).isEqualTo("page.php.md");
    }

    @Test
    void secondPageWithTheSameTargetIsRefusedAndTheFirstIsNamed() throws IOException {
        Targets targets = new Targets();
        targets.claim("a.html", "first.zip!/a.html");
        assertThatThrownBy(() -> targets.claim("a.htm", "second"))
                .isInstanceOf(PageException.class)
                .hasMessageContaining("would go to a.md, which is that of first.zip!/a.html");
    }

    @ParameterizedTest
    @CsvSource({
        "../evil.html,leads out",
        "a/../../evil.html,leads out",
        "a/..,leads out",
        "/etc/evil.html,absolute",
        "..\\evil.html,backslash",
        "C:\\evil.html,backslash"
    })
    void pathThatLeavesTheDirectoryIsRefused(String path, String reason) {
        assertThatThrownBy(() -> Targets.normalized(path))
                .isInstanceOf(PageException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void nulInAPathIsRefused() {
        assertThatThrownBy(() -> Targets.normalized("a\0.html")).hasMessageContaining("holds a NUL");
    }

    @Test
    void harmlessPathIsNormalized() throws IOException {
        assertThat(Targets.normalized("./a//b/./c..html")).isEqualTo("a/b/c..html");
    }

    @Test
    void onlyHtmlExtensionsArePages() {
        assertThat(Targets.isHtml("a.html")).isTrue();
        assertThat(Targets.isHtml("a.XHTML")).isTrue();
        assertThat(Targets.isHtml("a.css")).isFalse();
        assertThat(Targets.isHtml("html")).isFalse();
        assertThat(Targets.isHtml("a.html/b")).isFalse();
    }
}
