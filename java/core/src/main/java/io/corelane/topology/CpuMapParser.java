// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.BitSet;

/**
 * Reads the kernel's hex maps, as in {@code 0000,22222222}: words of 32 bits, the highest first, CPU 0 is the lowest bit.
 *
 * <p>Every word but the first has 8 digits, so that a map with a missing end is noticed. Source: {@code bitmap_string}
 * in the kernel's {@code lib/vsprintf.c}.
 */
final class CpuMapParser {
    private static final int WORD_DIGITS = 8;
    private static final int WORD_BITS = 32;

    private CpuMapParser() {}

    /**
     * Reads a map.
     *
     * @throws IllegalArgumentException if the text is anything else; the message says what is wrong, without the text
     */
    static CpuSet parse(String text) {
        String[] words = text.split(",", -1);
        BitSet bits = new BitSet();
        for (int i = 0; i < words.length; i++) {
            String word = words[i];
            if (word.isEmpty() || word.length() > WORD_DIGITS || (i > 0 && word.length() < WORD_DIGITS)) {
                throw new IllegalArgumentException(
                        "word " + i + " of the map has " + word.length() + " digits (expected " + WORD_DIGITS + ")");
            }
            setWord(bits, word, (words.length - 1 - i) * WORD_BITS);
        }
        if (bits.length() - 1 > CpuSet.MAX_CPU) {
            throw new IllegalArgumentException("the map names a CPU above " + CpuSet.MAX_CPU);
        }
        return CpuSet.of(bits.stream().toArray());
    }

    private static void setWord(BitSet bits, String word, int lowest) {
        for (int i = 0; i < word.length(); i++) {
            char letter = word.charAt(i);
            int digit = letter < 128 ? Character.digit(letter, 16) : -1;
            if (digit < 0) {
                throw new IllegalArgumentException("the map has a letter that is no hex digit");
            }
            int shift = lowest + (word.length() - 1 - i) * 4;
            for (int bit = 0; bit < 4; bit++) {
                if ((digit & 1 << bit) != 0) {
                    bits.set(shift + bit);
                }
            }
        }
    }
}
