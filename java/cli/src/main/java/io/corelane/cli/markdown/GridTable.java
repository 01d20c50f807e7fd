// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.ArrayList;
import java.util.List;
import org.jsoup.nodes.Element;

/** The tables that Javadoc writes from JDK 16 on: a {@code <div>} for each cell, laid out by the style sheet. */
final class GridTable {
    private GridTable() {}

    static boolean isGrid(Element element) {
        return element.hasClass("summary-table") && columns(element) > 1;
    }

    private static int columns(Element grid) {
        int columns = 0;
        for (Element cell : grid.children()) {
            if (!cell.hasClass("table-header")) {
                return columns;
            }
            columns++;
        }
        return columns;
    }

    static Element of(Element grid, InlineBuilder inline, Anchors anchors) {
        List<Element> cells = new ArrayList<>(grid.children());
        int columns = columns(grid);
        TableBuilder table = new TableBuilder(inline, anchors, cells.size());
        for (int from = 0; from < cells.size(); from += columns) {
            table.row(cells.subList(from, Math.min(from + columns, cells.size())));
        }
        return table.build(true);
    }
}
