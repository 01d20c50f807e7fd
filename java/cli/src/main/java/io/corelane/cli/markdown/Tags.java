// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.Set;
import java.util.regex.Pattern;
import org.jsoup.nodes.Element;

/** What the tags and classes of a page mean for its Markdown. */
final class Tags {
    private static final Set<String> BLOCKS = Set.of(
            "address",
            "article",
            "aside",
            "blockquote",
            "body",
            "caption",
            "center",
            "dd",
            "details",
            "dialog",
            "dir",
            "div",
            "dl",
            "dt",
            "fieldset",
            "figcaption",
            "figure",
            "footer",
            "form",
            "frame",
            "frameset",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "header",
            "hgroup",
            "hr",
            "legend",
            "li",
            "listing",
            "main",
            "menu",
            "ol",
            "p",
            "plaintext",
            "pre",
            "search",
            "section",
            "summary",
            "table",
            "tbody",
            "td",
            "tfoot",
            "th",
            "thead",
            "tr",
            "ul",
            "xmp");
    private static final Set<String> DROPPED = Set.of(
            "applet",
            "audio",
            "button",
            "canvas",
            "datalist",
            "embed",
            "head",
            "iframe",
            "input",
            "link",
            "map",
            "meta",
            "nav",
            "noframes",
            "noscript",
            "object",
            "optgroup",
            "option",
            "progress",
            "script",
            "select",
            "style",
            "svg",
            "template",
            "textarea",
            "title",
            "video");
    private static final Set<String> NAVIGATION_ROLES = Set.of("navigation", "search", "menubar", "tablist");
    private static final Pattern NAVIGATION_CLASSES = Pattern.compile(
            "(?i)(?:.*\\s)?(?:top-?nav|bottom-?nav|sub-?nav|nav-?bar|navigation|breadcrumbs?|skip-?nav|nav-?padding"
                    + "|NavBarCell1|tabEnd)(?:\\s.*)?");
    private static final Pattern LAYOUT_LIST_CLASSES =
            Pattern.compile("(?:.*\\s)?(?:block-?List(?:Last)?|summary-list|details-list|member-list)(?:\\s.*)?");
    private static final Pattern SIGNATURE_CLASSES =
            Pattern.compile("(?:.*\\s)?(?:member-signature|type-signature)(?:\\s.*)?");

    private Tags() {}

    static boolean isBlock(Element element) {
        return BLOCKS.contains(element.normalName());
    }

    /** Scripts, forms' controls and everything else that says nothing on paper; navigation. */
    static boolean isDropped(Element element) {
        return DROPPED.contains(element.normalName())
                || NAVIGATION_ROLES.contains(element.attr("role"))
                || (element.hasAttr("class")
                        && NAVIGATION_CLASSES.matcher(element.className()).matches());
    }

    /** A list that a generator such as Javadoc uses to lay a page out: its items are sections, not items. */
    static boolean isLayoutList(Element list) {
        if (LAYOUT_LIST_CLASSES.matcher(list.className()).matches()) {
            return true;
        }
        for (Element item : list.children()) {
            for (Element part : item.children()) {
                if (isHeading(part) || part.normalName().equals("section")) {
                    return true;
                }
            }
        }
        return false;
    }

    /** A declaration that Javadoc writes without {@code <pre>}, for the style sheet to break its lines. */
    static boolean isSignature(Element element) {
        return element.hasAttr("class")
                && SIGNATURE_CLASSES.matcher(element.className()).matches();
    }

    static boolean isHeading(Element element) {
        String name = element.normalName();
        return name.length() == 2 && name.charAt(0) == 'h' && name.charAt(1) >= '1' && name.charAt(1) <= '6';
    }
}
