// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Which worker runs on which CPU, and why; and why not on the others. A value that is computed from what is known about a
 * machine and a process, without touching any thread; it can be computed for a recorded machine as well.
 * {@code PinnedScheduler} does not follow plans yet: it takes the CPUs it is given, or the lowest allowed ones.
 *
 * <p>How many workers: as many as were asked for; else as many as CPUs are left by the selection, the CPU quota (rounded up) and
 * {@code -XX:ActiveProcessorCount}. Which CPUs, if the selection is just the allowed ones: one per core if that is enough for
 * the workers, else all, and of cores that are not alike the fastest first. More workers than CPUs are refused unless sharing is allowed; then CPUs are used in turn.
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
     * @throws IllegalArgumentException if {@code workers} is negative
     */
    public static PinningPlan of(
            CpuTopology topology, CpuLimits limits, CpuSelection selection, int workers, boolean sharing) {
        if (workers < 0) {
            throw new IllegalArgumentException(
                    "workers=" + workers + " (expected at least 1, or 0 for as many as fit)");
        }
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
     * @return the selection as it was applied: {@code one-per-core} is added where the default comes to that
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

    /** Returns a table: a line for each worker, then the CPUs that are left out, the selection, limits and notes. */
    @Override
    public String toString() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("worker", "CPU", "core", "SMT", "socket", "node", "L3", "class", "why"));
        workers.forEach(worker -> rows.add(row(worker)));
        StringBuilder text = new StringBuilder();
        int[] widths = IntStream.range(0, rows.get(0).size())
                .map(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        rows.forEach(row -> line(text, aligned(row, widths)));
        line(text, "");
        reasons().forEach((reason, cpus) -> line(text, "left out: " + cpus + " (" + reason + ")"));
        line(text, "selection: " + selection);
        limits.describe().forEach(line -> line(text, line));
        notes.forEach(note -> line(text, "note: " + note));
        return text.toString();
    }

    private static void line(StringBuilder text, String line) {
        text.append(line).append('\n');
    }

    private List<String> row(Assignment worker) {
        LogicalCpu cpu = topology.cpu(worker.cpu());
        return List.of(
                number(worker.worker()),
                number(cpu.cpu()),
                number(cpu.core()),
                number(cpu.smtIndex()),
                number(cpu.socket()),
                number(cpu.node()),
                number(cpu.l3()),
                CpuSelection.name(cpu.coreClass()),
                worker.reason());
    }

    /** Numbers to the right, the two columns of words to the left. */
    private static String aligned(List<String> row, int[] widths) {
        StringJoiner line = new StringJoiner("  ");
        for (int i = 0; i < widths.length; i++) {
            String blanks = " ".repeat(widths[i] - row.get(i).length());
            boolean words = i >= widths.length - 2;
            line.add(words ? row.get(i) + blanks : blanks + row.get(i));
        }
        return line.toString().stripTrailing();
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
     * @return a JSON object on one line, with the place of each CPU; -1 stands for what the machine does not tell, null for a
     *     limit that there is not
     */
    public String toJson() {
        return new StringJoiner(",", "{", "}")
                .add("\"selection\":" + quoted(selection.toString()))
                .add("\"workers\":" + array(workers, this::json))
                .add("\"leftOut\":" + array(leftOut, this::json))
                .add("\"limits\":" + limitsJson())
                .add("\"notes\":" + array(notes, PinningPlan::quoted))
                .toString();
    }

    private static <T> String array(List<T> items, Function<T, String> json) {
        return items.stream().map(json).collect(Collectors.joining(",", "[", "]"));
    }

    private String limitsJson() {
        CgroupLimits cgroups = limits.cgroups();
        CpuSet cpuset = cgroups.cpuset();
        double quota = cgroups.quota();
        int processors = limits.processors();
        return new StringJoiner(",", "{", "}")
                .add("\"mask\":" + quoted(limits.mask().toString()))
                .add("\"cpuset\":" + (cpuset == null ? "null" : quoted(cpuset.toString())))
                .add("\"cpusetFile\":" + (cpuset == null ? "null" : quoted(cgroups.cpusetFile())))
                .add("\"allowed\":" + quoted(limits.allowed().toString()))
                .add("\"quota\":" + (Double.isInfinite(quota) ? "null" : String.valueOf(quota)))
                .add("\"quotaFile\":" + (Double.isInfinite(quota) ? "null" : quoted(cgroups.quotaFile())))
                .add("\"activeProcessorCount\":" + (processors == Integer.MAX_VALUE ? "null" : processors))
                .toString();
    }

    private String json(Assignment worker) {
        return "{\"worker\":" + worker.worker() + ",\"cpu\":" + worker.cpu() + place(worker.cpu()) + ",\"reason\":"
                + quoted(worker.reason()) + "}";
    }

    private String json(LeftOut out) {
        return "{\"cpu\":" + out.cpu() + place(out.cpu()) + ",\"reason\":" + quoted(out.reason()) + "}";
    }

    /** Nothing is known of an offline CPU; the keys are the same. */
    private String place(int number) {
        if (!topology.online().contains(number)) {
            return ",\"core\":-1,\"socket\":-1,\"node\":-1,\"l3\":-1,\"smt\":-1,\"class\":\"unknown\"";
        }
        LogicalCpu cpu = topology.cpu(number);
        return ",\"core\":" + cpu.core() + ",\"socket\":" + cpu.socket() + ",\"node\":" + cpu.node() + ",\"l3\":"
                + cpu.l3() + ",\"smt\":" + cpu.smtIndex() + ",\"class\":" + quoted(CpuSelection.name(cpu.coreClass()));
    }

    private static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            if (letter == '"' || letter == '\\') {
                json.append('\\').append(letter);
            } else if (letter < ' ') {
                json.append(String.format(Locale.ROOT, "\\u%04x", (int) letter));
            } else {
                json.append(letter);
            }
        }
        return json.append('"').toString();
    }
}
