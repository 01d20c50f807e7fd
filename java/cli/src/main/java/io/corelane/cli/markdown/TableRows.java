// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;

/** The rows of an HTML table, and the Markdown table they make, if they make one. */
final class TableRows {
    private static final Set<String> SECTIONS = Set.of("thead", "tbody", "tfoot");
    private static final Set<String> NO_ROWS = Set.of("col", "colgroup", "script", "style", "template");
    private static final Set<String> NO_CELL_CONTENT =
            Set.of("table", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "dl", "hr");

    private final List<List<Element>> rows = new ArrayList<>();
    private @Nullable Element caption;

    private TableRows() {}

    static TableRows of(Element table) {
        TableRows rows = new TableRows();
        for (Element part : table.children()) {
            if (part.normalName().equals("caption")) {
                rows.caption = part;
            } else if (SECTIONS.contains(part.normalName())) {
                part.children().forEach(rows::add);
            } else {
                rows.add(part);
            }
        }
        return rows;
    }

    /** Adds a row; a cell without one, which jsoup leaves where tables nest too deep, is a row of its own. */
    private void add(Element row) {
        boolean cells = row.normalName().equals("tr");
        if (cells ? row.childrenSize() > 0 : !NO_ROWS.contains(row.normalName())) {
            rows.add(cells ? new ArrayList<>(row.children()) : List.of(row));
        }
    }

    @Nullable
    Element caption() {
        return caption;
    }

    List<Element> cells() {
        return rows.stream().flatMap(List::stream).toList();
    }

    /** Tells whether the table only puts parts of the page side by side: Markdown has no cells for such parts. */
    boolean isLayout(Set<Element> withBlocks) {
        boolean oneColumn = !hasHeader() && rows.stream().allMatch(row -> row.size() == 1);
        return oneColumn || cells().stream().anyMatch(cell -> holdsBlocks(cell, withBlocks));
    }

    private static boolean holdsBlocks(Element cell, Set<Element> withBlocks) {
        for (Element child : cell.children()) {
            boolean container = Tags.isBlock(child) || withBlocks.contains(child);
            if (NO_CELL_CONTENT.contains(child.normalName()) || (container && holdsBlocks(child, withBlocks))) {
                return true;
            }
        }
        return false;
    }

    private boolean hasHeader() {
        return !rows.isEmpty()
                && rows.get(0).stream().allMatch(cell -> cell.normalName().equals("th"));
    }

    Element toTable(InlineBuilder inline, Anchors anchors) {
        TableBuilder table = new TableBuilder(inline, anchors, cells().size());
        rows.forEach(table::row);
        return table.build(hasHeader());
    }
}
