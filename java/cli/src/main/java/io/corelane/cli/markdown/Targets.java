// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Maps pages to paths in the output directory: inside it, and no two pages to the same one. */
final class Targets {
    private static final Set<String> EXTENSIONS = Set.of("html", "htm", "xhtml", "xht");
    private final Map<String, String> owners = new HashMap<>();

    static boolean isHtml(String name) {
        return EXTENSIONS.contains(extension(name).toLowerCase(Locale.ROOT));
    }

    private static String extension(String name) {
        int dot = name.lastIndexOf('.');
        return dot < 0 || name.indexOf('/', dot) >= 0 ? "" : name.substring(dot + 1);
    }

    /**
     * Normalizes the path of a page within its input.
     *
     * @throws PageException if it would leave the output directory or is no path
     */
    static String normalized(String path) throws PageException {
        if (path.indexOf('\0') >= 0 || path.indexOf('\\') >= 0) {
            throw new PageException("its path holds a " + (path.indexOf('\0') >= 0 ? "NUL" : "backslash")
                    + " (expected names separated by forward slashes; pack the archive again)");
        }
        if (path.startsWith("/")) {
            throw new PageException("its path is absolute (expected one relative to the archive; pack it again)");
        }
        List<String> segments = new ArrayList<>();
        for (String segment : path.split("/", -1)) {
            if (segment.equals("..")) {
                throw new PageException("its path leads out of the output directory (expected no \"..\" in it; do not"
                        + " trust this archive)");
            }
            if (!segment.isEmpty() && !segment.equals(".")) {
                segments.add(segment);
            }
        }
        return String.join("/", segments);
    }

    /**
     * Claims the output path of a page.
     *
     * @param path normalized, with the extension of a page
     * @throws PageException if another page has it
     */
    String claim(String path, String name) throws PageException {
        String extension = isHtml(path) ? extension(path) : "";
        String target = path.substring(0, path.length() - extension.length()) + (extension.isEmpty() ? ".md" : "md");
        String owner = owners.putIfAbsent(target, name);
        if (owner != null) {
            throw new PageException("its Markdown would go to " + target + ", which is that of " + owner
                    + " (expected different names; convert one of them to another --out)");
        }
        return target;
    }
}
