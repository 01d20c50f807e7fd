// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import io.corelane.PinnedScheduler;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;

/** How the numbers are sorted. */
final class SortVersions {
    private SortVersions() {}

    static List<Version<long[], long[]>> of(Pools pools) {
        return List.of(
                new Version<>(Version.SEQUENTIAL, "Arrays.sort", numbers -> {
                    Arrays.sort(numbers);
                    return numbers;
                }),
                new Version<>(
                        Version.FORK_JOIN_POOL,
                        "Arrays.parallelSort in a task of the pool; how far it splits depends on the parallelism of the"
                                + " common pool, which was set to " + ForkJoinPool.getCommonPoolParallelism(),
                        numbers ->
                                pools.onForkJoinPool(ForkJoinTask.adapt(() -> Arrays.parallelSort(numbers), numbers))),
                new Version<>(Version.CORELANE, "PinnedScheduler.parallelSort in a job", numbers -> {
                    PinnedScheduler scheduler = pools.scheduler();
                    return pools.onCorelane(() -> {
                        scheduler.parallelSort(numbers);
                        return numbers;
                    });
                }));
    }
}
