// SPDX-License-Identifier: Apache-2.0
package io.corelane.affinity;

import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * An immutable set of logical CPUs, named by their kernel numbers.
 *
 * <p>The text form is the kernel's list format: {@code 0-3,8}. {@link #parse} reads it and {@link #toString} prints it,
 * in ascending order and with ranges joined, so that {@code parse(set.toString())} equals {@code set}.
 *
 * <p><b>Thread safety:</b> immutable.
 */
public final class CpuSet {
    /** The largest CPU number a set can hold: far above the 8192 CPUs that Linux supports. */
    public static final int MAX_CPU = 65_535;

    private static final CpuSet EMPTY = new CpuSet(new BitSet());

    private final BitSet bits;

    private CpuSet(BitSet bits) {
        this.bits = bits;
    }

    /**
     * Returns the empty set, printed as the empty string.
     *
     * @return the empty set
     */
    public static CpuSet empty() {
        return EMPTY;
    }

    /**
     * Returns the set of the given CPUs; duplicates count once.
     *
     * @param cpus kernel numbers, 0 to {@link #MAX_CPU}
     * @return the set
     * @throws IllegalArgumentException if a number is out of range
     */
    public static CpuSet of(int... cpus) {
        BitSet bits = new BitSet();
        for (int cpu : cpus) {
            bits.set(requireCpu(cpu));
        }
        return new CpuSet(bits);
    }

    /**
     * Returns the CPUs {@code first} to {@code last}, both included.
     *
     * @param first lowest kernel number
     * @param last highest kernel number, at least {@code first}
     * @return the set
     * @throws IllegalArgumentException if a number is out of range or {@code last < first}
     */
    public static CpuSet range(int first, int last) {
        requireCpu(first);
        requireCpu(last);
        if (last < first) {
            throw new IllegalArgumentException("last=" + last + " (expected at least first=" + first + ")");
        }
        BitSet bits = new BitSet();
        bits.set(first, last + 1);
        return new CpuSet(bits);
    }

    /**
     * Reads the kernel's list format: numbers and ranges separated by commas, as in {@code 0-3,8}. A range may carry a
     * stride as in {@code 0-31:2/4}, the first two of every four. White space around the whole text is ignored, so that
     * the content of a file below {@code /sys} can be passed as it is; the empty text is the empty set.
     *
     * @param text the list
     * @return the set
     * @throws IllegalArgumentException if the text is anything else; the message names the text and the position
     */
    public static CpuSet parse(String text) {
        return new CpuSet(new CpuListParser(text).parse());
    }

    /**
     * Reads a bit mask as the system calls use it: CPU {@code n} is bit {@code n % 8} of byte {@code n / 8}.
     *
     * @param mask the bytes; not kept
     * @return the set
     * @throws IllegalArgumentException if a bit above {@link #MAX_CPU} is set
     */
    public static CpuSet fromMask(byte[] mask) {
        BitSet bits = BitSet.valueOf(mask);
        if (!bits.isEmpty()) {
            requireCpu(bits.length() - 1);
        }
        return new CpuSet(bits);
    }

    /**
     * Returns the bit mask of this set, as {@link #fromMask} reads it.
     *
     * @return a new array, just long enough for the highest CPU; at least one byte
     */
    public byte[] toMask() {
        byte[] mask = bits.toByteArray();
        return mask.length == 0 ? new byte[1] : mask;
    }

    /**
     * Returns whether the CPU is in the set.
     *
     * @param cpu a kernel number; one out of range is in no set
     * @return whether it is in the set
     */
    public boolean contains(int cpu) {
        return cpu >= 0 && bits.get(cpu);
    }

    /**
     * Returns whether every CPU of the other set is in this one.
     *
     * @param other another set
     * @return true if {@code other} is a subset, the empty set included
     */
    public boolean containsAll(CpuSet other) {
        return other.minus(this).isEmpty();
    }

    /**
     * Returns the number of CPUs.
     *
     * @return the number of CPUs
     */
    public int size() {
        return bits.cardinality();
    }

    /**
     * Returns whether the set has no CPU.
     *
     * @return whether the set has no CPU
     */
    public boolean isEmpty() {
        return bits.isEmpty();
    }

    /**
     * Returns the lowest CPU, or -1 if the set is empty.
     *
     * @return the lowest CPU, or -1
     */
    public int first() {
        return bits.nextSetBit(0);
    }

    /**
     * Returns the highest CPU, or -1 if the set is empty.
     *
     * @return the highest CPU, or -1
     */
    public int last() {
        return bits.length() - 1;
    }

    /**
     * Returns the first {@code count} CPUs in ascending order, or all if there are fewer.
     *
     * @param count how many, at least 0
     * @return the lowest CPUs
     * @throws IllegalArgumentException if {@code count} is negative
     */
    public CpuSet limit(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("count=" + count + " (expected at least 0)");
        }
        return of(stream().limit(count).toArray());
    }

    /**
     * Returns the CPUs that are in this set, in the other, or in both.
     *
     * @param other another set
     * @return the union
     */
    public CpuSet union(CpuSet other) {
        BitSet result = copy();
        result.or(other.bits);
        return new CpuSet(result);
    }

    /**
     * Returns the CPUs that are in both sets.
     *
     * @param other another set
     * @return the intersection
     */
    public CpuSet intersect(CpuSet other) {
        BitSet result = copy();
        result.and(other.bits);
        return new CpuSet(result);
    }

    /**
     * Returns the CPUs of this set that are not in the other.
     *
     * @param other another set
     * @return the difference
     */
    public CpuSet minus(CpuSet other) {
        BitSet result = copy();
        result.andNot(other.bits);
        return new CpuSet(result);
    }

    /**
     * Returns the CPUs in ascending order.
     *
     * @return a stream of kernel numbers
     */
    public IntStream stream() {
        return bits.stream();
    }

    /**
     * Returns the CPUs in ascending order.
     *
     * @return a new array of kernel numbers
     */
    public int[] toArray() {
        return stream().toArray();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CpuSet that && bits.equals(that.bits);
    }

    @Override
    public int hashCode() {
        return bits.hashCode();
    }

    /** Returns the list format, {@code 0-3,8}; two neighbours print as a range, the empty set as the empty string. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int first = bits.nextSetBit(0); first >= 0; ) {
            int end = bits.nextClearBit(first);
            text.append(text.isEmpty() ? "" : ",").append(first);
            if (end - 1 > first) {
                text.append('-').append(end - 1);
            }
            first = bits.nextSetBit(end);
        }
        return text.toString();
    }

    private BitSet copy() {
        return (BitSet) bits.clone();
    }

    private static int requireCpu(int cpu) {
        if (cpu < 0 || cpu > MAX_CPU) {
            throw new IllegalArgumentException("cpu=" + cpu + " (expected 0.." + MAX_CPU + ")");
        }
        return cpu;
    }
}
