// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Where a page is: a root that relative links cannot leave, and a path in it.
 *
 * @param root {@code ""} for the file system, else the archive
 * @param path normalized, with forward slashes and without one at the start
 */
record Location(String root, String path) {
    /** Returns what a relative path on this page points to, or null if that is outside the root. */
    @Nullable
    Location resolve(String relative) {
        Deque<String> segments = new ArrayDeque<>();
        int lastSlash = path.lastIndexOf('/');
        String directory = lastSlash < 0 ? "" : path.substring(0, lastSlash + 1);
        for (String segment : (directory + relative).split("/", -1)) {
            if (segment.equals("..")) {
                if (segments.pollLast() == null) {
                    return null;
                }
            } else if (!segment.isEmpty() && !segment.equals(".")) {
                segments.addLast(segment);
            }
        }
        return new Location(root, String.join("/", segments));
    }

    /** Returns the location of a file in the directory that this location names. */
    Location child(String name) {
        return new Location(root, path.isEmpty() ? name : path + "/" + name);
    }
}
