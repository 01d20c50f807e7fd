// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rewrites the links of one page: a link to a page of the same conversion points to its Markdown, query and fragment
 * kept; every other link stays as it is.
 */
final class LinkRewriter {
    private static final Pattern SCHEME = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]*:.*", Pattern.DOTALL);
    private static final Pattern IGNORED = Pattern.compile("^[\\x00-\\x20]+|[\\x00-\\x20]+$|[\\t\\r\\n]");
    private final Page page;
    private final LinkIndex index;
    private final String base;

    /**
     * Makes a rewriter.
     *
     * @param base the page's {@code <base href>}, or the empty string
     */
    LinkRewriter(Page page, LinkIndex index, String base) {
        this.page = page;
        this.index = index;
        this.base = base;
    }

    /** Returns the address to write into the Markdown. */
    String rewrite(String href) {
        String link = href.chars().allMatch(c -> c > ' ')
                ? href
                : IGNORED.matcher(href).replaceAll("");
        if (isAbsolute(link) || link.startsWith("#")) {
            return link;
        }
        String linked = base.isEmpty() ? link : Percent.join(base, link);
        int end = endOfPath(linked);
        String target = isAbsolute(linked) || end == 0 ? null : target(linked.substring(0, end));
        if (target == null) {
            return linked;
        }
        String rest = linked.substring(end);
        return rest.startsWith("#") && target.equals(page.target()) ? rest : relative(target) + rest;
    }

    private @Nullable String target(String path) {
        String decoded = Percent.decode(path);
        Location location = decoded == null ? null : page.location().resolve(decoded);
        return location == null ? null : index.target(location);
    }

    private static boolean isAbsolute(String link) {
        return link.startsWith("/") || SCHEME.matcher(link).matches();
    }

    private static int endOfPath(String link) {
        for (int i = 0; i < link.length(); i++) {
            if (link.charAt(i) == '?' || link.charAt(i) == '#') {
                return i;
            }
        }
        return link.length();
    }

    private String relative(String target) {
        String[] from = page.target().split("/", -1);
        String[] to = target.split("/", -1);
        int common = 0;
        while (common < from.length - 1 && common < to.length - 1 && from[common].equals(to[common])) {
            common++;
        }
        StringBuilder out = new StringBuilder("../".repeat(from.length - 1 - common));
        for (int i = common; i < to.length; i++) {
            out.append(i > common ? "/" : "").append(Percent.encode(to[i]));
        }
        return out.toString();
    }
}
