// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.topology;

import io.corelane.affinity.CpuSet;
import io.corelane.topology.CoreClass;
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
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/** Writes a report for people: a summary, one line for each CPU, the default scheduler, and warnings. */
final class TextReport {
    private final Machine machine;
    private final CpuTopology topology;
    private final List<String> lines = new ArrayList<>();

    private TextReport(Machine machine) {
        this.machine = machine;
        this.topology = machine.topology();
    }

    static String of(Machine machine) {
        TextReport report = new TextReport(machine);
        report.summary();
        report.caches();
        report.nodes();
        report.table();
        report.defaultScheduler();
        report.warnings();
        return String.join(System.lineSeparator(), report.lines);
    }

    private void summary() {
        lines.add("CPU topology, read from " + machine.root());
        lines.add("");
        fact("online", topology.online());
        fact("offline", machine.offline());
        fact("possible", topology.possible());
        fact("isolated", topology.isolated());
        fact("nohz_full", topology.nohzFull());
        fact("sockets", topology.sockets().size());
        if (!topology.dies().equals(topology.sockets())) {
            fact("dies", topology.dies().size());
        }
        fact("cores", topology.cores().size());
        if (topology.coreClasses().size() > 1) {
            fact(
                    "classes",
                    topology.coreClasses().stream()
                            .map(kind -> name(kind) + " " + topology.cpusOf(kind))
                            .collect(Collectors.joining(", ")));
        }
    }

    private void fact(String name, Object value) {
        lines.add(
                String.format(Locale.ROOT, "  %-10s %s", name, value.toString().isEmpty() ? "none" : value));
    }

    private void caches() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (CpuCache cache : topology.caches()) {
            String type = cache.type() == CpuCache.Type.UNIFIED
                    ? ""
                    : " " + cache.type().name().toLowerCase(Locale.ROOT);
            counts.merge("L" + cache.level() + type + " " + Machine.size(cache.sizeBytes()), 1, Integer::sum);
        }
        StringJoiner caches = new StringJoiner(", ").setEmptyValue("not told");
        counts.forEach((cache, count) -> caches.add(count + " x " + cache));
        fact("caches", caches);
    }

    private void nodes() {
        if (topology.nodes().isEmpty()) {
            fact("NUMA nodes", "not told");
        }
        for (NumaNode node : topology.nodes()) {
            String distances = topology.nodes().stream()
                    .map(other -> number(node.distanceTo(other.id())))
                    .collect(Collectors.joining(" "));
            String cpus = node.cpus().isEmpty() ? "memory only" : "CPUs " + node.cpus();
            fact("node " + node.id(), cpus + (node.distances().isEmpty() ? "" : "; distances " + distances));
        }
    }

    private void table() {
        List<LogicalCpu> cpus = topology.cpus();
        TextTable table = new TextTable()
                .numbers("CPU", column(LogicalCpu::cpu))
                .numbers("core", column(LogicalCpu::core))
                .numbers("SMT", column(LogicalCpu::smtIndex))
                .numbers("socket", column(LogicalCpu::socket));
        if (!topology.dies().equals(topology.sockets())) {
            table.numbers("die", column(LogicalCpu::die));
        }
        table.numbers("node", column(LogicalCpu::node))
                .numbers("L3", column(LogicalCpu::l3))
                .words("class", cells(cpu -> name(cpu.coreClass())));
        if (cpus.stream().anyMatch(cpu -> cpu.capacity() > 0)) {
            table.numbers("capacity", column(LogicalCpu::capacity));
        }
        if (cpus.stream().anyMatch(cpu -> cpu.maxFrequencyKhz() > 0)) {
            table.numbers("max MHz", column(cpu -> Math.max(-1, cpu.maxFrequencyKhz() / 1000)));
        }
        lines.add("");
        lines.addAll(table.words("", cells(this::state)).lines());
    }

    /** What a CPU is to this process: of another machine's CPUs nothing is known. */
    private String state(LogicalCpu cpu) {
        StringJoiner state = new StringJoiner(", ");
        CpuLimits limits = machine.limits();
        if (limits != null) {
            boolean allowed = limits.allowed().contains(cpu.cpu());
            boolean taken = limits.defaultCpus().contains(cpu.cpu());
            state.add(taken ? "default" : allowed ? "allowed" : "not allowed");
        }
        if (topology.isolated().contains(cpu.cpu())) {
            state.add("isolated");
        }
        return state.toString();
    }

    private void defaultScheduler() {
        lines.add("");
        CpuLimits limits = machine.limits();
        if (limits == null) {
            lines.add("Default scheduler: unknown. These are the files of another machine, to which the limits of this"
                    + " process do not apply.");
            return;
        }
        CpuSet cpus = limits.defaultCpus();
        if (cpus.isEmpty()) {
            lines.add("Default scheduler: none, for there is no CPU that this process may use.");
        } else {
            lines.add("Default scheduler: " + cpus.size() + (cpus.size() == 1 ? " worker on CPU " : " workers on CPUs ")
                    + cpus + ".");
        }
        limits.describe().forEach(limit -> lines.add("  - " + limit));
        limits.cgroups().warnings().forEach(warning -> lines.add("  - " + warning));
    }

    private void warnings() {
        if (!topology.warnings().isEmpty()) {
            lines.add("");
            lines.add("Warnings:");
            topology.warnings().forEach(warning -> lines.add("  - " + warning));
        }
    }

    private List<String> column(ToIntFunction<LogicalCpu> number) {
        return cells(cpu -> number(number.applyAsInt(cpu)));
    }

    private List<String> cells(Function<LogicalCpu, String> cell) {
        return topology.cpus().stream().map(cell).toList();
    }

    private static String number(int number) {
        return number < 0 ? "-" : String.valueOf(number);
    }

    static String name(CoreClass kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
