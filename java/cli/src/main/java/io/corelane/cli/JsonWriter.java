// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Writes maps, lists, text, numbers and booleans as a JSON document with two spaces for each level. Only ASCII, so that
 * no encoding of a terminal or pipe can spoil it.
 */
public final class JsonWriter {
    private static final MathContext SIX_DIGITS = new MathContext(6);

    private final StringBuilder out = new StringBuilder();

    private JsonWriter() {}

    /**
     * Writes a document.
     *
     * @param document what to write; of other types than those above, the text
     * @return the document, without a line end
     */
    public static String write(Object document) {
        JsonWriter writer = new JsonWriter();
        writer.value(document, 0);
        return writer.out.toString();
    }

    private void value(Object value, int level) {
        if (value instanceof Map<?, ?> map) {
            object(map, level);
        } else if (value instanceof List<?> list) {
            array(list, level);
        } else if (value instanceof Double number) {
            number(number);
        } else if (value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            text(value.toString());
        }
    }

    private void object(Map<?, ?> map, int level) {
        out.append('{');
        for (Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator(); entries.hasNext(); ) {
            Map.Entry<?, ?> entry = entries.next();
            newLine(level + 1);
            text(entry.getKey().toString());
            out.append(": ");
            value(entry.getValue(), level + 1);
            out.append(entries.hasNext() ? "," : "");
        }
        newLine(level);
        out.append('}');
    }

    private void array(List<?> list, int level) {
        out.append('[');
        for (Iterator<?> items = list.iterator(); items.hasNext(); ) {
            newLine(level + 1);
            value(items.next(), level + 1);
            out.append(items.hasNext() ? "," : "");
        }
        newLine(level);
        out.append(']');
    }

    /** JSON has no infinity and no NaN: they become null. */
    private void number(double number) {
        out.append(Double.isFinite(number) ? new BigDecimal(number, SIX_DIGITS).toPlainString() : "null");
    }

    private void text(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    private void newLine(int level) {
        out.append('\n').append("  ".repeat(level));
    }
}
