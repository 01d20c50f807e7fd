// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;

/**
 * Flattens a page into the blocks that flexmark shall write: paragraphs, headings, lists, quotes, code, tables, rules.
 *
 * <p>Containers such as {@code <div>} vanish, which keeps the result shallow however deep the page nests them, and the
 * work linear however many siblings it has. The page itself is not changed.
 */
final class BlockBuilder {
    private static final int DEEPEST_NESTING = 16;

    private final InlineBuilder inline;
    private final Anchors anchors;
    private final Set<Element> withBlocks;
    private final Consumer<Element> blocks;
    private final int depth;
    private final StringBuilder pendingAnchors = new StringBuilder();
    private Element run = new Element("p");

    /**
     * Makes a builder.
     *
     * @param withBlocks inline elements of the page that hold blocks
     * @param blocks takes each block in order
     * @param depth how many lists and quotes are around these blocks
     */
    BlockBuilder(InlineBuilder inline, Anchors anchors, Set<Element> withBlocks, Consumer<Element> blocks, int depth) {
        this.inline = inline;
        this.anchors = anchors;
        this.withBlocks = withBlocks;
        this.blocks = blocks;
        this.depth = depth;
    }

    /** Builds the blocks of an element's content. */
    void build(Element container) {
        children(container);
        endRun();
        if (pendingAnchors.length() > 0) {
            emit(new Element("p"));
        }
    }

    private void children(Element container) {
        for (Node child : container.childNodes()) {
            if (child instanceof Element element && isBlock(element)) {
                endRun();
                pendingAnchors.append(anchors.take(element));
                block(element);
            } else {
                inline.append(child, run, InlineStyle.TEXT);
            }
        }
    }

    private boolean isBlock(Element element) {
        return !Tags.isDropped(element) && (Tags.isBlock(element) || withBlocks.contains(element));
    }

    private void block(Element element) {
        switch (element.normalName()) {
            case "h1", "h2", "h3", "h4", "h5", "h6" -> heading(element);
            case "pre", "listing", "xmp", "plaintext" -> emitIfPresent(CodeBlock.of(element, anchors, pendingAnchors));
            case "ul", "ol", "menu", "dir" -> list(element);
            case "dl" -> definitions(element);
            case "blockquote" -> quote(element);
            case "table" -> table(element);
            case "hr" -> emit(new Element("hr"));
            case "frame" -> emitIfPresent(frame(element));
            default -> container(element);
        }
    }

    private void container(Element element) {
        if (Tags.isSignature(element)) {
            emitIfPresent(CodeBlock.of(element, anchors, pendingAnchors));
        } else if (GridTable.isGrid(element)) {
            emitIfPresent(GridTable.of(element, inline, anchors));
        } else {
            children(element);
            endRun();
        }
    }

    private void heading(Element element) {
        Element heading = new Element(element.normalName());
        inline.children(element, heading, InlineStyle.STRONG);
        emitIfPresent(heading);
    }

    private void list(Element list) {
        if (depth >= DEEPEST_NESTING || Tags.isLayoutList(list)) {
            children(list);
            endRun();
            return;
        }
        Element copy = new Element(list.normalName().equals("ol") ? "ol" : "ul");
        if (list.hasAttr("start")) {
            copy.attr("start", list.attr("start"));
        }
        for (Element item : parts(list)) {
            if (!Tags.isDropped(item)) {
                item(item, copy);
            }
        }
        emitIfPresent(copy);
    }

    /** Appends an item; a list without an item of its own, which is wrong but common, belongs to the item before it. */
    private void item(Element item, Element list) {
        List<Element> content = nested(item);
        if (content.isEmpty()) {
            return;
        }
        Element last = list.lastElementChild();
        boolean onlyList = isList(content.get(0));
        fill(onlyList && last != null ? last : Elements.append(list, "li"), content);
    }

    private static boolean isList(Element element) {
        return element.normalName().equals("ul") || element.normalName().equals("ol");
    }

    private void definitions(Element definitions) {
        Element list = new Element("ul");
        for (Element part : definitionParts(definitions)) {
            if (part.normalName().equals("dt")) {
                emitIfPresent(list);
                list = new Element("ul");
                pendingAnchors.append(anchors.take(part));
                emitIfPresent(term(part));
            } else {
                item(part, list);
            }
        }
        emitIfPresent(list);
    }

