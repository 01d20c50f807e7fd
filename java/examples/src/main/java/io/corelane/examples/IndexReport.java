// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * An index and how long it took, for people and as JSON.
 *
 * @param directory the directory
 * @param workers how many threads each pool had
 * @param index what is in the directory
 * @param timings the times of each version
 */
record IndexReport(String directory, int workers, FileIndex index, List<Timing> timings) {
    private static final int ROWS = 15;
    private static final String HEAD = "%-14s %10s %10s %17s %10s%n";
    private static final String ROW = "%-14s %,10d %,10d %,17d %,10d%n";
    private static final Gson GSON =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();
    private static final Pattern NOT_ASCII = Pattern.compile("[^\\x00-\\x7f]");

    /** Returns the largest extensions, and all that could not be read. */
    String text() {
        StringBuilder text = new StringBuilder();
        text.append(Report.format(HEAD, "extension", "files", "entries", "bytes", "distinct"));
        index.extensions().entrySet().stream()
                .sorted(Comparator.comparingLong(IndexReport::bytes).reversed())
                .limit(ROWS)
                .forEach(row -> text.append(line(row)));
        int more = index.extensions().size() - ROWS;
        if (more > 0) {
            text.append(Report.format("and %,d more extensions, all of them with --json%n", more));
        }
        text.append(Report.format(
                "Not followed: %,d links. Not read: %,d pipes, devices and sockets; and %,d that cannot be read%s%n",
                index.links(),
                index.others(),
                index.unread().size(),
                index.unread().isEmpty() ? "." : ":"));
        index.unread().forEach(unread -> text.append(Report.format("  %s: %s%n", unread.path(), unread.reason())));
        return text.toString();
    }

    /** Returns the JSON document, in ASCII, so that no encoding of a terminal or pipe can spoil it. */
    String json() {
        return NOT_ASCII.matcher(GSON.toJson(this)).replaceAll(character -> character
                .group()
                .chars()
                .mapToObj(unit -> Report.format("\\\\u%04x", unit))
                .collect(Collectors.joining()));
    }

    private static long bytes(Map.Entry<String, FileIndex.ExtensionCounts> row) {
        return row.getValue().bytes();
    }

    private static String line(Map.Entry<String, FileIndex.ExtensionCounts> row) {
        FileIndex.ExtensionCounts counts = row.getValue();
        String extension = row.getKey().isEmpty() ? "(none)" : row.getKey();
        return Report.format(ROW, extension, counts.files(), counts.entries(), counts.bytes(), counts.distinct());
    }
}
