// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static io.corelane.topology.KernelTree.NODE;

import io.corelane.affinity.CpuSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads the NUMA nodes.
 *
 * <p>The node folders decide which nodes there are, and their lists which CPUs they have; {@code has_cpu} is not read, as
 * some machines leave it empty. A CPU that two nodes list is in neither.
 */
final class NodeReader {
    private static final int LOCAL_DISTANCE = 10;
    private static final int MAX_DISTANCE = 65_535;

    private final KernelTree tree;
    private final CpuSet online;
    private final CpuSet present;
    private final TolerantFiles files;
    private final Warnings warnings;

    NodeReader(KernelTree tree, CpuStates states, TolerantFiles files, Warnings warnings) {
        this.tree = tree;
        this.online = states.online();
        this.present = states.present();
        this.files = files;
        this.warnings = warnings;
    }

    /** Returns the nodes by number; none if the machine shows no nodes. */
    List<NumaNode> read() {
        CpuSet ids = tree.numbered(NODE, "node");
        if (ids.isEmpty()) {
            return List.of();
        }
        Map<Integer, CpuSet> cpus = new TreeMap<>();
        ids.stream().forEach(id -> cpus.put(id, cpus(id)));
        CpuSet inTwo = inTwo(cpus.values());
        if (!inTwo.isEmpty()) {
            warnings.add("more than one node below " + tree.path(NODE) + " lists CPUs " + inTwo
                    + ": their node is taken as unknown");
        }
        CpuSet inNone = online.minus(
                CpuSet.of(cpus.values().stream().flatMapToInt(CpuSet::stream).toArray()));
        if (!inNone.isEmpty()) {
            warnings.add("no node below " + tree.path(NODE) + " lists CPUs " + inNone + ": their node is unknown");
        }
        int[] columns = columns(ids);
        List<NumaNode> nodes = new ArrayList<>();
        cpus.forEach((id, set) -> nodes.add(new NumaNode(id, set.minus(inTwo), distances(id, columns))));
        return List.copyOf(nodes);
    }

    private CpuSet cpus(int id) {
        String folder = NODE + "node" + id;
        CpuSet listed = listed(folder);
        CpuSet absent = listed.minus(present);
        if (!absent.isEmpty()) {
            warnings.add(tree.path(folder) + " lists absent CPUs: " + absent + "; they are left out");
        }
        return listed.intersect(online);
    }

    private CpuSet listed(String folder) {
        CpuSet list = files.set(folder + "/cpulist");
        CpuSet map = files.set(folder + "/cpumap");
        if (list != null && map != null && !list.equals(map)) {
            warnings.add(tree.path(folder) + "/cpulist holds " + KernelTree.quote(list.toString())
                    + ", but cpumap means " + KernelTree.quote(map.toString()) + "; the list is taken");
        }
        if (list != null) {
            return list;
        }
        if (map != null) {
            return map;
        }
        warnings.add(tree.path(folder) + " has no readable cpulist or cpumap: its CPUs are unknown");
        return CpuSet.empty();
    }

    private static CpuSet inTwo(Iterable<CpuSet> sets) {
        CpuSet seen = CpuSet.empty();
        CpuSet twice = CpuSet.empty();
        for (CpuSet set : sets) {
            twice = twice.union(seen.intersect(set));
            seen = seen.union(set);
        }
        return twice;
    }

    /** The nodes in the order in which the kernel writes distances: the online ones by number. */
    private int[] columns(CpuSet ids) {
        CpuSet listed = files.set(NODE + "online");
        if (listed != null && !listed.equals(ids)) {
            warnings.add(tree.path(NODE + "online") + " holds " + KernelTree.quote(listed.toString())
                    + ", but the node folders are " + ids + "; the folders are taken as nodes");
        }
        return (listed == null ? ids : listed).toArray();
    }

    private Map<Integer, Integer> distances(int id, int[] columns) {
        String file = NODE + "node" + id + "/distance";
        try {
            String text = tree.text(file);
            return text == null ? Map.of() : parse(id, file, text, columns);
        } catch (IOException unreadable) {
            warnings.add(tree.path(file) + " cannot be read: " + unreadable + "; distances are unknown");
            return Map.of();
        }
    }

    private Map<Integer, Integer> parse(int id, String file, String text, int[] columns) {
        String[] words = text.split("\\s+", -1);
        Map<Integer, Integer> distances = new LinkedHashMap<>();
        for (int i = 0; i < Math.min(words.length, columns.length); i++) {
            int distance = words[i].matches("[0-9]{1,5}") ? Integer.parseInt(words[i]) : 0;
            if (distance >= LOCAL_DISTANCE && distance <= MAX_DISTANCE) {
                distances.put(columns[i], distance);
            }
        }
        boolean complete = words.length == columns.length && distances.size() == columns.length;
        if (!complete || !distances.containsKey(id) || distances.get(id) > min(distances)) {
            warnings.add(tree.path(file) + " holds " + KernelTree.quote(text) + " (expected " + columns.length
                    + " numbers from " + LOCAL_DISTANCE
                    + " on, the smallest for the node itself); distances are unknown");
            return Map.of();
        }
        return distances;
    }

    private static int min(Map<Integer, Integer> distances) {
        return distances.values().stream().mapToInt(Integer::intValue).min().orElse(0);
    }
}
