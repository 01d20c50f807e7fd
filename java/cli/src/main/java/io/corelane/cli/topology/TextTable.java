// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.topology;

import java.util.ArrayList;
import java.util.List;

/** Cells in aligned columns: numbers to the right, words to the left. */
final class TextTable {
    private record Column(String head, boolean left, List<String> cells) {
        int width() {
            return cells.stream().mapToInt(String::length).reduce(head.length(), Math::max);
        }

        String padded(String cell) {
            String blanks = " ".repeat(width() - cell.length());
            return left ? cell + blanks : blanks + cell;
        }
    }

    private final List<Column> columns = new ArrayList<>();

    TextTable numbers(String head, List<String> cells) {
        columns.add(new Column(head, false, cells));
        return this;
    }

    TextTable words(String head, List<String> cells) {
        columns.add(new Column(head, true, cells));
        return this;
    }

    List<String> lines() {
        List<StringBuilder> lines = new ArrayList<>();
        for (Column column : columns) {
            for (int row = 0; row <= column.cells().size(); row++) {
                if (row == lines.size()) {
                    lines.add(new StringBuilder());
                }
                lines.get(row)
                        .append("  ")
                        .append(column.padded(
                                row == 0 ? column.head() : column.cells().get(row - 1)));
            }
        }
        return lines.stream().map(line -> line.toString().stripTrailing()).toList();
    }
}
