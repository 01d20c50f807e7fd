// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads which CPUs form a core, a die, a socket.
 *
 * <p>The kernel's sibling sets decide. Its numbers ({@code core_id}, {@code physical_package_id}) are asked only where no
 * CPU has a sibling set, since core numbers repeat between the packages of some machines and package numbers may be -1,
 * "not told"; {@code proc/cpuinfo} is asked after them. A machine that tells nothing has cores of one CPU and one socket.
 */
final class GroupReader {
    private static final List<String> CORE_FILES = List.of(
            "topology/core_cpus_list",
            "topology/core_cpus",
            "topology/thread_siblings_list",
            "topology/thread_siblings");
    private static final List<String> SOCKET_FILES = List.of(
            "topology/package_cpus_list",
            "topology/package_cpus",
            "topology/core_siblings_list",
            "topology/core_siblings");
    private static final List<String> DIE_FILES = List.of("topology/die_cpus_list", "topology/die_cpus");

    private final CpuStates states;
    private final CpuSet online;
    private final CpuSet folders;
    private final TolerantFiles files;
    private final CpuInfo info;
    private final Warnings warnings;

    GroupReader(CpuStates states, TolerantFiles files, CpuInfo info, Warnings warnings) {
        this.states = states;
        this.online = states.online();
        this.folders = states.folders().intersect(online);
        this.files = files;
        this.info = info;
        this.warnings = warnings;
    }

    CpuGroups read() {
        List<CpuSet> cores = cores();
        List<CpuSet> sockets = sockets();
        List<CpuSet> dies = dies(sockets);
        requireInside(cores, dies, "core", "die");
        requireInside(dies, sockets, "die", "socket");
        requireInside(cores, sockets, "core", "socket");
        return new CpuGroups(cores, dies, sockets);
    }

    private List<CpuSet> cores() {
        List<CpuSet> groups = siblings("core siblings", CORE_FILES);
        if (groups == null) {
            groups = grouped(this::coreByNumber, "core siblings", "topology/core_id and physical_package_id");
        }
        if (groups == null) {
            groups = grouped(this::coreByCpuInfo, "core siblings", "proc/cpuinfo");
        }
        if (groups == null) {
            warnings.add("no file tells which CPUs share a core: each CPU is taken as a core of its own");
            return online.stream().mapToObj(CpuSet::of).toList();
        }
        return groups;
    }

    private List<CpuSet> sockets() {
        List<CpuSet> groups = siblings("package siblings", SOCKET_FILES);
        if (groups == null) {
            groups = grouped(cpu -> key(socketNumber(cpu)), "package siblings", "topology/physical_package_id");
        }
        if (groups == null) {
            groups = grouped(cpu -> key(info.place(cpu).socket()), "package siblings", "proc/cpuinfo");
        }
        if (groups == null) {
            warnings.add("no file tells which CPUs share a socket: all are taken as one socket");
            return List.of(online);
        }
        return groups;
    }

    /** A die number of -1, or none, means that the machine does not tell dies apart: then a die is a socket. */
    private List<CpuSet> dies(List<CpuSet> sockets) {
        Map<Integer, CpuSet> stated = new TreeMap<>();
        folders.stream().forEach(cpu -> {
            CpuSet set =
                    files.number(cpu, "topology/die_id", -1, Integer.MAX_VALUE) < 0 ? null : files.set(cpu, DIE_FILES);
            if (set != null) {
                stated.put(cpu, set);
            }
        });
        if (stated.size() < online.size()) {
            if (!stated.isEmpty()) {
                warnings.add("only CPUs " + of(stated) + " tell their die: each socket is taken as one die");
            }
            return sockets;
        }
        return new Partition(states, "die siblings", warnings).groups(stated);
    }

    private @Nullable List<CpuSet> siblings(String source, List<String> names) {
        Map<Integer, CpuSet> stated = new TreeMap<>();
        folders.stream().forEach(cpu -> {
            CpuSet set = files.set(cpu, names);
            if (set != null) {
                stated.put(cpu, set);
            }
        });
        if (stated.isEmpty()) {
            return null;
        }
        List<CpuSet> groups = new ArrayList<>(new Partition(states, source, warnings).groups(stated));
        CpuSet alone = online.minus(
                CpuSet.of(groups.stream().flatMapToInt(CpuSet::stream).toArray()));
        if (!alone.isEmpty()) {
            warnings.add("no " + source + " are told for CPUs " + alone + ": each is taken as a group of its own");
            alone.stream().mapToObj(CpuSet::of).forEach(groups::add);
        }
        return Partition.sorted(groups);
    }

    /** Groups the CPUs by a key, or returns null if one of them has none. */
    private @Nullable List<CpuSet> grouped(IntFunction<List<Integer>> key, String missing, String source) {
        Map<List<Integer>, List<Integer>> groups = new LinkedHashMap<>();
        for (int cpu : online.toArray()) {
            List<Integer> place = key.apply(cpu);
            if (place.contains(-1)) {
                return null;
            }
            groups.computeIfAbsent(place, unused -> new ArrayList<>()).add(cpu);
        }
        warnings.add("no CPU tells its " + missing + ": " + source + " is used");
        return groups.values().stream()
                .map(cpus -> CpuSet.of(cpus.stream().mapToInt(Integer::intValue).toArray()))
                .toList();
    }

    private List<Integer> coreByNumber(int cpu) {
        int die = Math.max(0, number(cpu, "topology/die_id"));
        return List.of(socketNumber(cpu), die, number(cpu, "topology/core_id"));
    }

    private List<Integer> coreByCpuInfo(int cpu) {
        CpuInfo.Place place = info.place(cpu);
        return List.of(place.socket(), place.core());
    }

    private int socketNumber(int cpu) {
        return number(cpu, "topology/physical_package_id");
    }

    private int number(int cpu, String name) {
        return folders.contains(cpu) ? Math.max(-1, files.number(cpu, name, -1, Integer.MAX_VALUE)) : -1;
    }

    private static List<Integer> key(int number) {
        return List.of(number);
    }

    private void requireInside(List<CpuSet> inner, List<CpuSet> outer, String innerName, String outerName) {
        int[] around = GroupIndex.of(outer, online);
        List<CpuSet> split = inner.stream()
                .filter(set -> set.stream().map(cpu -> around[cpu]).distinct().count() > 1)
                .toList();
        if (!split.isEmpty()) {
            String sets = split.stream().map(CpuSet::toString).collect(Collectors.joining(" and "));
            warnings.add("the files put CPUs " + sets + " in one " + innerName + " but in more than one " + outerName
                    + "; taken as told");
        }
    }

    private static CpuSet of(Map<Integer, ?> byCpu) {
        return CpuSet.of(byCpu.keySet().stream().mapToInt(Integer::intValue).toArray());
    }
}
