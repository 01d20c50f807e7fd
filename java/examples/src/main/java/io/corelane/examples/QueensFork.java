// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import io.corelane.LongFork;
import org.jspecify.annotations.Nullable;

/** Counts the solutions below placed queens, with a fork for each free square; masks as in {@link QueensRecursion}. */
final class QueensFork extends LongFork {
    private final int all;
    private final int columns;
    private final int fromRight;
    private final int fromLeft;
    /** The fork before this one in the same row. */
    private final @Nullable QueensFork before;

    QueensFork(int board) {
        this((1 << board) - 1, 0, 0, 0, null);
    }

    private QueensFork(int all, int columns, int fromRight, int fromLeft, @Nullable QueensFork before) {
        this.all = all;
        this.columns = columns;
        this.fromRight = fromRight;
        this.fromLeft = fromLeft;
        this.before = before;
    }

    @Override
    protected long compute() {
        if (columns == all) {
            return 1;
        }
        QueensFork last = null;
        for (int free = all & ~(columns | fromRight | fromLeft); free != 0; free &= free - 1) {
            int square = free & -free;
            last = new QueensFork(all, columns | square, (fromRight | square) << 1, (fromLeft | square) >>> 1, last);
            last.fork();
        }
        long solutions = 0;
        for (QueensFork fork = last; fork != null; fork = fork.before) {
            solutions += fork.join();
        }
        return solutions;
    }
}
