// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.ArrayList;
import java.util.List;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;

/** Keeps elements from having so many children that flexmark, which looks at all siblings of each, takes forever. */
final class Siblings {
    private static final int MOST = 200;

    private Siblings() {}

    /** Groups the children of an element if they are many. flexmark writes a section's content in its place. */
    static Element grouped(Element element) {
        List<Node> children = new ArrayList<>(element.childNodes());
        if (children.size() <= MOST) {
            return element;
        }
        element.empty();
        for (int from = 0; from < children.size(); from += MOST) {
            Element group = Elements.append(element, "section");
            if (from > 0) {
                Elements.append(group, "span"); // flexmark leaves no blank line before a first child
            }
            children.subList(from, Math.min(from + MOST, children.size())).forEach(group::appendChild);
        }
        return element;
    }
}
