// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import io.corelane.topology.CpuSelection.PerCore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Computes a {@link PinningPlan}: which CPUs a selection comes to on one machine, and who gets them. */
final class PinningPlanner {
    private final CpuTopology topology;
    private final CpuLimits limits;
    private CpuSelection selection;
    private final Map<Integer, String> refusals = new TreeMap<>();
    private final List<String> notes = new ArrayList<>();

    PinningPlanner(CpuTopology topology, CpuLimits limits, CpuSelection selection) {
        this.topology = topology;
        this.limits = limits;
        this.selection = selection;
    }

    PinningPlan plan(int workersWanted, boolean sharing) {
        notes.addAll(topology.warnings());
        notes.addAll(limits.cgroups().warnings());
        List<LogicalCpu> filtered = filtered();
        int fit = fit(filtered.size());
        int wanted = workersWanted != 0 ? workersWanted : fit;
        choosePerCore(filtered, wanted);
        List<LogicalCpu> chosen = inOrder(reduced(filtered));
        if (selection.first() > 0 && chosen.size() > selection.first()) {
            leaveOut(chosen.subList(selection.first(), chosen.size()), "first:" + selection.first());
            chosen = chosen.subList(0, selection.first());
        }
        if (chosen.isEmpty() || chosen.size() < selection.atLeast()) {
            throw tooFew(chosen.size());
        }
        int count = workersWanted != 0 ? workersWanted : fit(chosen.size());
        if (count > chosen.size() && !sharing) {
            throw new PinningException(
                    "workers=" + count + " (expected 1.." + chosen.size() + ": the selection \"" + selection
                            + "\" comes to CPUs " + set(chosen) + "; allow more with sharing(true) or Pinning.OFF)");
        }
        if (chosen.size() > count) {
            leaveOut(chosen.subList(count, chosen.size()), "not needed for " + count + " workers");
            chosen = chosen.subList(0, count);
        }
        return new PinningPlan(
                topology,
                limits,
                selection,
                assignments(chosen, count),
                refusals.entrySet().stream()
                        .map(entry -> new PinningPlan.LeftOut(entry.getKey(), entry.getValue()))
                        .toList(),
                notes);
    }

    /** How many workers so many CPUs, the quota and the JVM's limit are enough for. */
    private int fit(int cpus) {
        int quota = limits.cgroups().quotaWorkers();
        return Math.max(1, Math.min(cpus, Math.min(quota, limits.processors())));
    }

    /** The candidates that pass the filters, by number. */
    private List<LogicalCpu> filtered() {
        CpuSet explicit = selection.explicit();
        if (explicit != null) {
            refuseWhatCannotBe(explicit);
        }
        CpuSet allowed = limits.allowed();
        List<LogicalCpu> kept = new ArrayList<>();
        for (int cpu : topology.present().toArray()) {
            String reason = refusal(cpu, explicit, allowed);
            if (reason == null) {
                kept.add(topology.cpu(cpu));
            } else {
                refusals.put(cpu, reason);
            }
        }
        return kept;
    }

    private @Nullable String refusal(int cpu, @Nullable CpuSet explicit, CpuSet allowed) {
        if (!topology.online().contains(cpu)) {
            return "offline";
        }
        if (explicit != null) {
            return explicit.contains(cpu) ? selection.refusal(topology, topology.cpu(cpu)) : "not in the list";
        }
        CpuSet cpuset = limits.cgroups().cpuset();
        if (cpuset != null && !cpuset.contains(cpu)) {
            return "not allowed by cpuset";
        }
        boolean reachable = selection.isIsolatedOnly() && topology.isolated().contains(cpu);
        if (!allowed.contains(cpu) && !reachable) {
            return "not allowed by mask";
        }
        return selection.refusal(topology, topology.cpu(cpu));
    }

    /** A list that was asked for is met or refused; the mask of the process is no obstacle, its cpuset is. */
    private void refuseWhatCannotBe(CpuSet explicit) {
        CpuSet cpuset = limits.cgroups().cpuset();
        List<String> problems = new ArrayList<>();
        for (int cpu : explicit.toArray()) {
            if (!topology.present().contains(cpu)) {
                problems.add(cpu + " (absent)");
            } else if (!topology.online().contains(cpu)) {
                problems.add(cpu + " (offline)");
            } else if (cpuset != null && !cpuset.contains(cpu)) {
                problems.add(cpu + " (not allowed by cpuset " + cpuset + ")");
            } else if (!limits.mask().contains(cpu)) {
                notes.add("CPU " + cpu + " was asked for and is not in the affinity mask; the kernel decides");
            }
        }
        if (!problems.isEmpty()) {
            throw new PinningException("CPUs " + explicit + " cannot be used: " + String.join(", ", problems));
        }
    }

    /** The default for a plain selection: one CPU per core if that is enough. */
    private void choosePerCore(List<LogicalCpu> filtered, int wanted) {
        if (!selection.isPlain() || filtered.isEmpty()) {
            return;
        }
        long cores = filtered.stream().mapToInt(LogicalCpu::core).distinct().count();
        if (cores == filtered.size()) {
            return;
        }
        if (wanted <= cores) {
            selection = selection.onePerCore();
            notes.add("one CPU per core: " + cores + " cores are enough for " + wanted + " workers");
        } else {
            notes.add("all allowed CPUs: " + cores + " cores are not enough for " + wanted + " workers");
        }
    }