    /** A term stands out, unless it is an entry of an index, with a link. */
    private Element term(Element term) {
        Element paragraph = new Element("p");
        boolean plain = term.selectFirst("a[href]") != null;
        inline.children(
                term,
                plain ? paragraph : Elements.append(paragraph, "strong"),
                plain ? InlineStyle.TEXT : InlineStyle.STRONG);
        return paragraph;
    }

    private static List<Element> definitionParts(Element definitions) {
        List<Element> parts = new ArrayList<>();
        for (Element child : parts(definitions)) {
            if (child.normalName().equals("div")) {
                parts.addAll(parts(child)); // HTML allows one level of groups
            } else {
                parts.add(child);
            }
        }
        return parts;
    }

    /** Returns the children of a list; text between items, which is wrong but must not get lost, counts as one. */
    private static List<Element> parts(Element list) {
        List<Element> parts = new ArrayList<>();
        for (Node child : list.childNodes()) {
            if (child instanceof Element element) {
                parts.add(element);
            } else if (child instanceof TextNode text && !text.isBlank()) {
                parts.add(new Element("span").appendText(text.getWholeText()));
            }
        }
        return parts;
    }

    private void quote(Element quote) {
        if (depth >= DEEPEST_NESTING) {
            children(quote);
            endRun();
        } else {
            Element copy = new Element("blockquote");
            nested(quote).forEach(copy::appendChild);
            emitIfPresent(Siblings.grouped(copy));
        }
    }

    private void table(Element table) {
        TableRows rows = TableRows.of(table);
        if (rows.isLayout(withBlocks)) {
            rows.cells().forEach(cell -> {
                children(cell);
                endRun();
            });
        } else {
            if (rows.caption() != null) {
                children(rows.caption());
                endRun();
            }
            emitIfPresent(rows.toTable(inline, anchors));
        }
    }

    private Element frame(Element frame) {
        Element copy = new Element("p");
        String source = frame.attr("src");
        String title = frame.attr("title");
        Element link = new Element("a").attr("href", source);
        inline.append(link.appendText(title.isBlank() ? source : title), copy, InlineStyle.TEXT);
        return copy;
    }

    private List<Element> nested(Element container) {
        List<Element> content = new ArrayList<>();
        BlockBuilder inner = new BlockBuilder(inline, anchors, withBlocks, content::add, depth + 1);
        inner.pendingAnchors.append(anchors.take(container));
        if (isList(container)) {
            inner.block(container);
        } else {
            inner.build(container);
        }
        return content;
    }

    /** Puts blocks into a list item; a first paragraph goes in as it is, so that simple items stay on one line. */
    private static void fill(Element item, List<Element> content) {
        boolean tight = item.childNodeSize() == 0 && content.get(0).normalName().equals("p");
        if (tight) {
            List<Node> text = new ArrayList<>(content.get(0).childNodes());
            content.get(0).empty();
            text.forEach(item::appendChild);
        }
        content.subList(tight ? 1 : 0, content.size()).forEach(item::appendChild);
        Siblings.grouped(item);
    }

    private void endRun() {
        Element paragraph = run;
        run = new Element("p");
        if (isAnchorsOnly(paragraph)) {
            pendingAnchors.append(paragraph.wholeText().strip());
        } else {
            emitIfPresent(paragraph);
        }
    }

    private static boolean isAnchorsOnly(Element paragraph) {
        boolean anchor = false;
        for (Node child : paragraph.childNodes()) {
            if (child.nodeName().equals(InlineBuilder.RAW)) {
                anchor = true;
            } else if (!(child instanceof TextNode text) || !text.isBlank()) {
                return false;
            }
        }
        return anchor;
    }

    private void emitIfPresent(Element block) {
        if (block.hasText() || block.selectFirst("img") != null) {
            emit(block);
        }
    }

    private void emit(Element block) {
        if (pendingAnchors.length() > 0) {
            boolean inBlock = block.normalName().equals("p");
            Element anchored = inBlock ? block : new Element("p");
            anchored.prependChild(new Element(InlineBuilder.RAW).appendChild(new TextNode(pendingAnchors.toString())));
            pendingAnchors.setLength(0);
            if (!inBlock) {
                blocks.accept(anchored);
            }
        }
        blocks.accept(block);
    }
}
