// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

/** The YAML block at the top of a Markdown file: title and source, as double-quoted scalars. */
final class FrontMatter {
    private FrontMatter() {}

    static String of(String title, String source) {
        return "---\ntitle: " + quote(title) + "\nsource: " + quote(source) + "\n---\n";
    }

    /** Returns a YAML double-quoted scalar that stays on one line and reads back as {@code text}. */
    static String quote(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        text.codePoints().forEach(c -> appendEscaped(out, c));
        return out.append('"').toString();
    }

    private static void appendEscaped(StringBuilder out, int c) {
        if (c == '"' || c == '\\') {
            out.append('\\').append((char) c);
        } else if (Character.getType(c) == Character.SURROGATE) {
            out.append("\\uFFFD"); // half of a pair is not a character, in YAML as elsewhere
        } else if (isPrintable(c)) {
            out.appendCodePoint(c);
        } else {
            out.append(String.format("\\U%08X", c));
        }
    }

    private static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
