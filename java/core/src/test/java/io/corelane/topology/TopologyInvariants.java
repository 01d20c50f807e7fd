// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.CpuSet;
import java.util.List;
import java.util.function.ToIntFunction;

/** What holds for every topology, whatever the files held. */
final class TopologyInvariants {
    private final CpuTopology topology;

    private TopologyInvariants(CpuTopology topology) {
        this.topology = topology;
    }

    static void check(CpuTopology topology) {
        TopologyInvariants invariants = new TopologyInvariants(topology);
        invariants.checkStates();
        invariants.checkGroups("core", topology.cores(), LogicalCpu::core, true);
        invariants.checkGroups("die", topology.dies(), LogicalCpu::die, true);
        invariants.checkGroups("socket", topology.sockets(), LogicalCpu::socket, true);
        invariants.checkGroups("l3", topology.l3Domains(), LogicalCpu::l3, false);
        invariants.checkGroups("llc", topology.llcDomains(), LogicalCpu::llc, false);
        invariants.checkSmt();
        invariants.checkNodes();
        invariants.checkCaches();
        invariants.checkClasses();
        assertThat(topology.warnings()).doesNotHaveDuplicates().noneMatch(String::isBlank);
    }

    private void checkStates() {
        assertThat(topology.online().isEmpty()).isFalse();
        assertInside("online", topology.online(), topology.present());
        assertInside("present", topology.present(), topology.possible());
        assertInside("isolated", topology.isolated(), topology.possible());
        assertInside("nohz_full", topology.nohzFull(), topology.possible());
        assertThat(topology.cpus())
                .extracting(LogicalCpu::cpu)
                .containsExactlyElementsOf(topology.online().stream().boxed().toList());
        topology.cpus().forEach(cpu -> assertThat(topology.cpu(cpu.cpu())).isSameAs(cpu));
    }

    private void checkGroups(String what, List<CpuSet> groups, ToIntFunction<LogicalCpu> number, boolean everyCpu) {
        assertDisjoint(what, groups);
        assertThat(groups).as(what).noneMatch(CpuSet::isEmpty);
        assertThat(groups).extracting(CpuSet::first).as(what + " in order").isSorted();
        for (LogicalCpu cpu : topology.cpus()) {
            int position = number.applyAsInt(cpu);
            boolean found = position == -1
                    ? !everyCpu && groups.stream().noneMatch(group -> group.contains(cpu.cpu()))
                    : groups.get(position).contains(cpu.cpu());
            require(found, what + " " + position, cpu);
        }
    }

    private void checkSmt() {
        for (CpuSet core : topology.cores()) {
            int[] cpus = core.toArray();
            for (int i = 0; i < cpus.length; i++) {
                LogicalCpu cpu = topology.cpu(cpus[i]);
                require(cpu.smtIndex() == i && topology.siblings(cpus[i]).equals(core), "siblings " + core, cpu);
            }
        }
    }

    private void checkNodes() {
        List<CpuSet> sets = topology.nodes().stream().map(NumaNode::cpus).toList();
        assertDisjoint("nodes", sets);
        assertThat(topology.nodes())
                .extracting(NumaNode::id)
                .doesNotHaveDuplicates()
                .isSorted();
        for (LogicalCpu cpu : topology.cpus()) {
            List<Integer> holders = topology.nodes().stream()
                    .filter(node -> node.cpus().contains(cpu.cpu()))
                    .map(NumaNode::id)
                    .toList();
            require(holders.equals(cpu.node() < 0 ? List.of() : List.of(cpu.node())), "nodes " + holders, cpu);
        }
        topology.nodes().forEach(node -> assertThat(node.distances().values()).allMatch(distance -> distance >= 10));
    }

    private void checkCaches() {
        for (CpuCache cache : topology.caches()) {
            assertInside(cache.toString(), cache.cpus(), topology.online());
            assertThat(cache).matches(c -> !c.cpus().isEmpty() && c.level() >= 1 && c.level() <= 9);
            assertThat(cache).matches(c -> c.sizeBytes() == -1 || c.sizeBytes() > 0);
        }
    }

    private void checkClasses() {
        List<CpuSet> sets =
                topology.coreClasses().stream().map(topology::cpusOf).toList();
        assertThat(sets).isNotEmpty().noneMatch(CpuSet::isEmpty);
        assertDisjoint("classes", sets);
        for (LogicalCpu cpu : topology.cpus()) {
            require(topology.cpusOf(cpu.coreClass()).contains(cpu.cpu()), "its class", cpu);
            require(cpu.capacity() == -1 || (cpu.capacity() > 0 && cpu.capacity() <= 1024), "capacity", cpu);
            require(cpu.maxFrequencyKhz() == -1 || cpu.maxFrequencyKhz() > 0, "frequency", cpu);
        }
    }

    /** An assertion that costs nothing while it holds. */
    private static void require(boolean holds, String what, LogicalCpu cpu) {
        if (!holds) {
            throw new AssertionError("wrong " + what + " of " + cpu);
        }
    }

    private void assertDisjoint(String what, List<CpuSet> sets) {
        int sum = sets.stream().mapToInt(CpuSet::size).sum();
        CpuSet all = sets.stream().reduce(CpuSet.empty(), CpuSet::union);
        assertThat(sum).as(what + " have no common CPUs: " + sets).isEqualTo(all.size());
        assertInside(what, all, topology.online());
    }

    private static void assertInside(String what, CpuSet inner, CpuSet outer) {
        assertThat(outer.containsAll(inner))
                .as(what + " " + inner + " inside " + outer)
                .isTrue();
    }
}
