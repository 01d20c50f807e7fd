// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LinkRewriterTest {
    private final Page start = page("", "docs/a/start.html");
    private final LinkIndex index = new LinkIndex(List.of(
            start,
            page("", "docs/a/other page.html"),
            page("", "docs/b/\u00fc(1).htm"),
            page("", "docs/c/index.html"),
            page("", "docs/a/x:y.html"),
            page("jar!", "docs/a/inside.html")));

    private static Page page(String root, String path) {
        String target = path.replaceAll("html?$", "md");
        return new Page(path, new Location(root, path), target, 0, false, () -> new byte[0]);
    }

    private String rewrite(String href) {
        return new LinkRewriter(start, index, "").rewrite(href);
    }

    @Test
    void linkToAConvertedPagePointsToItsMarkdown() {
        assertThat(rewrite("other%20page.html")).isEqualTo("other%20page.md");
        assertThat(rewrite("other page.html")).isEqualTo("other%20page.md");
        assertThat(rewrite("../b/%C3%BC(1).htm")).isEqualTo("../b/%C3%BC%281%29.md");
        assertThat(rewrite("./../a/./other%20page.html")).isEqualTo("other%20page.md");
        assertThat(rewrite("x%3Ay.html")).isEqualTo("x%3Ay.md");
    }

    @Test
    void queryAndFragmentStay() {
        assertThat(rewrite("../b/%C3%BC(1).htm?q=1&r#frag%20ment"))
                .isEqualTo("../b/%C3%BC%281%29.md?q=1&r#frag%20ment");
        assertThat(rewrite("other%20page.html#a?b")).isEqualTo("other%20page.md#a?b");
    }

    @Test
    void linkToADirectoryPointsToItsIndexPage() {
        assertThat(rewrite("../c/")).isEqualTo("../c/index.md");
        assertThat(rewrite("../c#x")).isEqualTo("../c/index.md#x");
    }

    @Test
    void fragmentOfThePageItselfNeedsNoFile() {
        assertThat(rewrite("#here")).isEqualTo("#here");
        assertThat(rewrite("start.html#here")).isEqualTo("#here");
        assertThat(rewrite("start.html")).isEqualTo("start.md");
    }

    @Test
    void everythingElseStays() {
        for (String link : List.of(
                "https://example.org/docs/a/start.html",
                "mailto:a@example.org",
                "//example.org/start.html",
                "/docs/a/start.html",
                "missing.html",
                "../../../../docs/a/start.html",
                "inside.html",
                "a%zz.html",
                "?query",
                "",
                "style.css")) {
            assertThat(rewrite(link)).as(link).isEqualTo(link);
        }
    }

    @Test
    void whiteSpaceThatBrowsersIgnoreIsIgnored() {
        assertThat(rewrite("\n start.html ")).isEqualTo("start.md");
    }

    @Test
    void baseOfThePageIsApplied() {
        assertThat(new LinkRewriter(start, index, "../b/").rewrite("%C3%BC(1).htm#x"))
                .isEqualTo("../b/%C3%BC%281%29.md#x");
        assertThat(new LinkRewriter(start, index, "https://example.org/d/").rewrite("other.html"))
                .isEqualTo("https://example.org/d/other.html");
    }

    @Test
    void pagesOfOneArchiveDoNotLinkToThoseOfAnother() {
        Page inside = page("jar!", "docs/a/inside.html");
        assertThat(new LinkRewriter(inside, index, "").rewrite("start.html")).isEqualTo("start.html");
        assertThat(new LinkRewriter(inside, index, "").rewrite("inside.html")).isEqualTo("inside.md");
    }
}
