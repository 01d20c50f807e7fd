// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Divides CPUs by speed.
 *
 * <p>Not every difference counts: favoured cores turbo a few percent higher than others of their kind. Sorted by speed, a
 * step of more than {@value #STEP_PERCENT} % starts a new tier.
 */
final class SpeedTiers {
    /** Seen between kinds of cores: 16 % or more (Arm, 855 of 1024); between favoured cores and others: up to 8 %. */
    static final int STEP_PERCENT = 10;

    private SpeedTiers() {}

    /**
     * Returns the tiers, fastest first.
     *
     * @param cpus the CPUs to divide
     * @param speeds speed by CPU in any unit
     * @return sets without overlap that together are {@code cpus}; one set if a CPU has no speed; none without CPUs
     */
    static List<CpuSet> of(CpuSet cpus, Map<Integer, Integer> speeds) {
        if (cpus.isEmpty()) {
            return List.of();
        }
        if (!cpus.stream().allMatch(speeds::containsKey)) {
            return List.of(cpus);
        }
        Map<Integer, List<Integer>> bySpeed = new TreeMap<>(Comparator.reverseOrder());
        speeds.forEach((cpu, speed) -> {
            if (cpus.contains(cpu)) {
                bySpeed.computeIfAbsent(speed, key -> new ArrayList<>()).add(cpu);
            }
        });
        return divide(bySpeed);
    }

    private static List<CpuSet> divide(Map<Integer, List<Integer>> bySpeed) {
        List<CpuSet> tiers = new ArrayList<>();
        long previous = Long.MAX_VALUE / 100;
        for (Map.Entry<Integer, List<Integer>> entry : bySpeed.entrySet()) {
            CpuSet cpus = CpuSet.of(
                    entry.getValue().stream().mapToInt(Integer::intValue).toArray());
            if (entry.getKey() * 100L < previous * (100 - STEP_PERCENT)) {
                tiers.add(cpus);
            } else {
                tiers.set(tiers.size() - 1, tiers.get(tiers.size() - 1).union(cpus));
            }
            previous = entry.getKey();
        }
        return tiers;
    }
}
