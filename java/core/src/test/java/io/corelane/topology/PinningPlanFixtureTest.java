// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.corelane.affinity.CpuSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plans for recorded machines, compared with what a slower reading of the same rules comes to. The seed is fixed, printed,
 * and can be set with {@code -Dcorelane.topology.seed}; {@code -Dcorelane.topology.rounds} makes a longer run.
 */
class PinningPlanFixtureTest {
    private static final long SEED = Long.getLong("corelane.topology.seed", 20_261_130L);
    private static final int ROUNDS = 4 * Integer.getInteger("corelane.topology.rounds", 25);

    static List<String> machines() {
        return RecordedMachines.names();
    }

    /** One case: what may be used, what is wanted, and whether by several at once. */
    private record Wish(CpuTopology topology, CpuLimits limits, CpuSelection selection, int workers, boolean sharing) {
        static Wish of(CpuTopology topology, RandomSelection random) {
            int last = topology.present().last() + (random.chance(10) ? 2 : 0);
            CpuSet mask = random.chance(50) ? topology.online() : random.cpus(last);
            CpuSet cpuset = random.chance(50) ? null : random.cpus(last);
            double quota = random.chance(60) ? Double.POSITIVE_INFINITY : (1 + random.number(100)) / 10.0;
            int processors = random.chance(80) ? Integer.MAX_VALUE : 1 + random.number(8);
            CgroupLimits cgroups = new CgroupLimits(cpuset, cpuset == null ? "" : "cpuset", quota, "quota", List.of());
            return new Wish(
                    topology,
                    new CpuLimits(mask, cgroups, processors),
                    random.chance(20) ? CpuSelection.allowed() : random.next(last),
                    random.chance(50) ? 0 : 1 + random.number(last + 1),
                    random.chance(50));
        }

        PinningPlan plan() {
            return PinningPlan.of(topology, limits, selection, workers, sharing);
        }

        /** The CPUs that explicit list, limits and filters leave. */
        private List<LogicalCpu> filtered() {
            CpuSet explicit = selection.explicit();
            CpuSet cpuset = limits.cgroups().cpuset();
            return topology.cpus().stream()
                    .filter(cpu -> explicit == null || explicit.contains(cpu.cpu()))
                    .filter(cpu -> cpuset == null || cpuset.contains(cpu.cpu()))
                    .filter(cpu -> explicit != null
                            || limits.mask().contains(cpu.cpu())
                            || (selection.isIsolatedOnly()
                                    && topology.isolated().contains(cpu.cpu())))
                    .filter(cpu -> selection.refusal(topology, cpu) == null)
                    .toList();
        }

        private int fit(int cpus) {
            double quota = Math.min(cpus, Math.ceil(limits.cgroups().quota()));
            return (int) Math.max(1, Math.min(quota, limits.processors()));
        }

        /** How many CPUs the selection comes to, before workers count; 0 also where a list cannot be met. */
        int available() {
            CpuSet explicit = selection.explicit();
            CpuSet cpuset = limits.cgroups().cpuset();
            CpuSet usable =
                    cpuset == null ? topology.online() : topology.online().intersect(cpuset);
            if (explicit != null && !usable.containsAll(explicit)) {
                return 0;
            }
            List<LogicalCpu> left = filtered();
            Map<Integer, Long> cores =
                    left.stream().collect(Collectors.groupingBy(LogicalCpu::core, Collectors.counting()));
            boolean enough = (workers != 0 ? workers : fit(left.size())) <= cores.size();
            long count = left.size();
            if (selection.perCore() == CpuSelection.PerCore.ONE || (selection.isPlain() && enough)) {
                count = cores.size();
            } else if (selection.perCore() == CpuSelection.PerCore.WHOLE) {
                count = cores.entrySet().stream()
                        .filter(core -> topology.cores().get(core.getKey()).size() == core.getValue())
                        .count();
            }
            int kept = (int) (selection.first() > 0 ? Math.min(count, selection.first()) : count);
            return kept < selection.atLeast() ? 0 : kept;
        }

        /** How many workers there will be, or 0 if the wish is refused. */
        int expected() {
            int cpus = available();
            int count = workers != 0 ? workers : fit(cpus);
            return cpus == 0 || (count > cpus && !sharing) ? 0 : count;
        }
    }

