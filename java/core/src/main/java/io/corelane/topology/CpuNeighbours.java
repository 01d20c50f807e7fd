// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Which CPUs of a set share a core, a last-level cache or a NUMA node: what a scheduler needs to steal from near workers
 * first.
 *
 * <p>It reads one or two files for each core, cache and node, where {@link CpuTopology} reads some 20 for each CPU: it
 * takes milliseconds where that takes a second on a machine of 512 CPUs. What is missing or makes no sense counts as
 * "shares nothing": a wrong answer here costs speed, never correctness.
 *
 * <p><b>Thread safety:</b> immutable.
 */
public final class CpuNeighbours {
    private static final List<String> CORE_FILES = List.of("topology/core_cpus_list", "topology/thread_siblings_list");

    private final Map<Integer, Integer> cores;
    private final Map<Integer, Integer> caches;
    private final Map<Integer, Integer> nodes;

    private CpuNeighbours(Map<Integer, Integer> cores, Map<Integer, Integer> caches, Map<Integer, Integer> nodes) {
        this.cores = cores;
        this.caches = caches;
        this.nodes = nodes;
    }

    /**
     * Reads this machine.
     *
     * @param cpus the CPUs to tell about
     * @return who is near whom
     */
    public static CpuNeighbours read(CpuSet cpus) {
        return read(Path.of("/"), cpus);
    }

    /**
     * Reads a machine whose files are below the given folder.
     *
     * @param root folder that stands for {@code /}
     * @param cpus the CPUs to tell about
     * @return who is near whom
     */
    public static CpuNeighbours read(Path root, CpuSet cpus) {
        KernelTree tree = new KernelTree(root);
        Map<Integer, CpuSet> nodes = nodes(tree);
        return new CpuNeighbours(
                groups(cpus, cpu -> firstSet(tree, cpu, CORE_FILES)),
                groups(cpus, cpu -> firstSet(tree, cpu, List.of(lastLevelCache(tree, cpu)))),
                groups(cpus, nodes::get));
    }

    /**
     * Returns a number that the CPUs of one core have in common.
     *
     * @param cpu one of the CPUs that were asked for
     * @return the lowest of these CPUs on the same core
     */
    public int core(int cpu) {
        return cores.getOrDefault(cpu, cpu);
    }

    /**
     * Returns a number that the CPUs under one last-level cache have in common.
     *
     * @param cpu one of the CPUs that were asked for
     * @return the lowest of these CPUs under the same cache
     */
    public int cache(int cpu) {
        return caches.getOrDefault(cpu, cpu);
    }

    /**
     * Returns a number that the CPUs of one NUMA node have in common.
     *
     * @param cpu one of the CPUs that were asked for
     * @return the lowest of these CPUs on the same node
     */
    public int node(int cpu) {
        return nodes.getOrDefault(cpu, cpu);
    }

    /** Asks for one CPU of each group only: the others are in the answer. */
    private static Map<Integer, Integer> groups(CpuSet cpus, IntFunction<@Nullable CpuSet> sharers) {
        Map<Integer, Integer> group = new HashMap<>();
        for (int cpu : cpus.toArray()) {
            if (!group.containsKey(cpu)) {
                group.put(cpu, cpu);
                CpuSet shared = sharers.apply(cpu);
                if (shared != null) {
                    shared.intersect(cpus).stream().forEach(other -> group.putIfAbsent(other, cpu));
                }
            }
        }
        return group;
    }

    private static Map<Integer, CpuSet> nodes(KernelTree tree) {
        Map<Integer, CpuSet> nodes = new HashMap<>();
        for (int node : numbered(tree, KernelTree.NODE, "node").toArray()) {
            CpuSet cpus = set(tree, KernelTree.NODE + "node" + node + "/cpulist");
            if (cpus != null) {
                cpus.stream().forEach(cpu -> nodes.put(cpu, cpus));
            }
        }
        return nodes;
    }

    /** Indices count upwards from the core; the last one is the largest cache. */
    private static String lastLevelCache(KernelTree tree, int cpu) {
        int[] indices =
                numbered(tree, KernelTree.CPU + "cpu" + cpu + "/cache", "index").toArray();
        return "cache/index" + (indices.length == 0 ? 0 : indices[indices.length - 1]) + "/shared_cpu_list";
    }

    private static @Nullable CpuSet firstSet(KernelTree tree, int cpu, List<String> files) {
        for (String file : files) {
            CpuSet set = set(tree, KernelTree.CPU + "cpu" + cpu + "/" + file);
            if (set != null && set.contains(cpu)) {
                return set;
            }
        }
        return null;
    }

    private static @Nullable CpuSet set(KernelTree tree, String file) {
        try {
            String text = tree.text(file);
            return text == null ? null : CpuSet.parse(text);
        } catch (IOException | IllegalArgumentException unusable) {
            return null; // shares nothing, see above
        }
    }

    private static CpuSet numbered(KernelTree tree, String folder, String prefix) {
        try {
            return tree.numbered(folder, prefix);
        } catch (TopologyException unusable) {
            return CpuSet.empty();
        }
    }
}
