// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

/**
 * Counts the solutions by plain recursion, row by row. A bit of a mask is a square of the row: taken by a queen in its
 * column, or attacked along a diagonal that comes from the left or the right.
 */
final class QueensRecursion {
    private QueensRecursion() {}

    static long count(int board) {
        return count((1 << board) - 1, 0, 0, 0);
    }

    private static long count(int all, int columns, int fromRight, int fromLeft) {
        if (columns == all) {
            return 1;
        }
        long solutions = 0;
        for (int free = all & ~(columns | fromRight | fromLeft); free != 0; free &= free - 1) {
            int square = free & -free;
            solutions += count(all, columns | square, (fromRight | square) << 1, (fromLeft | square) >>> 1);
        }
        return solutions;
    }
}
