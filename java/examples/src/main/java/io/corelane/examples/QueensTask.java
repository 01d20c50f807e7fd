// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.util.concurrent.RecursiveTask;
import org.jspecify.annotations.Nullable;

/** Counts the solutions below placed queens, with a task for each free square; masks as in {@link QueensRecursion}. */
final class QueensTask extends RecursiveTask<Long> {
    private static final long serialVersionUID = 1L;

    private final int all;
    private final int columns;
    private final int fromRight;
    private final int fromLeft;
    /** The task before this one in the same row. */
    private final @Nullable QueensTask before;

    QueensTask(int board) {
        this((1 << board) - 1, 0, 0, 0, null);
    }

    private QueensTask(int all, int columns, int fromRight, int fromLeft, @Nullable QueensTask before) {
        this.all = all;
        this.columns = columns;
        this.fromRight = fromRight;
        this.fromLeft = fromLeft;
        this.before = before;
    }

    @Override
    protected Long compute() {
        if (columns == all) {
            return 1L;
        }
        QueensTask last = null;
        for (int free = all & ~(columns | fromRight | fromLeft); free != 0; free &= free - 1) {
            int square = free & -free;
            last = new QueensTask(all, columns | square, (fromRight | square) << 1, (fromLeft | square) >>> 1, last);
            last.fork();
        }
        long solutions = 0;
        for (QueensTask task = last; task != null; task = task.before) {
            solutions += task.join();
        }
        return solutions;
    }
}
