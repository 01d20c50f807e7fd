// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import org.jsoup.nodes.Element;
import org.jsoup.nodes.TextNode;

/** Builds trees of elements. jsoup's own {@code appendElement} makes a new parser for each element of a detached tree. */
final class Elements {
    private Elements() {}

    /** Appends a new element and returns it. */
    static Element append(Element parent, String tag) {
        Element child = new Element(tag);
        parent.appendChild(child);
        return child;
    }

    /** Appends a new element that holds a text. */
    static void append(Element parent, String tag, String text) {
        append(parent, tag).appendChild(new TextNode(text));
    }
}
