// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Divides the online CPUs into core classes.
 *
 * <p>Intel's hybrid lists ({@code sys/devices/cpu_core}, {@code cpu_atom}, {@code cpu_lowpower}) come first, if together
 * they name each online CPU once; slower CPUs in {@code cpu_atom} are the low-power ones, which have no list before
 * Linux 6.13. Without lists, {@code cpu_capacity} divides the CPUs if it tells them apart, else the maximum frequency.
 *
 * <p>The fastest tier of {@link SpeedTiers} is the first class, the second the next, all others the last.
 */
final class ClassReader {
    private static final String LOW_POWER_LIST = "sys/devices/cpu_lowpower/cpus";
    private static final String CORE_LIST = "sys/devices/cpu_core/cpus";
    private static final String ATOM_LIST = "sys/devices/cpu_atom/cpus";

    private final CpuSet online;
    private final TolerantFiles files;
    private final CpuSpeeds speeds;
    private final Warnings warnings;

    ClassReader(CpuStates states, TolerantFiles files, CpuSpeeds speeds, Warnings warnings) {
        this.online = states.online();
        this.files = files;
        this.speeds = speeds;
        this.warnings = warnings;
    }

    /** Returns the CPUs of each class; together all online CPUs, none twice. Classes without CPUs are left out. */
    Map<CoreClass, CpuSet> read() {
        Map<CoreClass, CpuSet> listed = fromLists();
        return listed == null
                ? classes(tiers(online), List.of(CoreClass.PERFORMANCE, CoreClass.EFFICIENCY, CoreClass.LOW_POWER))
                : listed;
    }

    private @Nullable Map<CoreClass, CpuSet> fromLists() {
        CpuSet core = list(CORE_LIST);
        CpuSet atom = list(ATOM_LIST);
        CpuSet lowPower = list(LOW_POWER_LIST);
        CpuSet all = core.union(atom).union(lowPower);
        if (all.isEmpty()) {
            return null;
        }
        if (!all.equals(online) || core.size() + atom.size() + lowPower.size() != all.size()) {
            warnings.add("sys/devices/cpu_core, cpu_atom and cpu_lowpower list CPUs " + core + " and " + atom + " and "
                    + lowPower + " (expected each online CPU once, " + online
                    + "); core classes are taken from speeds");
            return null;
        }
        Map<CoreClass, CpuSet> classes = classes(tiers(atom), List.of(CoreClass.EFFICIENCY, CoreClass.LOW_POWER));
        put(classes, CoreClass.PERFORMANCE, core);
        put(classes, CoreClass.LOW_POWER, lowPower);
        return classes;
    }

    private CpuSet list(String file) {
        CpuSet set = files.set(file);
        return set == null ? CpuSet.empty() : set;
    }

    private static Map<CoreClass, CpuSet> classes(List<CpuSet> tiers, List<CoreClass> names) {
        Map<CoreClass, CpuSet> classes = new EnumMap<>(CoreClass.class);
        for (int i = 0; i < tiers.size(); i++) {
            put(classes, names.get(Math.min(i, names.size() - 1)), tiers.get(i));
        }
        return classes;
    }

    private static void put(Map<CoreClass, CpuSet> classes, CoreClass coreClass, CpuSet cpus) {
        if (!cpus.isEmpty()) {
            classes.merge(coreClass, cpus, CpuSet::union);
        }
    }

    private List<CpuSet> tiers(CpuSet cpus) {
        List<CpuSet> byCapacity = tiers(cpus, speeds.capacities(), "cpu_capacity");
        return byCapacity.size() > 1 ? byCapacity : tiers(cpus, speeds.frequenciesKhz(), "cpufreq/cpuinfo_max_freq");
    }

    private List<CpuSet> tiers(CpuSet cpus, Map<Integer, Integer> speed, String name) {
        CpuSet silent =
                CpuSet.of(cpus.stream().filter(cpu -> !speed.containsKey(cpu)).toArray());
        if (!silent.isEmpty() && silent.size() < cpus.size()) {
            warnings.add("cpu*/" + name + " is not told by CPUs " + silent + ", but by others of " + cpus
                    + ": core classes are found without it");
        }
        return SpeedTiers.of(cpus, speed);
    }
}
