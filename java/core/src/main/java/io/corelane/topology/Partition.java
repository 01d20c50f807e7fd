// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Divides CPUs into groups from what each CPU states about the group it is in.
 *
 * <p>On a sound machine all CPUs of a group state the same set, which is that group. Where the statements conflict, each
 * case is a warning, and the reading is:
 * <ul>
 *   <li>CPUs that are not online do not count; that is no conflict if they are present, as some kernels list offline CPUs;
 *   <li>a statement that lacks the CPU that makes it is dropped;
 *   <li>a CPU without a statement joins the group that names it, if there is exactly one;
 *   <li>after that, a group is the CPUs that state the same set.
 * </ul>
 * So the groups never overlap, whatever the files hold.
 */
final class Partition {
    private final CpuSet online;
    private final CpuSet present;
    private final String source;
    private final Warnings warnings;

    /**
     * Makes one for the online CPUs.
     *
     * @param source what warnings call the statements
     */
    Partition(CpuStates states, String source, Warnings warnings) {
        this.online = states.online();
        this.present = states.present();
        this.source = source;
        this.warnings = warnings;
    }

    /**
     * Returns the groups by their lowest CPU. CPUs that state nothing and are named by none are in no group.
     *
     * @param stated the group of a CPU in its own words; only online CPUs have one
     */
    List<CpuSet> groups(Map<Integer, CpuSet> stated) {
        Map<Integer, CpuSet> sound = sound(stated);
        adopt(sound);
        Map<CpuSet, List<Integer>> members = new LinkedHashMap<>();
        sound.forEach((cpu, set) ->
                members.computeIfAbsent(set, key -> new ArrayList<>()).add(cpu));
        List<CpuSet> groups = new ArrayList<>();
        members.forEach((set, cpus) -> groups.add(group(set, cpus)));
        return sorted(groups);
    }

    /** Returns the groups by their lowest CPU. */
    static List<CpuSet> sorted(List<CpuSet> groups) {
        return groups.stream().sorted(Comparator.comparingInt(CpuSet::first)).toList();
    }

    private Map<Integer, CpuSet> sound(Map<Integer, CpuSet> stated) {
        Map<Integer, CpuSet> sound = new TreeMap<>();
        stated.forEach((cpu, set) -> {
            if (!present.containsAll(set)) {
                warnings.add(cpu, source + " name absent CPUs; they are left out", "CPUs " + set);
            }
            if (set.contains(cpu)) {
                sound.put(cpu, set.intersect(online));
            } else {
                warnings.add(cpu, source + " lack the CPU itself; taken as missing", "CPUs " + set);
            }
        });
        return sound;
    }

    private void adopt(Map<Integer, CpuSet> sound) {
        Map<Integer, CpuSet> adopted = new TreeMap<>();
        Set<CpuSet> distinct = new LinkedHashSet<>(sound.values());
        online.stream().filter(cpu -> !sound.containsKey(cpu)).forEach(cpu -> {
            List<CpuSet> claims =
                    distinct.stream().filter(set -> set.contains(cpu)).toList();
            if (claims.size() == 1) {
                adopted.put(cpu, claims.get(0));
                warnings.add(
                        cpu,
                        source + " are not told; taken from the other CPUs that name this one",
                        "CPUs " + claims.get(0));
            }
        });
        sound.putAll(adopted);
    }

    private CpuSet group(CpuSet set, List<Integer> cpus) {
        CpuSet group = CpuSet.of(cpus.stream().mapToInt(Integer::intValue).toArray());
        if (!group.equals(set)) {
            warnings.add(
                    group.first(),
                    source + " name CPUs that do not say the same; those that do are one group",
                    "CPUs " + set + ", said by " + group);
        }
        return group;
    }
}
