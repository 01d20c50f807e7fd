// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON strictly, for tests: objects are maps, arrays lists, numbers doubles. */
final class JsonText {
    private static final String NUMBER = "-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?";

    private final String text;
    private int at;

    private JsonText(String text) {
        this.text = text;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(String text) {
        JsonText json = new JsonText(text);
        Object value = json.value();
        if (json.at != text.length()) {
            throw json.error("the end");
        }
        return (Map<String, Object>) value;
    }

    private Object value() {
        return switch (text.charAt(at)) {
            case '{' -> map();
            case '[' -> list();
            case '"' -> string();
            default -> word();
        };
    }

    private Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        expect('{');
        while (!accept('}')) {
            if (!map.isEmpty()) {
                expect(',');
            }
            String key = string();
            expect(':');
            if (map.containsKey(key)) {
                throw error("a key other than " + key);
            }
            map.put(key, value());
        }
        return map;
    }

    private List<Object> list() {
        List<Object> list = new ArrayList<>();
        expect('[');
        while (!accept(']')) {
            if (!list.isEmpty()) {
                expect(',');
            }
            list.add(value());
        }
        return list;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        expect('"');
        while (!accept('"')) {
            char letter = text.charAt(at++);
            if (letter < ' ') {
                throw error("no control character");
            }
            string.append(letter == '\\' ? escape() : letter);
        }
        return string.toString();
    }

    private char escape() {
        char letter = text.charAt(at++);
        if (letter == 'u') {
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        if (letter != '"' && letter != '\\') {
            throw error("an escape that the plan uses");
        }
        return letter;
    }

    private Object word() {
        int start = at;
        while (at < text.length() && ",]}".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(start, at);
        if (word.equals("null")) {
            return "null";
        }
        if (!word.matches(NUMBER)) {
            throw error("a number or null");
        }
        return Double.valueOf(word);
    }

    private boolean accept(char expected) {
        boolean there = at < text.length() && text.charAt(at) == expected;
        at += there ? 1 : 0;
        return there;
    }

    private void expect(char expected) {
        if (!accept(expected)) {
            throw error(String.valueOf(expected));
        }
    }

    private AssertionError error(String expected) {
        return new AssertionError("expected " + expected + " at " + at + " of " + text);
    }
}
