// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Groups CPUs by the highest of their caches, instruction caches aside. */
final class CacheDomains {
    private CacheDomains() {}

    /** The CPUs under each last-level cache; CPUs without a known cache are in no domain. */
    static List<CpuSet> lastLevel(List<CpuCache> caches) {
        return highest(caches, cache -> true);
    }

    /** The CPUs under each level 3 cache. */
    static List<CpuSet> level3(List<CpuCache> caches) {
        return highest(caches, cache -> cache.level() == 3);
    }

    private static List<CpuSet> highest(List<CpuCache> caches, Predicate<CpuCache> wanted) {
        Map<Integer, CpuCache> best = new TreeMap<>();
        caches.stream()
                .filter(cache -> cache.type() != CpuCache.Type.INSTRUCTION)
                .filter(wanted)
                .forEach(cache -> cache.cpus().stream()
                        .forEach(cpu ->
                                best.merge(cpu, cache, (old, other) -> other.level() > old.level() ? other : old)));
        // By identity: before JDK 19 the hash of a record keeps the class loader of its fields' types (JDK-8078641).
        IdentityHashMap<CpuCache, List<Integer>> domains = new IdentityHashMap<>();
        best.forEach((cpu, cache) ->
                domains.computeIfAbsent(cache, key -> new ArrayList<>()).add(cpu));
        return Partition.sorted(domains.values().stream()
                .map(cpus -> CpuSet.of(cpus.stream().mapToInt(Integer::intValue).toArray()))
                .toList());
    }
}
