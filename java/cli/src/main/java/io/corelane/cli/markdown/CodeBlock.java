// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.TextNode;

/** Makes a code block of preformatted text: plain text, since links and emphasis cannot stand in one. */
final class CodeBlock {
    private static final Pattern LANGUAGE =
            Pattern.compile("(?:^|\\s)(?:lang(?:uage)?-|brush:\\s*|highlight-source-)([A-Za-z0-9+#-]+)");

    /** Languages that pages name without a prefix. */
    private static final Set<String> LANGUAGES = Set.of(
            "bash",
            "c",
            "cpp",
            "css",
            "go",
            "groovy",
            "html",
            "java",
            "javascript",
            "json",
            "kotlin",
            "properties",
            "python",
            "rust",
            "scala",
            "sh",
            "sql",
            "xml",
            "yaml");

    private CodeBlock() {}

    static Element of(Element source, Anchors anchors, StringBuilder pendingAnchors) {
        for (Element named : source.getElementsByTag("a")) {
            pendingAnchors.append(anchors.take(named));
        }
        String text =
                source.wholeText().replace('\u00A0', ' ').replace("\u200B", "").replace("\r\n", "\n");
        String code = withoutBlankEnds(text);
        Element block = new Element("pre");
        String language = Tags.isSignature(source) ? "java" : language(source);
        Element body =
                language.isEmpty() ? block : Elements.append(block, "code").addClass("language-" + language);
        body.appendChild(new TextNode(code));
        return block;
    }

    private static String withoutBlankEnds(String text) {
        String code = text.stripTrailing();
        int firstInk = code.length() - code.stripLeading().length();
        return code.substring(code.lastIndexOf('\n', firstInk) + 1);
    }

    private static String language(Element source) {
        Element code = source.selectFirst("code");
        String codeClass = code == null ? "" : code.className();
        Matcher found = LANGUAGE.matcher(source.className() + " " + codeClass);
        return found.find() ? found.group(1) : LANGUAGES.contains(codeClass) ? codeClass : "";
    }
}
