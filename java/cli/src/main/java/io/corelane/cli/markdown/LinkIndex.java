// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which pages are part of the conversion, and where their Markdown goes. */
final class LinkIndex {
    private static final List<String> DIRECTORY_PAGES = List.of("index.html", "index.htm");
    private final Map<Location, String> targets = new HashMap<>();

    LinkIndex(List<Page> pages) {
        for (Page page : pages) {
            targets.put(page.location(), page.target());
        }
    }

    /** Returns the target of the page at a location, or of the index page of the directory there, or null. */
    @Nullable
    String target(Location location) {
        String target = targets.get(location);
        for (int i = 0; target == null && i < DIRECTORY_PAGES.size(); i++) {
            target = targets.get(location.child(DIRECTORY_PAGES.get(i)));
        }
        return target;
    }
}
