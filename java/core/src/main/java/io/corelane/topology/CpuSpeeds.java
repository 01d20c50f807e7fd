// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the kernel tells about the speed of the online CPUs.
 *
 * @param capacities {@code cpu_capacity} by CPU; a CPU that does not tell is left out
 * @param frequenciesKhz {@code cpuinfo_max_freq} by CPU; a CPU that does not tell is left out
 */
record CpuSpeeds(Map<Integer, Integer> capacities, Map<Integer, Integer> frequenciesKhz) {
    /** The kernel's {@code SCHED_CAPACITY_SCALE}: the capacity of the fastest CPU. */
    private static final int MAX_CAPACITY = 1024;

    static CpuSpeeds read(CpuStates states, TolerantFiles files) {
        CpuSet cpus = states.online().intersect(states.folders());
        return new CpuSpeeds(
                numbers(cpus, files, "cpu_capacity", MAX_CAPACITY),
                numbers(cpus, files, "cpufreq/cpuinfo_max_freq", Integer.MAX_VALUE));
    }

    private static Map<Integer, Integer> numbers(CpuSet cpus, TolerantFiles files, String name, int max) {
        Map<Integer, Integer> numbers = new TreeMap<>();
        cpus.stream().forEach(cpu -> {
            int number = files.number(cpu, name, 1, max);
            if (number != TolerantFiles.NONE) {
                numbers.put(cpu, number);
            }
        });
        return numbers;
    }
}
