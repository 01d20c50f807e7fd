// SPDX-License-Identifier: Apache-2.0
package io.corelane.affinity;

import java.util.BitSet;

/**
 * Reads the kernel's CPU list format for {@link CpuSet#parse}.
 *
 * <p>Grammar: {@code list = [ item { "," item } ]}, {@code item = cpu [ "-" cpu [ ":" used "/" group ] ]}. Source:
 * {@code bitmap_parselist} in the kernel's {@code lib/bitmap-str.c}, without its named forms ({@code all}, {@code N}).
 */
final class CpuListParser {
    private final String text;
    private int position;
    private int end;

    CpuListParser(String text) {
        this.text = text;
        this.end = text.length();
    }

    BitSet parse() {
        BitSet cpus = new BitSet();
        trim();
        if (position == end) {
            return cpus;
        }
        do {
            item(cpus);
        } while (accept(','));
        if (position < end) {
            throw error(position, "expected ',' or the end");
        }
        return cpus;
    }

    private void item(BitSet cpus) {
        int start = position;
        int first = number("a CPU number");
        if (!accept('-')) {
            cpus.set(first);
            return;
        }
        int last = number("a CPU number");
        if (last < first) {
            throw error(start, "the range " + first + "-" + last + " runs backwards");
        }
        if (accept(':')) {
            stride(cpus, first, last);
        } else {
            cpus.set(first, last + 1);
        }
    }

    private void stride(BitSet cpus, int first, int last) {
        int start = position;
        int used = number("how many of a group are taken");
        if (!accept('/')) {
            throw error(position, "expected '/' and the size of a group");
        }
        int group = number("the size of a group");
        if (used == 0 || used > group) {
            throw error(start, "the stride " + used + "/" + group + " takes none or more than a group");
        }
        for (int at = first; at <= last; at += group) {
            cpus.set(at, Math.min(at + used, last + 1));
        }
    }

    private int number(String what) {
        int start = position;
        int value = 0;
        while (position < end && text.charAt(position) >= '0' && text.charAt(position) <= '9') {
            value = value * 10 + (text.charAt(position++) - '0');
            if (value > CpuSet.MAX_CPU) {
                throw error(start, "the number is above " + CpuSet.MAX_CPU);
            }
        }
        if (position == start) {
            throw error(start, "expected " + what);
        }
        return value;
    }

    private boolean accept(char expected) {
        if (position < end && text.charAt(position) == expected) {
            position++;
            return true;
        }
        return false;
    }

    private void trim() {
        while (position < end && text.charAt(position) <= ' ') {
            position++;
        }
        while (end > position && text.charAt(end - 1) <= ' ') {
            end--;
        }
    }

    private IllegalArgumentException error(int at, String what) {
        String found = at < end ? "'" + text.charAt(at) + "'" : "the end";
        return new IllegalArgumentException(
                "CPU list \"" + text.strip() + "\": " + what + ", found " + found + " at position " + at);
    }
}
