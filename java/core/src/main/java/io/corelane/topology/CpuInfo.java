// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What {@code proc/cpuinfo} tells, for machines without the newer files. Read when first asked.
 *
 * <p>CPUs are known by the number in the text and never by their position in it. The formats differ between processors:
 * {@code processor : 3} (most), {@code processor 3: version = ...} (s390), {@code CPU3: online} (sparc). Only the first
 * goes on with lines about the CPU.
 */
final class CpuInfo {
    private static final String FILE = "proc/cpuinfo";
    /** Some 5 KB for each CPU, with 8192 CPUs. */
    private static final int MAX_BYTES = 1 << 26;

    private static final Pattern CPU_LINE =
            Pattern.compile("processor\\s*:\\s*([0-9]{1,5})|processor ([0-9]{1,5}):.*|CPU([0-9]{1,5}):\\s*online");
    private static final Pattern PLACE_LINE = Pattern.compile("(physical id|core id)\\s*:\\s*([0-9]{1,9})");

    /**
     * Where a CPU is.
     *
     * @param socket {@code physical id}, or -1
     * @param core {@code core id}, unique in its socket, or -1
     */
    record Place(int socket, int core) {
        static final Place UNKNOWN = new Place(-1, -1);
    }

    private final KernelTree tree;
    private final Warnings warnings;
    private @Nullable Map<Integer, Place> places;

    CpuInfo(KernelTree tree, Warnings warnings) {
        this.tree = tree;
        this.warnings = warnings;
    }

    /** Returns the CPUs in the file; none if it is missing or cannot be read. */
    CpuSet cpus() {
        return CpuSet.of(places().keySet().stream().mapToInt(Integer::intValue).toArray());
    }

    /** Returns where a CPU is, as far as the file tells. */
    Place place(int cpu) {
        return places().getOrDefault(cpu, Place.UNKNOWN);
    }

    private Map<Integer, Place> places() {
        Map<Integer, Place> result = places;
        if (result == null) {
            result = read();
            places = result;
        }
        return result;
    }

    private Map<Integer, Place> read() {
        try {
            String text = tree.text(FILE, MAX_BYTES);
            if (text == null) {
                return Map.of();
            }
            if (!text.endsWith("\n")) {
                warnings.add(tree.path(FILE) + " ends in the middle of a line: taken as missing");
                return Map.of();
            }
            return parse(text);
        } catch (IOException unreadable) {
            warnings.add(tree.path(FILE) + " cannot be read: " + unreadable + "; taken as missing");
            return Map.of();
        }
    }

    private Map<Integer, Place> parse(String text) {
        Map<Integer, Place> result = new TreeMap<>();
        int cpu = -1;
        for (String line : text.lines().toList()) {
            Matcher start = CPU_LINE.matcher(line);
            Matcher place = PLACE_LINE.matcher(line);
            if (start.matches()) {
                cpu = firstGroup(start);
                if (cpu > CpuSet.MAX_CPU || result.putIfAbsent(cpu, Place.UNKNOWN) != null) {
                    warnings.add(tree.path(FILE) + " names CPU " + cpu + " (expected each once, up to " + CpuSet.MAX_CPU
                            + "); taken as missing");
                    return Map.of();
                }
            } else if (cpu >= 0 && place.matches()) {
                int value = Integer.parseInt(place.group(2));
                result.computeIfPresent(cpu, (key, old) -> with(old, place.group(1), value));
            }
        }
        return result;
    }

    private static Place with(Place old, String name, int value) {
        return name.equals("core id") ? new Place(old.socket(), value) : new Place(value, old.core());
    }

    private static int firstGroup(Matcher matcher) {
        for (int group = 1; group <= matcher.groupCount(); group++) {
            if (matcher.group(group) != null) {
                return Integer.parseInt(matcher.group(group));
            }
        }
        throw new AssertionError("no group matched");
    }
}
