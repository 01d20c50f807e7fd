// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import com.vladsch.flexmark.html2md.converter.HtmlMarkdownWriter;
import com.vladsch.flexmark.html2md.converter.HtmlNodeConverterContext;
import com.vladsch.flexmark.html2md.converter.HtmlNodeRenderer;
import com.vladsch.flexmark.html2md.converter.HtmlNodeRendererHandler;
import java.util.Set;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;

/**
 * Writes inline elements where flexmark's own renderers do not serve: they put spaces around emphasis, copy the whole
 * output at every line break, and know no raw text.
 */
final class InlineRenderers implements HtmlNodeRenderer {
    @Override
    public Set<HtmlNodeRendererHandler<?>> getHtmlNodeRendererHandlers() {
        return Set.of(
                new HtmlNodeRendererHandler<>(
                        "strong", Element.class, (e, context, out) -> wrap(e, "**", context, out)),
                new HtmlNodeRendererHandler<>("em", Element.class, (e, context, out) -> wrap(e, "*", context, out)),
                new HtmlNodeRendererHandler<>("del", Element.class, (e, context, out) -> wrap(e, "~~", context, out)),
                new HtmlNodeRendererHandler<>("code", Element.class, InlineRenderers::code),
                new HtmlNodeRendererHandler<>("br", Element.class, InlineRenderers::lineBreak),
                new HtmlNodeRendererHandler<>(InlineBuilder.RAW, Element.class, InlineRenderers::raw));
    }

    private static void raw(Element raw, HtmlNodeConverterContext context, HtmlMarkdownWriter out) {
        out.append(raw.wholeText());
    }

    private static void code(Element code, HtmlNodeConverterContext context, HtmlMarkdownWriter out) {
        out.append(MarkdownText.code(code.wholeText()));
    }

    /** Writes a hard line break; two make a paragraph, and one at the end is nothing. */
    private static void lineBreak(Element lineBreak, HtmlNodeConverterContext context, HtmlMarkdownWriter out) {
        Node next = lineBreak.nextSibling();
        if (out.getPendingEOL() > 0 || (next != null && next.nodeName().equals("br"))) {
            out.blankLine();
        } else if (next != null) {
            out.append('\\').line();
        }
    }

    /** Writes emphasis without spaces inside the marks, and with one outside where the mark would not count. */
    private static void wrap(Element element, String mark, HtmlNodeConverterContext context, HtmlMarkdownWriter out) {
        String content = context.processTextNodes(element).strip();
        boolean spaceBefore = isWord(before(element), -1) && !isWord(content, 0);
        boolean spaceAfter = isWord(after(element), 0) && !isWord(content, -1);
        out.append(spaceBefore ? " " : "")
                .append(mark)
                .append(content)
                .append(mark)
                .append(spaceAfter ? " " : "");
    }

    private static String before(Element element) {
        Node previous = element.previousSibling();
        return previous instanceof TextNode text ? text.getWholeText() : "";
    }

    private static String after(Element element) {
        Node next = element.nextSibling();
        return next instanceof TextNode text ? text.getWholeText() : "";
    }

    private static boolean isWord(String text, int at) {
        return !text.isEmpty() && Character.isLetterOrDigit(text.charAt(at < 0 ? text.length() - 1 : at));
    }
}
