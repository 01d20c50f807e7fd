// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;

/**
 * Turns the text of one HTML page into Markdown: jsoup parses, {@link BlockBuilder} keeps what reads, flexmark writes.
 *
 * <p><b>Thread safety:</b> any thread may convert; nothing is shared but the immutable index.
 */
final class PageConverter {
    private final LinkIndex index;

    PageConverter(LinkIndex index) {
        this.index = index;
    }

    String convert(Page page, String html) {
        Document document = Jsoup.parse(html); // jsoup flattens what is nested more than 512 deep
        Anchors anchors = new Anchors(document);
        LinkRewriter links = new LinkRewriter(page, index, base(document));
        StringBuilder out = new StringBuilder(html.length() / 2 + 256);
        out.append(FrontMatter.of(title(document, page), page.name()));
        FlexmarkWriter writer = new FlexmarkWriter(out);
        InlineBuilder inline = new InlineBuilder(links, anchors);
        new BlockBuilder(inline, anchors, BlockMarks.of(document), writer::write, 0).build(document.body());
        writer.flush();
        return out.toString();
    }

    private static String base(Document document) {
        Element base = document.selectFirst("base[href]");
        return base == null ? "" : base.attr("href").strip();
    }

    private static String title(Document document, Page page) {
        String title = MarkdownText.collapse(document.title()).strip();
        Element heading = title.isEmpty() ? document.selectFirst("h1, h2") : null;
        String fallback =
                heading == null ? "" : MarkdownText.collapse(heading.text()).strip();
        String path = page.location().path();
        return !title.isEmpty() ? title : !fallback.isEmpty() ? fallback : path.substring(path.lastIndexOf('/') + 1);
    }
}
