// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.util.Arrays;

/** Sorts a part of an array of longs. */
final class LongSort extends ForkAction {
    /*
     * Quicksort in place with three parts, below, equal to and above the pivot; one outer part is a fork. Parts that would
     * be sorted in less time than it takes to hand them over are left to the JDK's sort, and so is what splits badly again
     * and again.
     */
    private static final int SMALL = 4_096;

    private final long[] array;
    private final int from;
    private final int to;
    private final int badSplits;

    LongSort(long[] array, int from, int to, int badSplits) {
        this.array = array;
        this.from = from;
        this.to = to;
        this.badSplits = badSplits;
    }

    @Override
    protected void compute() {
        sort(from, to, badSplits);
    }

    private void sort(int start, int end, int bad) {
        if (end - start <= SMALL || bad > 8) {
            Arrays.sort(array, start, end);
            return;
        }
        long pivot = pivot(start, end);
        int below = start;
        int at = start;
        int above = end;
        while (at < above) {
            long value = array[at];
            if (value < pivot) {
                array[at++] = array[below];
                array[below++] = value;
            } else if (value > pivot) {
                array[at] = array[--above];
                array[above] = value;
            } else {
                at++;
            }
        }
        int worse = Math.max(below - start, end - above) > (end - start) / 8 * 7 ? bad + 1 : bad;
        LongSort upper = new LongSort(array, above, end, worse);
        upper.fork();
        sort(start, below, worse);
        upper.join();
    }

    /** The median of medians of nine. */
    private long pivot(int start, int end) {
        int step = (end - start) / 9;
        return median(nth(start, step, 0), nth(start, step, 3), nth(start, step, 6));
    }

    private long nth(int start, int step, int n) {
        int at = start + n * step;
        return median(array[at], array[at + step], array[at + 2 * step]);
    }

    private static long median(long a, long b, long c) {
        return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    }
}