    private List<LogicalCpu> reduced(List<LogicalCpu> filtered) {
        if (selection.perCore() == PerCore.ANY) {
            return filtered;
        }
        Map<Integer, List<LogicalCpu>> byCore =
                filtered.stream().collect(Collectors.groupingBy(LogicalCpu::core, TreeMap::new, Collectors.toList()));
        List<LogicalCpu> kept = new ArrayList<>();
        byCore.forEach((core, cpus) -> {
            CpuSet siblings = topology.cores().get(core);
            if (selection.perCore() == PerCore.WHOLE && cpus.size() < siblings.size()) {
                leaveOut(cpus, "its core is not wholly left");
                return;
            }
            kept.add(cpus.get(0));
            String reason =
                    selection.perCore() == PerCore.WHOLE ? "sibling, stays free: core of CPU " : "same core as CPU ";
            leaveOut(cpus.subList(1, cpus.size()), reason + cpus.get(0).cpu());
        });
        kept.sort(Comparator.comparingInt(LogicalCpu::cpu));
        return kept;
    }

    private void leaveOut(List<LogicalCpu> cpus, String reason) {
        cpus.forEach(cpu -> refusals.put(cpu.cpu(), reason));
    }

    private List<LogicalCpu> inOrder(List<LogicalCpu> cpus) {
        return switch (selection.order()) {
            case NUMBERED -> cpus;
            case PACK ->
                cpus.stream()
                        .sorted(Comparator.comparingInt(LogicalCpu::socket)
                                .thenComparingInt(LogicalCpu::node)
                                .thenComparingInt(LogicalCpu::llc)
                                .thenComparingInt(LogicalCpu::core)
                                .thenComparingInt(LogicalCpu::cpu))
                        .toList();
            case SPREAD ->
                spread(cpus, List.of(LogicalCpu::socket, LogicalCpu::node, LogicalCpu::llc, LogicalCpu::core));
        };
    }

    /** Takes turns among the groups of the first level, each of them spread among the groups of the next. */
    private static List<LogicalCpu> spread(List<LogicalCpu> cpus, List<ToIntFunction<LogicalCpu>> levels) {
        if (levels.isEmpty() || cpus.size() < 2) {
            return cpus;
        }
        ToIntFunction<LogicalCpu> level = levels.get(0);
        Map<Integer, List<LogicalCpu>> groups =
                cpus.stream().collect(Collectors.groupingBy(level::applyAsInt, TreeMap::new, Collectors.toList()));
        List<List<LogicalCpu>> spreads = groups.values().stream()
                .map(group -> spread(group, levels.subList(1, levels.size())))
                .toList();
        List<LogicalCpu> turns = new ArrayList<>();
        for (int i = 0; turns.size() < cpus.size(); i++) {
            for (List<LogicalCpu> group : spreads) {
                if (i < group.size()) {
                    turns.add(group.get(i));
                }
            }
        }
        return turns;
    }

    private List<PinningPlan.Assignment> assignments(List<LogicalCpu> chosen, int count) {
        List<PinningPlan.Assignment> assignments = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            LogicalCpu cpu = chosen.get(i % chosen.size());
            assignments.add(new PinningPlan.Assignment(i, cpu.cpu(), why(cpu, i >= chosen.size())));
        }
        if (count > chosen.size()) {
            notes.add(count + " workers share " + chosen.size() + " CPUs");
        }
        return assignments;
    }

    private String why(LogicalCpu cpu, boolean shared) {
        String reason = selection.explicit() != null ? "asked for" : "allowed";
        if (topology.isolated().contains(cpu.cpu())) {
            reason += ", isolated";
        }
        if (selection.perCore() != PerCore.ANY) {
            reason += ", first of its core";
        }
        return shared ? reason + ", shared" : reason;
    }

    private PinningException tooFew(int left) {
        String needed = selection.atLeast() > 0 ? "at least " + selection.atLeast() : "at least one";
        Map<String, List<Integer>> byReason = new TreeMap<>();
        refusals.forEach((cpu, reason) ->
                byReason.computeIfAbsent(reason, key -> new ArrayList<>()).add(cpu));
        String reasons = byReason.entrySet().stream()
                .map(entry -> CpuSet.of(entry.getValue().stream()
                                .mapToInt(Integer::intValue)
                                .toArray()) + " (" + entry.getKey() + ")")
                .collect(Collectors.joining(", "));
        return new PinningException("the selection \"" + selection + "\" leaves " + left + " CPUs (expected " + needed
                + "); left out: " + reasons + "; limits: " + String.join("; ", limits.describe()));
    }

    private static CpuSet set(List<LogicalCpu> cpus) {
        return CpuSet.of(cpus.stream().mapToInt(LogicalCpu::cpu).toArray());
    }
}
