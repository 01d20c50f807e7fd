// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.ArrayList;
import java.util.List;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;

/** Builds a table whose cells are one line each; empty cells stand for the rest of one that spans several. */
final class TableBuilder {
    private static final int SPARE_CELLS = 1000;

    private final InlineBuilder inline;
    private final Anchors anchors;
    private final List<Element> rows = new ArrayList<>();
    private final List<Integer> rowsLeft = new ArrayList<>();
    private int emptyCellsLeft;
    private int columns;

    /**
     * Makes a builder.
     *
     * @param cells how many cells the source has; the table gets about twice as many at most, whatever they claim to span
     */
    TableBuilder(InlineBuilder inline, Anchors anchors, int cells) {
        this.inline = inline;
        this.anchors = anchors;
        this.emptyCellsLeft = cells + SPARE_CELLS;
    }

    void row(List<Element> cells) {
        Element row = new Element("tr");
        int column = 0;
        for (Element cell : cells) {
            column = skipSpanned(row, column);
            Element copy = Elements.append(row, "td");
            InlineBuilder.raw(anchors.take(cell), copy);
            inline.children(cell, copy, InlineStyle.CELL);
            int rowSpan = span(cell, "rowspan");
            span(column++, rowSpan);
            for (int i = 1; i < span(cell, "colspan") && emptyCellsLeft > 0; i++) {
                empty(row);
                span(column++, rowSpan);
            }
        }
        skipSpanned(row, column);
        columns = Math.max(columns, row.childNodeSize());
        rows.add(row);
    }

    private int skipSpanned(Element row, int from) {
        int column = from;
        while (column < rowsLeft.size() && rowsLeft.get(column) > 0 && emptyCellsLeft > 0) {
            rowsLeft.set(column, rowsLeft.get(column) - 1);
            empty(row);
            column++;
        }
        return column;
    }

    private void span(int column, int rowSpan) {
        while (rowsLeft.size() <= column) {
            rowsLeft.add(0);
        }
        rowsLeft.set(column, rowSpan - 1);
    }

    private void empty(Element row) {
        Elements.append(row, "td");
        emptyCellsLeft--;
    }

    private static int span(Element cell, String attribute) {
        String value = cell.attr(attribute);
        return value.matches("[1-9][0-9]{0,3}") ? Integer.parseInt(value) : 1;
    }

    /** Returns the table. Markdown wants a header: if the first row is none, an empty one comes before it. */
    Element build(boolean header) {
        Element table = new Element("table");
        Element head = Elements.append(Elements.append(table, "thead"), "tr");
        List<Node> names = header ? new ArrayList<>(rows.get(0).childNodes()) : List.of();
        for (int i = 0; i < columns; i++) {
            Element name = Elements.append(head, "th");
            if (i < names.size()) {
                new ArrayList<>(names.get(i).childNodes()).forEach(name::appendChild);
            }
        }
        Element body = Elements.append(table, "tbody");
        rows.subList(header ? 1 : 0, rows.size()).forEach(body::appendChild);
        return table;
    }
}