    @ParameterizedTest
    @MethodSource("machines")
    void plansKeepTheirPromises(String name) {
        CpuTopology topology = CpuTopology.read(RecordedMachines.unpack(name));
        int rounds =
                Math.max(ROUNDS / 5, ROUNDS * 32 / Math.max(32, topology.cpus().size()));
        System.out.println("PinningPlanFixtureTest: " + name + ", seeds from " + SEED + ", rounds " + rounds);
        int planned = 0;
        for (long seed = SEED; seed < SEED + rounds; seed++) {
            Wish wish = Wish.of(topology, new RandomSelection(seed));
            try {
                planned += check(wish) == null ? 0 : 1;
            } catch (RuntimeException | AssertionError failure) {
                fail("seed " + seed + ", " + wish, failure);
            }
        }
        assertThat(planned).as("wishes that were met").isBetween(rounds / 5, rounds - 1);
    }

    private static @Nullable PinningPlan check(Wish wish) {
        PinningPlan plan;
        try {
            plan = wish.plan();
        } catch (PinningException refused) {
            assertThat(refused).hasMessageContaining("(expected ").hasMessageContaining(wish.selection.toString());
            assertThat(wish.expected()).as(refused.getMessage()).isZero();
            return null;
        }
        assertThat(plan.workers()).hasSize(wish.expected());
        assertThat(plan.workers())
                .extracting(PinningPlan.Assignment::worker)
                .containsExactlyElementsOf(
                        IntStream.range(0, plan.workers().size()).boxed().toList());
        assertThat(plan.cpus().size()).isEqualTo(Math.min(wish.available(), wish.expected()));
        everyCpuIsInOnePlace(wish.topology, plan);
        everyCpuMayBeUsed(wish, plan);
        json(wish.topology, plan);
        assertThat(plan.toString().lines().takeWhile(line -> !line.isEmpty()))
                .hasSize(1 + plan.workers().size());
        return plan;
    }

    private static void everyCpuIsInOnePlace(CpuTopology topology, PinningPlan plan) {
        List<Integer> places = new ArrayList<>(plan.cpus().stream().boxed().toList());
        plan.leftOut().forEach(out -> places.add(out.cpu()));
        assertThat(places)
                .containsExactlyInAnyOrderElementsOf(
                        topology.present().stream().boxed().toList());
        assertThat(plan.leftOut()).extracting(PinningPlan.LeftOut::cpu).isSorted();
        assertThat(plan.leftOut()).allMatch(out -> !out.reason().isBlank());
        assertThat(plan.workers()).allMatch(worker -> !worker.reason().isBlank());
        for (PinningPlan.LeftOut out : plan.leftOut()) {
            assertThat(out.reason().equals("offline"))
                    .as("CPU " + out.cpu() + ": " + out.reason())
                    .isEqualTo(!topology.online().contains(out.cpu()));
        }
        long crowded = plan.workers().stream()
                .filter(worker -> worker.reason().contains("shared by"))
                .count();
        assertThat(crowded > 0).isEqualTo(plan.workers().size() > plan.cpus().size());
    }

    private static void everyCpuMayBeUsed(Wish wish, PinningPlan plan) {
        CpuSet filtered =
                CpuSet.of(wish.filtered().stream().mapToInt(LogicalCpu::cpu).toArray());
        assertThat(filtered.containsAll(plan.cpus())).isTrue();
        List<Integer> cores = plan.cpus().stream()
                .map(cpu -> wish.topology.cpu(cpu).core())
                .boxed()
                .toList();
        if (plan.selection().perCore() != CpuSelection.PerCore.ANY) {
            assertThat(cores).doesNotHaveDuplicates();
        }
        if (plan.selection().perCore() == CpuSelection.PerCore.WHOLE) {
            assertThat(cores)
                    .allMatch(core -> filtered.containsAll(wish.topology.cores().get(core)));
        }
    }

    @SuppressWarnings("unchecked")
    private static void json(CpuTopology topology, PinningPlan plan) {
        Map<String, Object> json = JsonText.object(plan.toJson());
        assertThat(json).containsOnlyKeys("selection", "workers", "leftOut", "limits", "notes");
        List<Map<String, Object>> workers = (List<Map<String, Object>>) json.get("workers");
        for (PinningPlan.Assignment worker : plan.workers()) {
            LogicalCpu cpu = topology.cpu(worker.cpu());
            assertThat(workers.get(worker.worker()))
                    .isEqualTo(Map.of(
                            "worker", (double) worker.worker(),
                            "cpu", (double) cpu.cpu(),
                            "core", (double) cpu.core(),
                            "socket", (double) cpu.socket(),
                            "node", (double) cpu.node(),
                            "l3", (double) cpu.l3(),
                            "smt", (double) cpu.smtIndex(),
                            "class", CpuSelection.name(cpu.coreClass()),
                            "reason", worker.reason()));
        }
        assertThat((List<Map<String, Object>>) json.get("leftOut"))
                .hasSameSizeAs(plan.leftOut())
                .allMatch(out ->
                        out.keySet().equals(Set.of("cpu", "core", "socket", "node", "l3", "smt", "class", "reason")));
    }
}
