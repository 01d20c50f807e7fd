// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PageConverterTest {
    private static final Page PAGE = page("dir/page.html");

    private static Page page(String path) {
        return new Page(path, new Location("", path), path.replace(".html", ".md"), 0, false, () -> new byte[0]);
    }

    private static String convert(String html) {
        return new PageConverter(new LinkIndex(List.of(PAGE, page("dir/other.html")))).convert(PAGE, html);
    }

    /** Returns the Markdown without front matter and outer line ends. */
    private static String body(String html) {
        String markdown = convert(html);
        return markdown.substring(markdown.indexOf("\n---\n") + 5).strip();
    }

    @Test
    void titleAndSourceGoIntoFrontMatter() {
        assertThat(convert("<title> A\n \"title\" </title><p>x"))
                .isEqualTo("---\ntitle: \"A \\\"title\\\"\"\nsource: \"dir/page.html\"\n---\n\nx\n");
    }

    @Test
    void pageWithoutTitleIsNamedAfterItsHeadingOrFile() {
        assertThat(convert("<h1>Head <i>ing</i></h1>")).contains("title: \"Head ing\"");
        assertThat(convert("")).isEqualTo("---\ntitle: \"page.html\"\nsource: \"dir/page.html\"\n---\n");
    }

    @Test
    void headingsAndParagraphsAreSeparated() {
        assertThat(body("<h1>One</h1><p>a<div>b<h2>Two</h2>c</div>")).isEqualTo("# One\n\na\n\nb\n\n## Two\n\nc");
    }

    @Test
    void navigationAndScriptsAreDropped() {
        assertThat(body("<nav>n1</nav><div class='topNav'>n2</div><ul role=navigation><li>n3</ul><script>s</script>"
                        + "<style>t</style><noscript>u</noscript><template>v</template><button>w</button><!-- c --><p>x"
                        + "<div class='navel'>y</div>"))
                .isEqualTo("x\n\ny");
    }

    @Test
    void tableGetsAHeaderRow() {
        assertThat(body("<table><caption>Cap</caption><tr><th>A<th>B|C<tr><td><p>1<p>2<td><code>x|y</code></table>"))
                .isEqualTo("Cap\n\n| A | B\\|C |\n|---|---|\n| 1<br>2 | `x\\|y` |");
        assertThat(body("<table><tr><td>a<td>b</table>")).isEqualTo("|   |   |\n|---|---|\n| a | b |");
    }

    @Test
    void spannedCellsAreEmptyAndAbsurdSpansAreHarmless() {
        assertThat(body("<table><tr><th>A<th>B<th>C<tr><td rowspan=2>1<td colspan=2>2<tr><td>3<td>4</table>"))
                .isEqualTo("| A | B | C |\n|---|---|---|\n| 1 | 2 |   |\n|   | 3 | 4 |");
        assertThat(body("<table><tr><td colspan=1000000000>a<td rowspan=999999999>b<tr><td>c</table>"))
                .contains("| a | b |", "| c |");
    }

    @Test
    void layoutTableBecomesItsParts() {
        assertThat(body("<table><tr><td><h2>H</h2><td><table><tr><td>x<td>y</table></table>"))
                .isEqualTo("## H\n\n|   |   |\n|---|---|\n| x | y |");
    }

    @Test
    void codeBlockKeepsLinesAndLanguageAndDropsLinks() {
        assertThat(body("<pre class='brush: java'>\n\n  int a;\n\n    <a href=x>b</a>&nbsp;&lt;c>;\n</pre>"))
                .isEqualTo("```java\n  int a;\n\n    b <c>;\n```");
        assertThat(body("<pre><code class='language-c++'>a</code></pre>")).isEqualTo("```c++\na\n```");
        assertThat(body("<pre><code class='java'>a</code></pre>")).isEqualTo("```java\na\n```");
        assertThat(body("<pre><code class='fancy'>a</code></pre>")).isEqualTo("```\na\n```");
        assertThat(body("<pre>a\n```\nb</pre>")).isEqualTo("````\na\n```\nb\n````");
    }

    @Test
    void inlineCodeKeepsItsLinks() {
        assertThat(body("<code><b><a href='other.html#m(int)'>m</a></b>(int&nbsp;k, <a href=y>V</a> v)</code>"))
                .isEqualTo("[`m`](other.md#m(int))`(int k,` [`V`](y) `v)`");
    }

    @Test
    void emphasisStandsWhereMarkdownSeesIt() {
        assertThat(body("<b>a</b>, <i> b </i>c<em><i>d</i></em> x<b>(y)</b>z <b></b><strong>s <b>t</b></strong>"))
                .isEqualTo("**a**, *b* c*d* x **(y)** z **s t**");
    }

    @Test
    void listsNestAndItemsStayTight() {
        assertThat(body("<ul><li>a<li><p>b</p><ol start=3><li>c<li>d</ol><ul></ul></ul>"))
                .isEqualTo("- a\n- b\n  3. c\n  4. d");
    }

    @Test
    void textBetweenItemsIsNotLost() {
        assertThat(body("<ul>a<li>b</ul>")).isEqualTo("- a\n- b");
        assertThat(body("<dl>a<dt>b<dd>c</dl>")).isEqualTo("- a\n\n**b**\n\n- c");
    }

    @Test
    void definitionsBecomeTermsWithLists() {
        assertThat(body("<dl><dt>Since:<dd>1<dd>2<dt>See<dd>3</dl>"))
                .isEqualTo("**Since:**\n\n- 1\n- 2\n\n**See**\n\n- 3");
    }

    @Test
    void quotesAndRulesAndBreaksAndImages() {
        assertThat(body("<blockquote><p>a<p>b</blockquote><hr>x<br>y<br><br>z<img src='a b.png' alt='[A]'>"))
                .isEqualTo("> a\n>\n> b\n\n---\n\nx\\\ny\n\nz![\\[A\\]](a%20b.png)");
    }

    @Test
    void linksAreRewrittenAndScriptLinksAreText() {
        assertThat(
                        body(
                                "<a href='other.html?a#b' title=t>o</a> <a href='javascript:x()'>j</a> <a href=other.html></a>e"))
                .isEqualTo("[o](other.md?a#b) j e");
    }

    @Test
    void anchorsOfHeadingsAndLinkedIdsStayOnce() {
        assertThat(body("<h2 id=h>H</h2><p id=p>P<p id=q>Q <a href='#p'>p</a><h2 id=h>I</h2><a name='n'></a>N"))
                .isEqualTo("<a id=\"h\"></a>\n\n## H\n\n<a id=\"p\"></a>P\n\nQ [p](#p)\n\n## I\n\n<a id=\"n\"></a>N");
    }

    @Test
    void textThatLooksLikeMarkdownIsEscaped() {
        assertThat(body("<p># no heading<p>1. no list<p>a*b*c &lt;tag> &amp;lt; [x](y)"))
                .isEqualTo("\\# no heading\n\n1\\. no list\n\na\\*b\\*c \\<tag> \\&lt; \\[x\\](y)");
    }

    @Test
    void framesetBecomesLinks() {
        assertThat(
                        body(
                                "<frameset><frame src='other.html' title='Other'><frame src=x><noframes>no</noframes></frameset>"))
                .isEqualTo("[Other](other.md)\n\n[x](x)");
    }

    @Test
    void gridOfJavadocBecomesATable() {
        assertThat(body("<div class='summary-table two-column-summary'><div class='table-header'>Class</div>"
                        + "<div class='table-header'>Description</div><div class='col-first'><a href=other.html>O</a></div>"
                        + "<div class='col-last'><div class=block>d</div></div></div>"))
                .isEqualTo("| Class | Description |\n|---|---|\n| [O](other.md) | d |");
    }

    @Test
    void layoutListsOfJavadocVanish() {
        assertThat(body("<ul class=blockList><li class=blockList><p>a<ul><li><h3>H</h3>b</ul></ul>"))
                .isEqualTo("a\n\n### H\n\nb");
    }

    @Test
    void signatureOfJavadocIsACodeBlock() {
        assertThat(body(
                        "<div class='member-signature'><span>public</span>&nbsp;<a href=x>V</a>&nbsp;f(int&nbsp;a,\n int&nbsp;b)"
                                + "</div>"))
                .isEqualTo("```java\npublic V f(int a,\n int b)\n```");
    }

    @Test
    void fiftyThousandLevelsOfAnyTagConvert() {
        for (String tag : List.of(
                "div",
                "span",
                "b",
                "i",
                "ul><li",
                "blockquote",
                "table><tr><td",
                "dl><dd",
                "a href=x",
                "p",
                "section",
                "sub",
                "pre",
                "code",
                "h1",
                "font",
                "q")) {
            String close = "</" + tag.split("[ >]", 2)[0] + ">";
            assertThat(body(("<" + tag + ">").repeat(50_000) + "deep" + close.repeat(50_000)))
                    .as(tag)
                    .contains("deep");
        }
    }

    @Test
    void unclosedTagsConvert() {
        assertThat(body("<p>a<b>b<div>c<ul><li>d<table><tr><td>e<td>f<a href='x"))
                .contains("a**b**", "c", "d", "e", "f");
    }

    @Test
    void manySiblingsKeepTheirOrderAndTheirDistance() {
        List<String> texts = IntStream.range(0, 1000).mapToObj(i -> "p" + i).toList();

        assertThat(body("<blockquote><p>" + String.join("<p>", texts))).isEqualTo("> " + String.join("\n>\n> ", texts));
        assertThat(body("<p>" + String.join("<p>", texts))).isEqualTo(String.join("\n\n", texts));
    }

    @Test
    void cellsThatClaimToSpanThousandsDoNotMultiply() {
        String row = "<td colspan=9000 rowspan=9000>x".repeat(100);
        assertThat(body("<table><tr>" + row + "<tr>" + row + "</table>")).hasSizeLessThan(20_000);
    }

    @Test
    void deepListsAndQuotesStopIndenting() {
        assertThat(body("<ul><li>x".repeat(200)).lines()).allMatch(line -> line.length() < 40);
        assertThat(body("<blockquote>x".repeat(200)).lines()).allMatch(line -> line.length() < 40);
    }
}
