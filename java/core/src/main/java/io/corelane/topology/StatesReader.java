// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static io.corelane.topology.KernelTree.CPU;

import io.corelane.affinity.CpuSet;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads which CPUs are online, present, possible, isolated and without a tick.
 *
 * <p>{@code online} decides: if it is there and holds nonsense, nothing else can be trusted, so that is an error. If it
 * is missing (old kernels, reduced captures), the CPU folders stand in for it, then {@code proc/cpuinfo}. The other files
 * fall back with a warning; only {@code nohz_full}, a build option, may be missing without one. It may also hold the text
 * {@code (null)}, which kernels print when the option is off.
 */
final class StatesReader {
    private static final String ONLINE = CPU + "online";
    private static final String NOT_SET = "(null)";

    private final KernelTree tree;
    private final TolerantFiles files;
    private final CpuInfo info;
    private final Warnings warnings;

    StatesReader(KernelTree tree, TolerantFiles files, CpuInfo info, Warnings warnings) {
        this.tree = tree;
        this.files = files;
        this.info = info;
        this.warnings = warnings;
    }

    CpuStates read() {
        CpuSet folders = tree.numbered(CPU, "cpu");
        CpuSet listed = onlineFile();
        CpuSet online = listed == null ? onlineWithoutFile(folders) : listed;
        if (listed != null) {
            compare(listed, folders);
        }
        CpuSet present = atLeast("present", online, folders.union(online), "the CPU folders");
        CpuSet possible = atLeast("possible", present, present, "the present CPUs");
        return new CpuStates(
                online, present, possible, within("isolated", possible), within("nohz_full", possible), folders);
    }

    private @Nullable CpuSet onlineFile() {
        try {
            String text = tree.text(ONLINE);
            return text == null ? null : parseOnline(text);
        } catch (IOException unreadable) {
            throw new TopologyException(
                    tree.path(ONLINE), "cannot be read: " + unreadable + " (expected a list as in 0-3,8)", unreadable);
        }
    }

    private CpuSet parseOnline(String text) {
        try {
            CpuSet online = CpuSet.parse(text);
            if (!online.isEmpty()) {
                return online;
            }
        } catch (IllegalArgumentException nonsense) {
            throw new TopologyException(
                    tree.path(ONLINE), "holds " + KernelTree.quote(text) + " (expected a list as in 0-3,8)", nonsense);
        }
        throw new TopologyException(tree.path(ONLINE), "is empty (expected a list as in 0-3,8)");
    }

    private CpuSet onlineWithoutFile(CpuSet folders) {
        CpuSet online = CpuSet.of(folders.stream().filter(cpu -> flag(cpu) != 0).toArray());
        if (!online.isEmpty()) {
            warnings.add(
                    tree.path(ONLINE) + " is missing: CPUs that have a folder and are not switched off are online");
            return online;
        }
        CpuSet inCpuInfo = info.cpus();
        if (inCpuInfo.isEmpty()) {
            throw new TopologyException(
                    tree.path(CPU), "no online CPU found, nor in proc/cpuinfo (expected the root of a Linux system)");
        }
        warnings.add(tree.path(CPU) + " tells no online CPU: the CPUs in proc/cpuinfo are online");
        return inCpuInfo;
    }

    /** Says where the list and the CPU folders disagree; the list stands. */
    private void compare(CpuSet online, CpuSet folders) {
        if (folders.isEmpty()) {
            warnings.add(tree.path(CPU) + " has no CPU folders: nothing but the CPU numbers is known");
            return;
        }
        String about = "but " + tree.path(ONLINE) + " holds " + KernelTree.quote(online.toString());
        CpuSet bare = online.minus(folders);
        if (!bare.isEmpty()) {
            warnings.add("no folder below " + tree.path(CPU) + " for CPUs " + bare + ", " + about
                    + "; taken as online cores of their own");
        }
        folders.stream().forEach(cpu -> {
            int flag = flag(cpu);
            if ((flag != 0) != online.contains(cpu)) {
                String says = flag < 0 ? "is missing, so that the CPU cannot be off, " : "holds " + flag + ", ";
                warnings.add(cpu, "cpu*/online " + says + about + "; the latter is taken", "");
            }
        });
    }

    /** Returns 1 or 0, or a negative number if there is no file, which means that the CPU cannot be switched off. */
    private int flag(int cpu) {
        return files.number(cpu, "online", 0, 1);
    }

    private CpuSet atLeast(String name, CpuSet least, CpuSet instead, String source) {
        String file = CPU + name;
        CpuSet listed = files.set(file);
        if (listed == null) {
            warnings.add(tree.path(file) + " is missing or broken: " + source + " are taken as " + name);
            return instead;
        }
        CpuSet beyond = least.minus(listed);
        if (!beyond.isEmpty()) {
            warnings.add(tree.path(file) + " holds " + KernelTree.quote(listed.toString()) + " without the CPUs "
                    + beyond + " of the sets inside it; they are taken as " + name);
        }
        return listed.union(least);
    }

    private CpuSet within(String name, CpuSet possible) {
        String file = CPU + name;
        CpuSet listed = isNotSet(file) ? CpuSet.empty() : files.set(file);
        if (listed == null) {
            if (name.equals("isolated")) {
                warnings.add(
                        tree.path(file) + " is missing or broken (new in Linux 4.2): no CPU is known to be isolated");
            }
            return CpuSet.empty();
        }
        CpuSet beyond = listed.minus(possible);
        if (!beyond.isEmpty()) {
            warnings.add(tree.path(file) + " names CPUs that are not possible: " + beyond + "; they are left out");
        }
        return listed.intersect(possible);
    }

    private boolean isNotSet(String file) {
        try {
            return NOT_SET.equals(tree.text(file));
        } catch (IOException unreadable) {
            return false; // read once more, and reported, by the caller
        }
    }
}
