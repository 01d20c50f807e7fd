// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import io.corelane.PinnedScheduler;
import java.nio.file.Path;
import java.util.List;

/** How a directory is indexed. */
final class IndexVersions {
    private IndexVersions() {}

    static List<Version<Path, FileIndex>> of(Pools pools) {
        PinnedScheduler scheduler = pools.scheduler();
        return List.of(
                new Version<>(
                        Version.SEQUENTIAL,
                        "one directory, file and entry after the other",
                        root -> FileIndex.of(WalkRecursion.walk(new DirectoryStep(root)))),
                new Version<>(
                        Version.FORK_JOIN_POOL,
                        "a RecursiveTask for each directory, file and entry",
                        root -> FileIndex.of(pools.onForkJoinPool(new WalkTask(new DirectoryStep(root))))),
                new Version<>(
                        Version.CORELANE,
                        "a Fork for each directory, file and entry",
                        root -> FileIndex.of(
                                pools.onCorelane(() -> scheduler.invoke(new WalkFork(new DirectoryStep(root)))))));
    }
}
