// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import io.corelane.internal.ownership.CpuClaims;
import io.corelane.internal.worker.PoolConfig;
import io.corelane.topology.CpuLimits;
import io.corelane.topology.CpuSelection;
import io.corelane.topology.CpuTopology;
import io.corelane.topology.PinningPlan;
import java.util.Map;
import java.util.TreeMap;

/** Makes a plan whose CPUs no other process has claimed, and claims them: plans, tries, and plans without what was refused. */
final class ClaimedPlan {
    private ClaimedPlan() {}

    static PoolConfig.Placement make(
            CpuTopology topology,
            CpuLimits limits,
            CpuSelection selection,
            int workers,
            boolean sharing,
            Pinning pinning,
            String holder) {
        CpuClaims claims = CpuClaims.claim(CpuSet.empty(), 0, holder);
        try {
            Map<Integer, String> taken = new TreeMap<>();
            while (true) {
                PinningPlan plan = PinningPlan.of(topology, limits, selection, workers, sharing, taken);
                claims.cpus().minus(plan.cpus()).stream().forEach(claims::release);
                for (int cpu : plan.cpus().toArray()) {
                    if (!claims.add(cpu)) {
                        taken.put(cpu, String.valueOf(claims.refused().get(cpu)));
                    }
                }
                if (claims.cpus().equals(plan.cpus())) {
                    return PoolConfig.Placement.of(plan, pinning, claims);
                }
            }
        } catch (RuntimeException | Error refused) {
            claims.close();
            throw refused;
        }
    }
}
