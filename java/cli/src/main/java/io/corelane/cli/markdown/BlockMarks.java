// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jsoup.nodes.Element;

/** Finds the inline elements that hold blocks, such as a {@code <span>} around a list; links stay inline. */
final class BlockMarks {
    private BlockMarks() {}

    static Set<Element> of(Element root) {
        Set<Element> marked = Collections.newSetFromMap(new IdentityHashMap<>());
        root.stream().filter(Tags::isBlock).forEach(block -> {
            Element parent = block.parent();
            while (parent != null && !Tags.isBlock(parent) && marked.add(parent)) {
                parent = parent.parent();
            }
        });
        marked.removeIf(element -> element.normalName().equals("a") && element.hasAttr("href"));
        return marked;
    }
}
