// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.HashSet;
import java.util.Set;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Entities;

/**
 * Which of a page's ids its Markdown keeps, as {@code <a id="...">}, so that links with fragments still arrive: those of
 * headings and sections, named anchors, and whatever a link of the page itself names. Each is written once.
 */
final class Anchors {
    private final Set<String> linked = new HashSet<>();
    private final Set<String> written = new HashSet<>();

    Anchors(Document document) {
        for (Element link : document.getElementsByTag("a")) {
            String href = link.attr("href");
            int hash = href.indexOf('#');
            String id = hash < 0 ? null : Percent.decode(href.substring(hash + 1));
            if (id != null && !id.isEmpty()) {
                linked.add(id);
            }
        }
    }

    /** Returns the HTML of an element's anchor, or the empty string. */
    String take(Element element) {
        String tag = element.normalName();
        boolean anchor = tag.equals("a") && element.attr("href").isEmpty();
        String id = element.id().isEmpty() && tag.equals("a") ? element.attr("name") : element.id();
        boolean kept = anchor || tag.equals("section") || Tags.isHeading(element) || linked.contains(id);
        return !id.isBlank() && kept && written.add(id) ? "<a id=\"" + escaped(id) + "\"></a>" : "";
    }

    private static String escaped(String id) {
        return Entities.escape(MarkdownText.collapse(id))
                .replace("\"", "&quot;")
                .replace("|", "&#124;");
    }
}
