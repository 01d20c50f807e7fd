// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Compares indexes. */
final class IndexCheck {
    private IndexCheck() {}

    static List<String> differences(FileIndex result, FileIndex expected) {
        List<String> differences = new ArrayList<>();
        TreeSet<String> extensions = new TreeSet<>(result.extensions().keySet());
        extensions.addAll(expected.extensions().keySet());
        for (String extension : extensions) {
            compare(
                    "extension \"" + extension + "\"",
                    result.extensions().get(extension),
                    expected.extensions().get(extension),
                    differences);
        }
        compare("links", result.links(), expected.links(), differences);
        compare("others", result.others(), expected.others(), differences);
        compare("unread", result.unread(), expected.unread(), differences);
        return differences;
    }

    private static void compare(
            String name, @Nullable Object result, @Nullable Object expected, List<String> differences) {
        if (!Objects.equals(result, expected)) {
            differences.add(name + ": " + result + " (expected " + expected + ")");
        }
    }
}
