// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import io.corelane.topology.CpuSelection.PerCore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Computes a {@link PinningPlan}: which CPUs a selection comes to on one machine, and who gets them. */
final class PinningPlanner {
    private final CpuTopology topology;
    private final CpuLimits limits;
    private CpuSelection selection;
    private final Map<Integer, String> taken;
    private final Map<Integer, String> refusals = new TreeMap<>();
    private final List<String> notes = new ArrayList<>();

    PinningPlanner(CpuTopology topology, CpuLimits limits, CpuSelection selection, Map<Integer, String> taken) {
        this.topology = topology;
        this.limits = limits;
        this.selection = selection;
        this.taken = taken;
    }

    PinningPlan plan(int workersWanted, boolean sharing) {
        boolean plain = selection.isPlain();
        List<LogicalCpu> filtered = filtered();
        choosePerCore(filtered, workersWanted != 0 ? workersWanted : fit(filtered.size()));
        List<LogicalCpu> chosen = inOrder(reduced(filtered));
        if (selection.first() > 0 && chosen.size() > selection.first()) {
            leaveOut(chosen.subList(selection.first(), chosen.size()), "beyond first:" + selection.first());
            chosen = chosen.subList(0, selection.first());
        }
        if (chosen.isEmpty() || chosen.size() < selection.atLeast()) {
            throw tooFew(chosen);
        }
        int count = workersWanted != 0 ? workersWanted : fit(chosen.size());
        if (count > chosen.size() && !sharing) {
            throw new PinningException(
                    "workers=" + count + " (expected 1.." + chosen.size() + ": the selection \"" + selection
                            + "\" comes to CPUs " + set(chosen) + "; allow more with sharing(true) or Pinning.OFF)");
        }
        noteCount(count, chosen.size(), workersWanted != 0);
        if (chosen.size() > count) {
            chosen = plain ? fastestFirst(chosen) : chosen;
            leaveOut(chosen.subList(count, chosen.size()), "not needed for " + count(count, "worker"));
            chosen = chosen.subList(0, count);
        }
        notes.addAll(limits.cgroups().warnings());
        notes.addAll(topology.warnings());
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

    /** Where the default leaves CPUs out, it leaves out slow ones. */
    private List<LogicalCpu> fastestFirst(List<LogicalCpu> cpus) {
        if (cpus.stream().map(LogicalCpu::coreClass).distinct().count() > 1) {
            notes.add("the fastest cores first");
        }
        return cpus.stream()
                .sorted(Comparator.comparing(LogicalCpu::coreClass).thenComparingInt(LogicalCpu::cpu))
                .toList();
    }

    /** Says where the number of workers comes from, and what it comes to. */
    private void noteCount(int count, int cpus, boolean asked) {
        CgroupLimits cgroups = limits.cgroups();
        boolean quota = !Double.isInfinite(cgroups.quota());
        String theQuota = String.format(Locale.ROOT, "the CPU quota of %.2f CPUs", cgroups.quota());
        if (count > cpus) {
            notes.add(count + " workers share " + count(cpus, "CPU"));
        }
        if (!asked && count < cpus) {
            boolean told = limits.processors() <= cgroups.quotaWorkers();
            notes.add(count(count, "worker") + ": "
                    + (told
                            ? "the JVM was told to use no more CPUs (-XX:ActiveProcessorCount)"
                            : theQuota + " is enough for no more"));
        }
        if (count > cgroups.quotaWorkers()) {
            notes.add(count + " workers share " + theQuota + ": the kernel holds them up when it is used up");
        }
        boolean anyCpu = selection.explicit() == null && limits.allowed().containsAll(topology.online());
        if (quota && anyCpu && count < topology.online().size()) {
            notes.add(
                    "there is a CPU quota, but every CPU is allowed: other processes under a quota may pin to the same"
                            + " ones; give each a cpuset or a list of its own, or do not pin");
        }
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
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
        String refusal = selection.refusal(topology, topology.cpu(cpu));
        return refusal != null ? refusal : taken.get(cpu);
    }

    /** A list that was asked for is met or refused; the mask of the process is no obstacle, its cpuset is. */
    private void refuseWhatCannotBe(CpuSet explicit) {
        CpuSet cpuset = limits.cgroups().cpuset();
        CpuSet free = topology.online()
                .minus(CpuSet.of(
                        taken.keySet().stream().mapToInt(Integer::intValue).toArray()));
        CpuSet usable = cpuset == null ? free : free.intersect(cpuset);
        CpuSet refused = explicit.minus(usable);
        if (!refused.isEmpty()) {
            Map<Integer, String> reasons = new TreeMap<>();
            refused.stream().forEach(cpu -> reasons.put(cpu, whyNotUsable(cpu, cpuset)));
            throw new PinningException("selection \"" + selection + "\" asks for CPUs that cannot be used: "
                    + byReason(reasons) + " (expected CPUs of "
                    + (usable.isEmpty() ? place(cpuset) + ", but none is online and free" : usable) + ")");
        }
        CpuSet outside = explicit.minus(limits.mask());
        if (!outside.isEmpty()) {
            notes.add("asked for and not in the affinity mask: CPUs " + outside + "; the kernel decides");
        }
    }

    private static String place(@Nullable CpuSet cpuset) {
        return cpuset == null ? "this machine" : "the cpuset " + cpuset;
    }

    private String whyNotUsable(int cpu, @Nullable CpuSet cpuset) {
        if (!topology.present().contains(cpu)) {
            return "absent";
        }
        if (!topology.online().contains(cpu)) {
            return "offline";
        }
        return cpuset != null && !cpuset.contains(cpu)
                ? "not allowed by cpuset " + cpuset
                : Objects.requireNonNull(taken.get(cpu));
    }

    /** Joins CPUs of the same reason: {@code 0 (offline), 20-23 (absent)}. */
    private static String byReason(Map<Integer, String> reasons) {
        Map<String, List<Integer>> byReason = new LinkedHashMap<>();
        reasons.forEach((cpu, reason) ->
                byReason.computeIfAbsent(reason, key -> new ArrayList<>()).add(cpu));
        return byReason.entrySet().stream()
                .map(entry -> CpuSet.of(entry.getValue().stream()
                                .mapToInt(Integer::intValue)
                                .toArray()) + " (" + entry.getKey() + ")")
                .collect(Collectors.joining(", "));
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
            notes.add("one CPU per core: " + count((int) cores, "core") + " for " + count(wanted, "worker"));
        } else {
            notes.add("all CPUs of the cores: " + count((int) cores, "core") + " for " + count(wanted, "worker"));
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
                leaveOut(cpus, "its core has a CPU that is left out");
                return;
            }
            kept.add(cpus.get(0));
            boolean whole = selection.perCore() == PerCore.WHOLE;
            leaveOut(cpus.subList(1, cpus.size()), whole ? "sibling, stays free" : "not the first CPU of its core");
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
            int turn = i % chosen.size();
            int sharers = (count - turn + chosen.size() - 1) / chosen.size();
            LogicalCpu cpu = chosen.get(turn);
            assignments.add(new PinningPlan.Assignment(
                    i, cpu.cpu(), why(cpu) + (sharers > 1 ? ", shared by " + sharers + " workers" : "")));
        }
        return assignments;
    }

    private String why(LogicalCpu cpu) {
        String reason = selection.explicit() != null ? "asked for" : "allowed";
        if (topology.isolated().contains(cpu.cpu())) {
            reason += ", isolated";
        }
        return switch (selection.perCore()) {
            case ANY -> reason;
            case ONE -> reason + ", first of its core";
            case WHOLE -> reason + ", whole core";
        };
    }

    private PinningException tooFew(List<LogicalCpu> left) {
        String needed = selection.atLeast() > 0 ? "at least " + selection.atLeast() : "at least one";
        String found = left.isEmpty() ? "no CPU" : count(left.size(), "CPU") + ", " + set(left) + ",";
        return new PinningException("selection \"" + selection + "\" leaves " + found + " (expected " + needed + "); "
                + (refusals.isEmpty() ? "" : "left out: " + byReason(refusals) + "; ")
                + String.join("; ", limits.describe()));
    }

    private static CpuSet set(List<LogicalCpu> cpus) {
        return CpuSet.of(cpus.stream().mapToInt(LogicalCpu::cpu).toArray());
    }
}
