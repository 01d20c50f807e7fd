// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import io.corelane.PinnedScheduler;
import java.util.List;

/** How the solutions are counted. */
final class QueensVersions {
    private QueensVersions() {}

    static List<Version<Integer, Long>> of(Pools pools) {
        PinnedScheduler scheduler = pools.scheduler();
        return List.of(
                new Version<>(Version.SEQUENTIAL, "plain recursion", QueensRecursion::count),
                new Version<>(
                        Version.FORK_JOIN_POOL,
                        "a RecursiveTask for each free square of each row",
                        board -> pools.onForkJoinPool(new QueensTask(board))),
                new Version<>(
                        Version.CORELANE,
                        "a LongFork for each free square of each row",
                        board -> pools.onCorelane(() -> scheduler.invoke(new QueensFork(board)))));
    }
}
