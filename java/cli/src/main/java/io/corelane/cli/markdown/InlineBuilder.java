// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;

/**
 * Copies inline content of a page into the few elements that flexmark shall write: text already escaped, links,
 * emphasis, code, images, line breaks and raw HTML. Blocks in it, such as a list in a table cell, become lines.
 */
final class InlineBuilder {
    /** The element whose text is written as it stands. */
    static final String RAW = "raw-markdown";

    private final LinkRewriter links;
    private final Anchors anchors;

    InlineBuilder(LinkRewriter links, Anchors anchors) {
        this.links = links;
        this.anchors = anchors;
    }

    /** Appends the content of an element. */
    void children(Element source, Element out, InlineStyle style) {
        for (Node child : source.childNodes()) {
            append(child, out, style);
        }
    }

    /** Appends one node. */
    void append(Node node, Element out, InlineStyle style) {
        if (node instanceof TextNode text) {
            text(text.getWholeText(), out, style);
        } else if (node instanceof Element element && !Tags.isDropped(element)) {
            raw(anchors.take(element), out);
            element(element, out, style);
        }
    }

    private void element(Element element, Element out, InlineStyle style) {
        switch (element.normalName()) {
            case "br" -> lineBreak(out, style);
            case "wbr", "hr" -> {}
            case "img" -> image(element, out);
            case "a" -> link(element, out, style);
            case "code", "tt", "samp", "kbd", "pre" -> children(element, out, style.asCode());
            case "b", "strong" -> wrap("strong", element, out, style, style.strong(), style.asStrong());
            case "i", "em", "cite", "var", "dfn" ->
                wrap("em", element, out, style, style.emphasis(), style.asEmphasis());
            case "del", "s", "strike" -> wrap("del", element, out, style, style.code(), style);
            case "sub", "sup" -> wrap(element.normalName(), element, out, style, style.code(), style);
            case "q" -> quoted(element, out, style);
            default -> nested(element, out, style);
        }
    }

    private void text(String text, Element out, InlineStyle style) {
        String collapsed = MarkdownText.collapse(text);
        boolean lineStart = startsLine(out) && !style.cell();
        if (style.code()) {
            code(style.cell() ? collapsed.replace("|", "\\|") : collapsed, out);
        } else if (!collapsed.isEmpty() && !(lineStart && collapsed.isBlank())) {
            String escaped = MarkdownText.escape(collapsed, style.cell());
            out.appendChild(new TextNode(lineStart ? MarkdownText.escapeLineStart(escaped) : escaped));
        }
    }

    private static boolean startsLine(Element out) {
        Node last = out.lastChild();
        return !style(out) && (last == null || last.nodeName().equals("br"));
    }

    private static boolean style(Element out) {
        return switch (out.normalName()) {
            case "strong", "em", "del", "sub", "sup", "a" -> true;
            default -> false;
        };
    }

    private static void code(String code, Element out) {
        if (out.lastChild() instanceof Element last && last.normalName().equals("code")) {
            last.appendChild(new TextNode(code)); // two code spans side by side would read as one fence
        } else if (code.isBlank()) {
            out.appendChild(new TextNode(" "));
        } else {
            Elements.append(out, "code", code);
        }
    }

    private void lineBreak(Element out, InlineStyle style) {
        if (style.cell()) {
            raw("<br>", out);
        } else if (out.normalName().equals("p") && !style.code()) {
            if (out.childNodeSize() > 0) {
                Elements.append(out, "br");
            }
        } else {
            text(" ", out, style);
        }
    }

    /** Appends text that is Markdown or HTML already. */
    static void raw(String markdown, Element out) {
        if (!markdown.isEmpty()) {
            Elements.append(out, RAW, markdown);
        }
    }

    private void image(Element image, Element out) {
        String source = links.rewrite(image.attr("src"));
        if (source.isEmpty() || source.startsWith("data:")) {
            text(image.attr("alt"), out, InlineStyle.TEXT);
        } else {
            Elements.append(out, "img")
                    .attr("src", MarkdownText.address(source))
                    .attr("alt", MarkdownText.collapse(image.attr("alt")));
        }
    }

    private void link(Element link, Element out, InlineStyle style) {
        String href = links.rewrite(link.attr("href"));
        if (style.link() || href.isEmpty() || href.startsWith("javascript:")) {
            children(link, out, style);
            return;
        }
        Element copy = new Element("a");
        children(link, copy, style.asLink());
        if (copy.hasText() || copy.selectFirst("img") != null) {
            out.appendChild(copy.attr("href", MarkdownText.address(href)));
        } else {
            copy.childNodesCopy().forEach(out::appendChild); // an anchor, or nothing to click on
        }
    }

    private void wrap(String tag, Element source, Element out, InlineStyle style, boolean already, InlineStyle inner) {
        if (already || style.code()) {
            children(source, out, style);
            return;
        }
        Element copy = new Element(tag);
        children(source, copy, inner);
        String text = copy.wholeText();
        if (!text.isBlank()) {
            text(text.startsWith(" ") ? " " : "", out, style);
            out.appendChild(copy);
            text(text.endsWith(" ") ? " " : "", out, style);
        }
    }

    private void quoted(Element quote, Element out, InlineStyle style) {
        text("\u201C", out, style);
        children(quote, out, style);
        text("\u201D", out, style);
    }

    private void nested(Element element, Element out, InlineStyle style) {
        boolean line = Tags.isBlock(element);
        if (line && out.hasText()) {
            separate(out, style);
        }
        if (element.normalName().equals("li")) {
            text("\u2022 ", out, style);
        }
        children(element, out, style);
        if (line) {
            text(" ", out, style);
        }
    }

    private void separate(Element out, InlineStyle style) {
        if (style.cell() && !style(out)) {
            if (out.lastChild() instanceof TextNode last && last.isBlank()) {
                last.remove();
            }
            raw("<br>", out);
        } else {
            text(" ", out, style);
        }
    }
}
