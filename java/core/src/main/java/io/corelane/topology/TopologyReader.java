// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Puts together what the readers of single subjects find below one root. */
final class TopologyReader {
    private final KernelTree tree;
    private final Warnings warnings = new Warnings();

    TopologyReader(KernelTree tree) {
        this.tree = tree;
    }

    CpuTopology read() {
        if (!tree.isFolder("")) {
            throw new TopologyException(tree.path(""), "is not a folder (expected one with sys/devices/system/cpu)");
        }
        TolerantFiles files = new TolerantFiles(tree, warnings);
        CpuInfo info = new CpuInfo(tree, warnings);
        CpuStates states = new StatesReader(tree, files, info, warnings).read();
        CpuGroups groups = new GroupReader(states, files, info, warnings).read();
        List<CpuCache> caches = new CacheReader(tree, states, files, warnings).read();
        List<NumaNode> nodes = new NodeReader(tree, states, files, warnings).read();
        CpuSpeeds speeds = CpuSpeeds.read(states, files);
        Map<CoreClass, CpuSet> classes = new ClassReader(states, files, speeds, warnings).read();
        warnAboutMixedCores(groups.cores(), classes);
        return new Assembly(states, groups, caches, nodes, speeds, classes).topology(warnings);
    }

    private void warnAboutMixedCores(List<CpuSet> cores, Map<CoreClass, CpuSet> classes) {
        for (CpuSet core : cores) {
            if (classes.values().stream().noneMatch(cpus -> cpus.containsAll(core))) {
                warnings.add(
                        "CPUs " + core + " share a core but differ in speed; each keeps the class of its own speed");
            }
        }
    }

    /** All parts of the result, from which the CPUs follow. */
    private record Assembly(
            CpuStates states,
            CpuGroups groups,
            List<CpuCache> caches,
            List<NumaNode> nodes,
            CpuSpeeds speeds,
            Map<CoreClass, CpuSet> classes) {

        CpuTopology topology(Warnings warnings) {
            List<CpuSet> l3 = CacheDomains.level3(caches);
            List<CpuSet> llc = CacheDomains.lastLevel(caches);
            return new CpuTopology(
                    states, groups, caches, l3, llc, nodes, Map.copyOf(classes), cpus(l3, llc), warnings.toList());
        }

        private List<LogicalCpu> cpus(List<CpuSet> l3, List<CpuSet> llc) {
            CpuSet online = states.online();
            int[] core = GroupIndex.of(groups.cores(), online);
            int[] die = GroupIndex.of(groups.dies(), online);
            int[] socket = GroupIndex.of(groups.sockets(), online);
            int[] node = GroupIndex.of(nodes.stream().map(NumaNode::cpus).toList(), online);
            int[] l3Of = GroupIndex.of(l3, online);
            int[] llcOf = GroupIndex.of(llc, online);
            List<LogicalCpu> cpus = new ArrayList<>();
            for (int cpu : online.toArray()) {
                cpus.add(new LogicalCpu(
                        cpu,
                        core[cpu],
                        die[cpu],
                        socket[cpu],
                        node[cpu] < 0 ? -1 : nodes.get(node[cpu]).id(),
                        l3Of[cpu],
                        llcOf[cpu],
                        (int) groups.cores().get(core[cpu]).stream()
                                .takeWhile(other -> other < cpu)
                                .count(),
                        coreClass(cpu),
                        speeds.capacities().getOrDefault(cpu, -1),
                        speeds.frequenciesKhz().getOrDefault(cpu, -1)));
            }
            return List.copyOf(cpus);
        }

        private CoreClass coreClass(int cpu) {
            for (Map.Entry<CoreClass, CpuSet> entry : classes.entrySet()) {
                if (entry.getValue().contains(cpu)) {
                    return entry.getKey();
                }
            }
            throw new AssertionError("CPU " + cpu + " has no core class in " + classes);
        }
    }
}
