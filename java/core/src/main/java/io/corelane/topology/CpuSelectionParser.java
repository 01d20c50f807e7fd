// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;

/** Reads the text form of a {@link CpuSelection}. */
final class CpuSelectionParser {
    private static final String EXPECTED = "expected words of allowed, cpus:LIST, isolated, class:NAMES, node:LIST,"
            + " socket:LIST, llc:LIST, exclude:LIST, one-per-core, whole-cores, pack, spread, first:N, at-least:N";

    /** How words with a value look. */
    private static final Map<String, String> EXAMPLES = Map.of(
            "cpus", "cpus:2-5,8",
            "class", "class:performance,efficiency",
            "node", "node:0-1,4",
            "socket", "socket:0",
            "llc", "llc:0-3",
            "exclude", "exclude:0,16",
            "first", "first:4",
            "at-least", "at-least:2");

    /** Words of which a selection has one at most, by what they decide. */
    private static final Map<String, String> GROUPS = Map.of(
            "allowed", "base",
            "cpus", "base",
            "one-per-core", "cores",
            "whole-cores", "cores",
            "pack", "order",
            "spread", "order");

    private final String text;
    private final Map<String, String> seen = new HashMap<>();

    CpuSelectionParser(String text) {
        this.text = text;
    }

    /** A word with its name, and its value or the empty string. A list alone is short for {@code cpus:}. */
    private record Word(String text, String name, String value) {
        static Word of(String text) {
            int colon = text.indexOf(':');
            boolean list = text.charAt(0) >= '0' && text.charAt(0) <= '9';
            return list
                    ? new Word(text, "cpus", text)
                    : new Word(
                            text,
                            colon < 0 ? text : text.substring(0, colon),
                            colon < 0 ? "" : text.substring(colon + 1));
        }
    }

    CpuSelection parse() {
        List<Word> words = new ArrayList<>();
        for (String word : text.trim().split("\\s+", -1)) {
            if (word.isEmpty()) {
                throw refused("is empty (" + EXPECTED + ")");
            }
            words.add(Word.of(word));
        }
        words.forEach(this::check);
        CpuSelection selection = CpuSelection.allowed();
        for (Word word : words) { // the base first, wherever it stands
            selection = word.name.equals("cpus") ? CpuSelection.of(cpusOnce(word)) : selection;
        }
        for (Word word : words) {
            selection = narrowed(selection, word);
        }
        return selection;
    }

    private void check(Word word) {
        String example = EXAMPLES.get(word.name);
        boolean known = example != null || GROUPS.containsKey(word.name) || word.name.equals("isolated");
        if (!known) {
            throw refused("has the unknown word \"" + word.text + "\" (" + EXPECTED + ")");
        }
        if (example != null && word.value.isEmpty()) {
            throw refused("has \"" + word.text + "\" without a value (expected one, as in " + example + ")");
        }
        if (example == null && !word.text.equals(word.name)) {
            throw refused("has \"" + word.text + "\", which takes no value (expected " + word.name + " alone)");
        }
        String before = seen.put(GROUPS.getOrDefault(word.name, word.name), word.text);
        if (before != null) {
            throw refused("has \"" + before + "\" and \"" + word.text + "\" (expected one of them"
                    + (example == null ? "" : ", with all its values as in " + example) + ")");
        }
    }

    private CpuSelection narrowed(CpuSelection selection, Word word) {
        return switch (word.name) {
            case "isolated" -> selection.isolatedOnly();
            case "class" -> classes(selection, word);
            case "node" -> selection.nodes(list(word).toArray());
            case "socket" -> selection.sockets(list(word).toArray());
            case "llc" -> selection.llcDomains(list(word).toArray());
            case "exclude" -> selection.excluding(list(word));
            case "one-per-core" -> selection.onePerCore();
            case "whole-cores" -> selection.wholeCores();
            case "pack" -> selection.order(CpuSelection.Order.PACK);
            case "spread" -> selection.order(CpuSelection.Order.SPREAD);
            case "first" -> counted(word, selection::first);
            case "at-least" -> counted(word, selection::atLeast);
            default -> selection; // allowed and cpus are in it
        };
    }

    private CpuSelection classes(CpuSelection selection, Word word) {
        List<CoreClass> classes = new ArrayList<>();
        for (String name : word.value.split(",", -1)) {
            classes.add(Arrays.stream(CoreClass.values())
                    .filter(known -> CpuSelection.name(known).equals(name.toLowerCase(Locale.ROOT)))
                    .findFirst()
                    .orElseThrow(() -> refused("has \"" + word.text + "\" with the unknown class \"" + name
                            + "\" (expected names of performance, efficiency, low-power)")));
        }
        return selection.classes(
                classes.get(0), classes.subList(1, classes.size()).toArray(CoreClass[]::new));
    }

    private CpuSet list(Word word) {
        try {
            return CpuSet.parse(word.value);
        } catch (IllegalArgumentException nonsense) {
            throw refused("has \"" + word.text + "\" (expected numbers and ranges, as in " + EXAMPLES.get(word.name)
                    + ", each up to " + CpuSet.MAX_CPU + ")");
        }
    }

    private CpuSet cpusOnce(Word word) {
        CpuSet all = list(word);
        CpuSet sum = CpuSet.empty();
        for (String item : word.value.split(",", -1)) {
            CpuSet cpus = CpuSet.parse(item);
            CpuSet twice = sum.intersect(cpus);
            if (!twice.isEmpty()) {
                throw refused("has \"" + word.text + "\", which names " + twice + " twice (expected each CPU once)");
            }
            sum = sum.union(cpus);
        }
        return all;
    }

    private CpuSelection counted(Word word, IntFunction<CpuSelection> narrowed) {
        if (!word.value.matches("[0-9]{1,9}")) {
            throw refused(
                    "has \"" + word.text + "\" (expected a number from 1 on, as in " + EXAMPLES.get(word.name) + ")");
        }
        try {
            return narrowed.apply(Integer.parseInt(word.value));
        } catch (IllegalArgumentException contradiction) {
            throw refused("has " + contradiction.getMessage());
        }
    }

    private IllegalArgumentException refused(String problem) {
        return new IllegalArgumentException("selection \"" + text + "\" " + problem);
    }
}
