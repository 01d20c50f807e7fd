// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.topology;

import io.corelane.affinity.CpuSet;
import io.corelane.cli.JsonWriter;
import io.corelane.topology.CpuCache;
import io.corelane.topology.CpuLimits;
import io.corelane.topology.CpuTopology;
import io.corelane.topology.LogicalCpu;
import io.corelane.topology.NumaNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes a report as one JSON document. Sets of CPUs are text as in {@code 0-3,8}; -1 stands for what the machine does
 * not tell. What this process may use is left out for another machine's files.
 */
final class JsonReport {
    private final Machine machine;
    private final CpuTopology topology;

    private JsonReport(Machine machine) {
        this.machine = machine;
        this.topology = machine.topology();
    }

    static String of(Machine machine) {
        return JsonWriter.write(new JsonReport(machine).document());
    }

    private Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("root", machine.root());
        document.put("online", topology.online());
        document.put("present", topology.present());
        document.put("possible", topology.possible());
        document.put("isolated", topology.isolated());
        document.put("nohzFull", topology.nohzFull());
        CpuLimits limits = machine.limits();
        if (limits != null) {
            CpuSet cpuset = limits.cgroups().cpuset();
            document.put("mask", limits.mask());
            if (cpuset != null) {
                document.put("cpuset", cpuset);
            }
            document.put("quota", limits.cgroups().quota());
            document.put("allowed", limits.allowed());
            document.put("defaultCpus", limits.defaultCpus());
        }
        document.put("cpus", cpus());
        document.put("nodes", topology.nodes().stream().map(JsonReport::node).toList());
        document.put("caches", topology.caches().stream().map(JsonReport::cache).toList());
        document.put("warnings", topology.warnings());
        return document;
    }

    /** All CPUs that are present, in order; those that are offline have the same keys. */
    private List<Map<String, Object>> cpus() {
        List<Map<String, Object>> cpus = new ArrayList<>();
        topology.present().stream().forEach(cpu -> {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("cpu", cpu);
            map.putAll(topology.online().contains(cpu) ? online(topology.cpu(cpu)) : offline());
            CpuLimits limits = machine.limits();
            if (limits != null) {
                map.put("allowed", limits.allowed().contains(cpu));
            }
            map.put("isolated", topology.isolated().contains(cpu));
            cpus.add(map);
        });
        return cpus;
    }

    private static Map<String, Object> online(LogicalCpu cpu) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("core", cpu.core());
        map.put("die", cpu.die());
        map.put("socket", cpu.socket());
        map.put("node", cpu.node());
        map.put("l3", cpu.l3());
        map.put("llc", cpu.llc());
        map.put("smt", cpu.smtIndex());
        map.put("class", TextReport.name(cpu.coreClass()));
        map.put("capacity", cpu.capacity());
        map.put("maxFrequencyKhz", cpu.maxFrequencyKhz());
        map.put("online", true);
        return map;
    }

    private Map<String, Object> offline() {
        Map<String, Object> map = online(topology.cpus().get(0));
        map.replaceAll((key, value) -> -1);
        map.put("class", "unknown");
        map.put("online", false);
        return map;
    }

    private static Map<String, Object> node(NumaNode node) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("node", node.id());
        map.put("cpus", node.cpus());
        map.put("distances", new TreeMap<>(node.distances()));
        return map;
    }

    private static Map<String, Object> cache(CpuCache cache) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("level", cache.level());
        map.put("type", cache.type().name().toLowerCase(Locale.ROOT));
        map.put("sizeBytes", cache.sizeBytes());
        map.put("cpus", cache.cpus());
        return map;
    }
}
