// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads files that a machine may lack. A file that is there but cannot be read or holds something else becomes a warning
 * with its name and content, and then counts as missing, so that the next source is asked.
 */
final class TolerantFiles {
    /** Stands for a number that no file tells. */
    static final int NONE = Integer.MIN_VALUE;

    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,18}");
    private static final String SKIPPED = "; taken as missing";

    private final KernelTree tree;
    private final Warnings warnings;

    TolerantFiles(KernelTree tree, Warnings warnings) {
        this.tree = tree;
        this.warnings = warnings;
    }

    /** Returns the number in a file of a CPU, as in {@code topology/core_id}, or {@link #NONE}. */
    int number(int cpu, String name, int min, int max) {
        String text = text(cpu, name);
        if (text == null) {
            return NONE;
        }
        if (NUMBER.matcher(text).matches()) {
            long value = Long.parseLong(text);
            if (value >= min && value <= max) {
                return (int) value;
            }
        }
        warn(cpu, name, "does not hold a number from " + min + " to " + max, KernelTree.quote(text));
        return NONE;
    }

    /** Returns the content of a file of a CPU, or null. */
    @Nullable
    String text(int cpu, String name) {
        try {
            return tree.text(file(cpu, name));
        } catch (IOException unreadable) {
            warn(cpu, name, "cannot be read", unreadable.toString());
            return null;
        }
    }

    /** Returns the set in the first of the files of a CPU that has one, or null. The empty set does not count. */
    @Nullable
    CpuSet set(int cpu, List<String> names) {
        for (String name : names) {
            String text = text(cpu, name);
            CpuSet set = text == null ? null : parseOrWarn(cpu, name, text);
            if (set != null) {
                return set;
            }
        }
        return null;
    }

    private @Nullable CpuSet parseOrWarn(int cpu, String name, String text) {
        try {
            CpuSet set = parse(name, text);
            if (!set.isEmpty()) {
                return set;
            }
            warn(cpu, name, "names no CPU", KernelTree.quote(text));
        } catch (IllegalArgumentException nonsense) {
            warn(cpu, name, "does not hold a set of CPUs", KernelTree.quote(text));
        }
        return null;
    }

    /** Returns the set in a file that is not about one CPU, or null. The empty set counts. */
    @Nullable
    CpuSet set(String name) {
        try {
            String text = tree.text(name);
            return text == null ? null : parseOrWarn(name, text);
        } catch (IOException unreadable) {
            warnings.add(tree.path(name) + " cannot be read: " + unreadable + SKIPPED);
            return null;
        }
    }

    private @Nullable CpuSet parseOrWarn(String name, String text) {
        try {
            return parse(name, text);
        } catch (IllegalArgumentException nonsense) {
            warnings.add(tree.path(name) + " holds " + KernelTree.quote(text) + " (expected a set of CPUs)" + SKIPPED);
            return null;
        }
    }

    /** Lists are called {@code ..._list}, {@code cpulist} and so on; maps end in {@code map}, {@code cpus} or so. */
    private static CpuSet parse(String name, String text) {
        boolean map = name.endsWith("map") || name.endsWith("_siblings") || name.endsWith("_cpus");
        return map ? CpuMapParser.parse(text) : CpuSet.parse(text);
    }

    private void warn(int cpu, String name, String problem, String seen) {
        warnings.add(cpu, "cpu*/" + name + " " + problem + SKIPPED, tree.path(file(cpu, name)) + " " + seen);
    }

    private static String file(int cpu, String name) {
        return KernelTree.CPU + "cpu" + cpu + "/" + name;
    }
}
