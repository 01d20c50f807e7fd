// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the text form of a {@link CpuSelection}. */
final class CpuSelectionParser {
    private static final String EXPECTED = "expected words of allowed, cpus:LIST, isolated, class:NAMES, node:NUMBERS,"
            + " socket:NUMBERS, llc:NUMBERS, exclude:LIST, one-per-core, whole-cores, pack, spread, first:N, at-least:N";

    private final String text;
    private final Set<String> seen = new HashSet<>();

    CpuSelectionParser(String text) {
        this.text = text;
    }

    CpuSelection parse() {
        List<String> words = Arrays.stream(text.trim().split("\\s+"))
                .filter(word -> !word.isEmpty())
                .toList();
        if (words.isEmpty()) {
            throw refused("is empty");
        }
        CpuSelection selection = CpuSelection.allowed();
        for (String word : words) { // the base first, wherever it stands
            String list = listOf(word);
            if (list != null) {
                once("cpus");
                selection = CpuSelection.of(cpus(word, list));
            }
        }
        for (String word : words) {
            if (listOf(word) == null) {
                selection = narrowed(selection, word);
            }
        }
        if (seen.contains("cpus") && seen.contains("allowed")) {
            throw refused("names the allowed CPUs and a list");
        }
        return selection;
    }

    private static @Nullable String listOf(String word) {
        if (word.startsWith("cpus:")) {
            return word.substring("cpus:".length());
        }
        return Character.isDigit(word.charAt(0)) ? word : null;
    }

    private CpuSelection narrowed(CpuSelection selection, String word) {
        int colon = word.indexOf(':');
        String name = colon < 0 ? word : word.substring(0, colon);
        String value = colon < 0 ? "" : word.substring(colon + 1);
        boolean takesValue = Set.of("class", "node", "socket", "llc", "exclude", "first", "at-least")
                .contains(name);
        if (takesValue == value.isEmpty()) {
            throw refused("has the word \"" + word + "\"");
        }
        once(group(name));
        return switch (name) {
            case "allowed" -> selection;
            case "isolated" -> selection.isolatedOnly();
            case "class" -> classes(selection, word, value);
            case "node" -> selection.nodes(numbers(word, value));
            case "socket" -> selection.sockets(numbers(word, value));
            case "llc" -> selection.llcDomains(numbers(word, value));
            case "exclude" -> selection.excluding(cpus(word, value));
            case "one-per-core" -> selection.onePerCore();
            case "whole-cores" -> selection.wholeCores();
            case "pack" -> selection.order(CpuSelection.Order.PACK);
            case "spread" -> selection.order(CpuSelection.Order.SPREAD);
            case "first" -> selection.first(number(word, value));
            case "at-least" -> selection.atLeast(number(word, value));
            default -> throw refused("has the word \"" + word + "\"");
        };
    }

    private static String group(String name) {
        return switch (name) {
            case "one-per-core", "whole-cores" -> "cores";
            case "pack", "spread" -> "order";
            default -> name;
        };
    }

    private void once(String name) {
        if (!seen.add(name)) {
            throw refused("says twice: " + name);
        }
    }

    private CpuSelection classes(CpuSelection selection, String word, String value) {
        try {
            CoreClass[] classes = Arrays.stream(value.split(",", -1))
                    .map(name -> CoreClass.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_')))
                    .toArray(CoreClass[]::new);
            return selection.classes(classes[0], Arrays.copyOfRange(classes, 1, classes.length));
        } catch (IllegalArgumentException unknown) {
            throw refused("has \"" + word + "\", classes are performance, efficiency and low-power");
        }
    }

    private CpuSet cpus(String word, String list) {
        try {
            CpuSet cpus = CpuSet.parse(list);
            if (!cpus.isEmpty()) {
                return cpus;
            }
        } catch (IllegalArgumentException nonsense) {
            throw new IllegalArgumentException(
                    "selection \"" + text + "\" has \"" + word + "\": " + nonsense.getMessage(), nonsense);
        }
        throw refused("has \"" + word + "\" without a CPU");
    }

    private int[] numbers(String word, String value) {
        return Arrays.stream(value.split(",", -1))
                .mapToInt(part -> number(word, part))
                .toArray();
    }

    private int number(String word, String value) {
        if (!value.matches("[0-9]{1,6}")) {
            throw refused("has \"" + word + "\", which needs numbers");
        }
        return Integer.parseInt(value);
    }

    private IllegalArgumentException refused(String problem) {
        return new IllegalArgumentException("selection \"" + text + "\" " + problem + " (" + EXPECTED + ")");
    }
}
