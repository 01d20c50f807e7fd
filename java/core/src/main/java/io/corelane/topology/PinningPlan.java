// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Which worker runs on which CPU, and why; and why not on the others. A value that is computed from what is known about a
 * machine and a process, without touching any thread; it can be computed for a recorded machine as well.
 *
 * <p>How many workers: as many as were asked for; else as many as CPUs are left by the selection, the CPU quota (rounded up) and
 * {@code -XX:ActiveProcessorCount}. Which CPUs, if the selection is just the allowed ones: one per core if that is enough for
 * the workers, else all. More workers than CPUs are refused unless sharing is allowed; then CPUs are used in turn.
 *
 * <p><b>Thread safety:</b> immutable.
 */
public final class PinningPlan {
    /**
     * A worker's CPU.
     *
     * @param worker the worker, from 0
     * @param cpu the CPU
     * @param reason why this one
     */
    public record Assignment(int worker, int cpu, String reason) {}

    /**
     * A CPU that no worker has.
     *
     * @param cpu the CPU
     * @param reason why it is left out
     */
    public record LeftOut(int cpu, String reason) {}

    private final CpuTopology topology;
    private final CpuLimits limits;
    private final CpuSelection selection;
    private final List<Assignment> workers;
    private final List<LeftOut> leftOut;
    private final List<String> notes;

    PinningPlan(
            CpuTopology topology,
            CpuLimits limits,
            CpuSelection selection,
            List<Assignment> workers,
            List<LeftOut> leftOut,
            List<String> notes) {
        this.topology = topology;
        this.limits = limits;
        this.selection = selection;
        this.workers = List.copyOf(workers);
        this.leftOut = List.copyOf(leftOut);
        this.notes = List.copyOf(notes);
    }

    /**
     * Makes a plan.
     *
     * @param topology the machine
     * @param limits what the process may use
     * @param selection which CPUs are wanted
     * @param workers how many workers, or 0 for as many as fit
     * @param sharing whether several workers may have the same CPU
     * @return the plan
     * @throws PinningException if the selection cannot be met, or there are more workers than CPUs and no sharing
     */
    public static PinningPlan of(
            CpuTopology topology, CpuLimits limits, CpuSelection selection, int workers, boolean sharing) {
        return new PinningPlanner(topology, limits, selection).plan(workers, sharing);
    }

    /**
     * Returns the workers with their CPUs.
     *
     * @return by worker, at least one
     */
    public List<Assignment> workers() {
        return workers;
    }

    /**
     * Returns the CPUs that have no worker, online or not.
     *
     * @return by CPU number
     */
    public List<LeftOut> leftOut() {
        return leftOut;
    }

    /**
     * Returns the CPU of each worker.
     *
     * @return by worker
     */
    public int[] cpuOfWorker() {
        return workers.stream().mapToInt(Assignment::cpu).toArray();
    }

    /**
     * Returns the CPUs that have workers.
     *
     * @return at least one
     */
    public CpuSet cpus() {
        return CpuSet.of(Arrays.stream(cpuOfWorker()).distinct().toArray());
    }

    /**
     * Returns the limits that the plan keeps to.
     *
     * @return mask, control groups, and the JVM's own
     */
    public CpuLimits limits() {
        return limits;
    }

    /**
     * Returns what was selected.
     *
     * @return the selection; the default one if none was given
     */
    public CpuSelection selection() {
        return selection;
    }

    /**
     * Returns the decisions behind the plan, and what had to be assumed about the machine and the limits.
     *
     * @return one line each
     */
    public List<String> notes() {
        return notes;
    }

    /** Returns a table: a line for each worker, then the CPUs that are left out, the limits and the notes. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("worker  CPU   core  socket  node  L3    class        why\n");
        for (Assignment worker : workers) {
            LogicalCpu cpu = topology.cpu(worker.cpu());
            text.append("%-7d %-5d %-5d %-7d %-5s %-5s %-12s %s%n"
                    .formatted(
                            worker.worker(),
                            worker.cpu(),
                            cpu.core(),
                            cpu.socket(),
                            number(cpu.node()),
                            number(cpu.l3()),
                            CpuSelection.name(cpu.coreClass()),
                            worker.reason()));
        }
        reasons().forEach((reason, cpus) -> text.append("left out: %s (%s)%n".formatted(cpus, reason)));
        text.append("selection: ").append(selection).append('\n');
        limits.describe().forEach(line -> text.append(line).append('\n'));
        notes.forEach(note -> text.append("note: ").append(note).append('\n'));
        return text.toString();
    }

    private static String number(int number) {
        return number < 0 ? "-" : String.valueOf(number);
    }

    private Map<String, CpuSet> reasons() {
        return leftOut.stream()
                .collect(Collectors.groupingBy(
                        LeftOut::reason,
                        LinkedHashMap::new,
                        Collectors.collectingAndThen(
                                Collectors.toList(),
                                list -> CpuSet.of(
                                        list.stream().mapToInt(LeftOut::cpu).toArray()))));
    }

    /**
     * Returns the plan for tools.
     *
     * @return a JSON object
     */
    public String toJson() {
        List<String> parts = new ArrayList<>();
        parts.add("\"selection\":" + quoted(selection.toString()));
        parts.add("\"workers\":" + workers.stream().map(this::json).collect(Collectors.joining(",", "[", "]")));
        parts.add("\"leftOut\":"
                + leftOut.stream()
                        .map(out -> "{\"cpu\":" + out.cpu() + ",\"reason\":" + quoted(out.reason()) + "}")
                        .collect(Collectors.joining(",", "[", "]")));
        CgroupLimits cgroups = limits.cgroups();
        CpuSet cpuset = cgroups.cpuset();
        parts.add("\"limits\":{\"mask\":" + quoted(limits.mask().toString()) + ",\"cpuset\":"
                + (cpuset == null ? "null" : quoted(cpuset.toString())) + ",\"cpusetFile\":"
                + quoted(cgroups.cpusetFile()) + ",\"quota\":"
                + (Double.isInfinite(cgroups.quota()) ? "null" : String.valueOf(cgroups.quota())) + ",\"quotaFile\":"
                + quoted(cgroups.quotaFile()) + ",\"activeProcessorCount\":"
                + (limits.processors() == Integer.MAX_VALUE ? "null" : String.valueOf(limits.processors())) + "}");
        parts.add("\"notes\":" + notes.stream().map(PinningPlan::quoted).collect(Collectors.joining(",", "[", "]")));
        return parts.stream().collect(Collectors.joining(",", "{", "}"));
    }

    private String json(Assignment worker) {
        LogicalCpu cpu = topology.cpu(worker.cpu());
        return "{\"worker\":" + worker.worker() + ",\"cpu\":" + cpu.cpu() + ",\"core\":" + cpu.core() + ",\"socket\":"
                + cpu.socket() + ",\"node\":" + cpu.node() + ",\"l3\":" + cpu.l3() + ",\"smt\":" + cpu.smtIndex()
                + ",\"class\":" + quoted(CpuSelection.name(cpu.coreClass())) + ",\"reason\":" + quoted(worker.reason())
                + "}";
    }

    private static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            if (letter == '"' || letter == '\\') {
                json.append('\\').append(letter);
            } else if (letter < ' ') {
                json.append("\\u%04x".formatted((int) letter));
            } else {
                json.append(letter);
            }
        }
        return json.append('"').toString();
    }
}
