// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which CPUs a scheduler wants, as a description that knows no machine: what it comes to on one is a {@link PinningPlan}.
 *
 * <p>A selection starts from the CPUs that the process may use, or from an explicit list. Then, in this order whatever the
 * order in which it was described: filters (isolated, core classes, nodes, sockets, last-level caches, reserved CPUs), one CPU
 * per core or whole cores, the order (as numbered, packed, spread), and the first n. An explicit list is met or refused, CPU
 * by CPU; it is never replaced.
 *
 * <p>The text form is a list of words, as in {@code "one-per-core node:0,1 exclude:0 first:4"}, for configuration files and
 * the command line; {@link #parse} reads what {@link #toString} writes.
 *
 * <table>
 * <caption>words</caption>
 * <tr><td>{@code allowed}</td><td>all CPUs that the process may use</td></tr>
 * <tr><td>{@code cpus:2-5,8}</td><td>exactly these, each once; a list alone, as in {@code 2-5,8}, means the same</td></tr>
 * <tr><td>{@code isolated}</td><td>only CPUs that the kernel keeps other tasks away from; they need not be in the mask</td></tr>
 * <tr><td>{@code class:performance,efficiency}</td><td>only cores of these classes, also {@code low-power}</td></tr>
 * <tr><td>{@code node:0,1}</td><td>only these NUMA nodes, by the kernel's numbers, which may be a list as of CPUs</td></tr>
 * <tr><td>{@code socket:0}, {@code llc:0,1}</td><td>only these, by the numbers of {@link LogicalCpu}</td></tr>
 * <tr><td>{@code exclude:0,1}</td><td>not these</td></tr>
 * <tr><td>{@code one-per-core}</td><td>the first CPU of each core that is left</td></tr>
 * <tr><td>{@code whole-cores}</td><td>the first CPU of each core of which every online CPU is left; its siblings stay
 * free</td></tr>
 * <tr><td>{@code pack}, {@code spread}</td><td>the order: fill a cache, node and socket before the next, or take turns</td></tr>
 * <tr><td>{@code first:4}</td><td>at most so many, in that order</td></tr>
 * <tr><td>{@code at-least:2}</td><td>refused if fewer are left</td></tr>
 * </table>
 *
 * <p><b>Thread safety:</b> immutable.
 */
public final class CpuSelection {
    /** In which order CPUs are given to workers, and kept by {@link #first}. */
    public enum Order {
        /** By CPU number. */
        NUMBERED,
        /** CPUs near each other first: those of a core, a last-level cache, a node, a socket. */
        PACK,
        /** CPUs far from each other first: taking turns among sockets, nodes, caches and cores. */
        SPREAD
    }

    /** How many CPUs of a core are taken. */
    enum PerCore {
        ANY,
        ONE,
        WHOLE
    }

    private static final int MAX_COUNT = 999_999_999;

    private static final CpuSelection ALLOWED = new CpuSelection(new Parts());

    private final Parts parts;

    private CpuSelection(Parts parts) {
        this.parts = parts;
    }

    /** What a selection consists of; copied for each change, never changed afterwards. */
    private static final class Parts implements Cloneable {
        @Nullable
        CpuSet explicit;

        boolean isolated;
        Set<CoreClass> classes = EnumSet.noneOf(CoreClass.class);
        Set<Integer> nodes = Set.of();
        Set<Integer> sockets = Set.of();
        Set<Integer> llcs = Set.of();
        CpuSet excluded = CpuSet.empty();
        PerCore perCore = PerCore.ANY;
        Order order = Order.NUMBERED;
        int first;
        int atLeast;

        Parts copy() {
            try {
                return (Parts) clone();
            } catch (CloneNotSupportedException impossible) {
                throw new AssertionError(impossible);
            }
        }
    }

    /**
     * Selects all CPUs that the process may use.
     *
     * @return the selection
     */
    public static CpuSelection allowed() {
        return ALLOWED;
    }

    /**
     * Selects exactly these CPUs, whether or not the process's own mask has them.
     *
     * @param cpus at least one
     * @return the selection
     * @throws IllegalArgumentException if the set is empty
     */
    public static CpuSelection of(CpuSet cpus) {
        if (cpus.isEmpty()) {
            throw new IllegalArgumentException("cpus is empty (expected at least one CPU)");
        }
        Parts parts = new Parts();
        parts.explicit = cpus;
        return new CpuSelection(parts);
    }

    /**
     * Keeps isolated CPUs only. They need not be in the process's mask, which leaves them out by default.
     *
     * @return the narrower selection
     */
    public CpuSelection isolatedOnly() {
        Parts next = parts.copy();
        next.isolated = true;
        return new CpuSelection(next);
    }

    /**
     * Keeps cores of some classes only.
     *
     * @param first a class
     * @param more further ones
     * @return the narrower selection
     */
    public CpuSelection classes(CoreClass first, CoreClass... more) {
        Parts next = parts.copy();
        next.classes = EnumSet.of(first, more);
        return new CpuSelection(next);
    }

    /**
     * Keeps some NUMA nodes only.
     *
     * @param nodes numbers of the kernel
     * @return the narrower selection
     * @throws IllegalArgumentException if there is no number, or one is out of range
     */
    public CpuSelection nodes(int... nodes) {
        Parts next = parts.copy();
        next.nodes = numbers("node", nodes);
        return new CpuSelection(next);
    }

    /**
     * Keeps some sockets only.
     *
     * @param sockets numbers as {@link LogicalCpu#socket()} has them
     * @return the narrower selection
     * @throws IllegalArgumentException if there is no number, or one is out of range
     */
    public CpuSelection sockets(int... sockets) {
        Parts next = parts.copy();
        next.sockets = numbers("socket", sockets);
        return new CpuSelection(next);
    }

    /**
     * Keeps CPUs under some last-level caches only.
     *
     * @param llcs numbers as {@link LogicalCpu#llc()} has them
     * @return the narrower selection
     * @throws IllegalArgumentException if there is no number, or one is out of range
     */
    public CpuSelection llcDomains(int... llcs) {
        Parts next = parts.copy();
        next.llcs = numbers("llc", llcs);
        return new CpuSelection(next);
    }

    private static Set<Integer> numbers(String what, int... numbers) {
        if (numbers.length == 0 || Arrays.stream(numbers).anyMatch(number -> number < 0 || number > CpuSet.MAX_CPU)) {
            throw new IllegalArgumentException(what + "s=" + Arrays.toString(numbers)
                    + " (expected one or more numbers from 0 to " + CpuSet.MAX_CPU + ")");
        }
        return new TreeSet<>(Arrays.stream(numbers).boxed().toList());
    }

    /**
     * Leaves out CPUs that are reserved for something else.
     *
     * @param reserved the CPUs
     * @return the narrower selection
     */
    public CpuSelection excluding(CpuSet reserved) {
        Parts next = parts.copy();
        next.excluded = parts.excluded.union(reserved);
        return new CpuSelection(next);
    }

    /**
     * Keeps the first CPU of each core.
     *
     * @return the narrower selection
     */
    public CpuSelection onePerCore() {
        return perCore(PerCore.ONE);
    }

    /**
     * Keeps the first CPU of each core of which every online CPU is left, so that its siblings stay free.
     *
     * @return the narrower selection
     */
    public CpuSelection wholeCores() {
        return perCore(PerCore.WHOLE);
    }

    private CpuSelection perCore(PerCore perCore) {
        Parts next = parts.copy();
        next.perCore = perCore;
        return new CpuSelection(next);
    }

    /**
     * Sets the order in which CPUs are given to workers.
     *
     * @param order the order
     * @return the selection in that order
     */
    public CpuSelection order(Order order) {
        Parts next = parts.copy();
        next.order = order;
        return new CpuSelection(next);
    }

    /**
     * Keeps at most so many CPUs, in the selection's order.
     *
     * @param count at least 1
     * @return the narrower selection
     * @throws IllegalArgumentException if it is less than 1, or than what {@link #atLeast} demands
     */
    public CpuSelection first(int count) {
        Parts next = parts.copy();
        next.first = positive("first", count);
        return consistent(next);
    }

    /**
     * Refuses to be fewer CPUs than that.
     *
     * @param count at least 1
     * @return the selection with that demand
     * @throws IllegalArgumentException if it is less than 1, or more than {@link #first} keeps
     */
    public CpuSelection atLeast(int count) {
        Parts next = parts.copy();
        next.atLeast = positive("at-least", count);
        return consistent(next);
    }

    private static int positive(String what, int count) {
        if (count < 1 || count > MAX_COUNT) {
            throw new IllegalArgumentException(what + ":" + count + " (expected 1.." + MAX_COUNT + ")");
        }
        return count;
    }

    private static CpuSelection consistent(Parts parts) {
        if (parts.first > 0 && parts.atLeast > parts.first) {
            throw new IllegalArgumentException("first:" + parts.first + " and at-least:" + parts.atLeast
                    + " (expected at-least to be no more than first)");
        }
        return new CpuSelection(parts);
    }

    /**
     * Reads the text form.
     *
     * @param text words as in the class comment, between spaces
     * @return the selection
     * @throws IllegalArgumentException if a word is unknown, has a wrong value, or contradicts another; the message names
     *     the word and what is expected
     */
    public static CpuSelection parse(String text) {
        return new CpuSelectionParser(text).parse();
    }

    /** Returns the explicit list, or null. */
    @Nullable
    CpuSet explicit() {
        return parts.explicit;
    }

    boolean isIsolatedOnly() {
        return parts.isolated;
    }

    CpuSet excluded() {
        return parts.excluded;
    }

    PerCore perCore() {
        return parts.perCore;
    }

    Order order() {
        return parts.order;
    }

    /** Returns the most CPUs to keep; 0 for all. */
    int first() {
        return parts.first;
    }

    int atLeast() {
        return parts.atLeast;
    }

    /** Whether this is {@link #allowed()}, narrowed by nothing. */
    boolean isPlain() {
        return toString().equals("allowed");
    }

    /** Returns why the filters leave a CPU out, or null if they keep it. */
    @Nullable
    String refusal(CpuTopology topology, LogicalCpu cpu) {
        if (parts.excluded.contains(cpu.cpu())) {
            return "excluded";
        }
        if (parts.isolated && !topology.isolated().contains(cpu.cpu())) {
            return "not isolated";
        }
        if (!parts.classes.isEmpty() && !parts.classes.contains(cpu.coreClass())) {
            return "of class " + name(cpu.coreClass());
        }
        if (!parts.nodes.isEmpty() && !parts.nodes.contains(cpu.node())) {
            return cpu.node() < 0 ? "node not told by the machine" : "on node " + cpu.node();
        }
        if (!parts.sockets.isEmpty() && !parts.sockets.contains(cpu.socket())) {
            return "on socket " + cpu.socket();
        }
        if (!parts.llcs.isEmpty() && !parts.llcs.contains(cpu.llc())) {
            return cpu.llc() < 0 ? "last-level cache not told by the machine" : "under last-level cache " + cpu.llc();
        }
        return null;
    }

    static String name(CoreClass coreClass) {
        return coreClass.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CpuSelection that && toString().equals(that.toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    /** Returns the text form. */
    @Override
    public String toString() {
        StringJoiner words = new StringJoiner(" ");
        words.add(parts.explicit == null ? "allowed" : "cpus:" + parts.explicit);
        if (parts.isolated) {
            words.add("isolated");
        }
        if (!parts.classes.isEmpty()) {
            words.add("class:" + parts.classes.stream().map(CpuSelection::name).collect(Collectors.joining(",")));
        }
        addNumbers(words, "node", parts.nodes);
        addNumbers(words, "socket", parts.sockets);
        addNumbers(words, "llc", parts.llcs);
        if (!parts.excluded.isEmpty()) {
            words.add("exclude:" + parts.excluded);
        }
        if (parts.perCore != PerCore.ANY) {
            words.add(parts.perCore == PerCore.ONE ? "one-per-core" : "whole-cores");
        }
        if (parts.order != Order.NUMBERED) {
            words.add(parts.order.name().toLowerCase(Locale.ROOT));
        }
        if (parts.first > 0) {
            words.add("first:" + parts.first);
        }
        if (parts.atLeast > 0) {
            words.add("at-least:" + parts.atLeast);
        }
        return words.toString();
    }

    private static void addNumbers(StringJoiner words, String what, Set<Integer> numbers) {
        if (!numbers.isEmpty()) {
            int[] list = numbers.stream().mapToInt(Integer::intValue).toArray();
            words.add(what + ":" + CpuSet.of(list)); // the same format as that of a list of CPUs
        }
    }
}
