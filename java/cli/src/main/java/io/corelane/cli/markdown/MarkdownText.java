// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.regex.Pattern;

/** Escapes text that Markdown would otherwise read as markup, and no more than that: the file is read as text, too. */
final class MarkdownText {
    private static final String LINE_START_CHARS = "#-+>=0123456789";
    private static final Pattern LINE_START = Pattern.compile("^(?=#{1,6}(?:\\s|$)|[-+](?:\\s|$)|>|-[- ]+$|=+ ?$)");
    private static final Pattern NUMBER_START = Pattern.compile("^(\\d{1,9})(?=[.)](?:\\s|$))");
    private static final Pattern ENTITY = Pattern.compile("&(?=#?\\w{1,31};)");
    private static final Pattern TAG = Pattern.compile("<(?=[a-zA-Z/!?])");

    private MarkdownText() {}

    /** Makes every run of white space one space. */
    static String collapse(String text) {
        StringBuilder out = new StringBuilder(text.length());
        boolean space = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isSpace(c)) {
                out.append(space ? "" : " ");
                space = true;
            } else {
                out.append(c);
                space = false;
            }
        }
        return out.toString();
    }

    private static boolean isSpace(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r') || c == '\u00A0' || c == '\u200B';
    }

    /** Escapes text within a line. */
    static String escape(String text, boolean inTable) {
        StringBuilder out = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean markup =
                    switch (c) {
                        case '\\', '`', '*', '[', ']', '~' -> true;
                        case '_' -> !isInWord(text, i);
                        case '|' -> inTable;
                        case '!' -> i == text.length() - 1; // a link may follow
                        default -> false;
                    };
            out.append(markup ? "\\" : "").append(c);
        }
        String escaped =
                out.indexOf("<") < 0 ? out.toString() : TAG.matcher(out).replaceAll("\\\\<");
        return escaped.indexOf('&') < 0 ? escaped : ENTITY.matcher(escaped).replaceAll("\\\\&");
    }

    /** Escapes what would make a line that starts like this a heading, a list item, a quote or a rule. */
    static String escapeLineStart(String text) {
        String start = text.stripLeading();
        if (start.isEmpty() || LINE_START_CHARS.indexOf(start.charAt(0)) < 0) {
            return start;
        }
        return NUMBER_START
                .matcher(LINE_START.matcher(start).replaceFirst("\\\\"))
                .replaceFirst("$1\\\\");
    }

    private static boolean isInWord(String text, int at) {
        return at > 0
                && at < text.length() - 1
                && Character.isLetterOrDigit(text.charAt(at - 1))
                && Character.isLetterOrDigit(text.charAt(at + 1));
    }

    /**
     * Returns an inline code span. Its fence is longer than any run of backticks in the code; spaces at its ends stand
     * outside, since Markdown drops them inside.
     */
    static String code(String text) {
        String code = text.strip();
        String before = text.startsWith(" ") ? " " : "";
        String after = text.endsWith(" ") ? " " : "";
        return before + fenced(code) + after;
    }

    private static String fenced(String code) {
        int longest = 0;
        int run = 0;
        for (int i = 0; i < code.length(); i++) {
            run = code.charAt(i) == '`' ? run + 1 : 0;
            longest = Math.max(longest, run);
        }
        String fence = "`".repeat(longest + 1);
        return longest == 0 ? fence + code + fence : fence + " " + code + " " + fence;
    }

    /** Makes an address safe between the parentheses of a Markdown link. */
    static String address(String address) {
        boolean balanced = hasBalancedParentheses(address);
        StringBuilder out = new StringBuilder(address.length());
        for (int i = 0; i < address.length(); i++) {
            char c = address.charAt(i);
            boolean unsafe = c <= ' ' || c == '<' || c == '>' || c == '\\' || c == '|' || c == '`' || c == '"';
            if (unsafe || (!balanced && (c == '(' || c == ')'))) {
                out.append(String.format("%%%02X", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }

    private static boolean hasBalancedParentheses(String address) {
        int open = 0;
        for (int i = 0; i < address.length() && open >= 0; i++) {
            open += address.charAt(i) == '(' ? 1 : address.charAt(i) == ')' ? -1 : 0;
        }
        return open == 0;
    }
}
