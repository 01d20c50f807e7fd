// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.CpuSet;
import io.corelane.topology.CpuTopology;
import io.corelane.topology.LogicalCpu;
import io.corelane.topology.RecordedMachines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class VictimsTest {
    /** Workers on the CPUs of a machine that is not here: made, never started. */
    private static Worker[] workers(@Nullable CpuSet cpus, int count) {
        PoolConfig config = PoolConfig.unpinned("test", 1, null);
        WorkerPool pool = WorkerPool.start(config);
        pool.shutdown();
        Worker[] workers = new Worker[count];
        for (int i = 0; i < count; i++) {
            workers[i] = new Worker(pool, i, cpus == null ? -1 : cpus.toArray()[i % cpus.size()]);
        }
        return workers;
    }

    static List<String> machines() {
        return RecordedMachines.names();
    }

    @ParameterizedTest
    @MethodSource("machines")
    void onEachRecordedMachineTheRingsAreCoreCacheNodeAndAll(String machine) {
        CpuTopology topology = CpuTopology.read(RecordedMachines.unpack(machine));
        Worker[] workers = workers(topology.online(), topology.online().size());
        Victims[] victims = Victims.of(workers, topology);
        for (Worker thief : workers) {
            Victims own = victims[thief.index];
            assertThat(withSelf(thief, reach(own, Victims.CORE))).isEqualTo(near(topology, thief, LogicalCpu::core));
            assertThat(withSelf(thief, reach(own, Victims.CACHE))).containsAll(near(topology, thief, LogicalCpu::llc));
            assertThat(withSelf(thief, reach(own, Victims.NODE))).containsAll(near(topology, thief, LogicalCpu::node));
            assertThat(withSelf(thief, reach(own, Victims.FAR))).isEqualTo(cpus(topology.online()));
            for (Worker victim : workers) {
                assertThat(own.distanceTo(victims[victim.index])).isEqualTo(distance(topology, thief, victim));
            }
        }
    }

    /** All that a thief comes upon on its way out to a ring, and itself. */
    private static Set<Integer> reach(Victims own, int ring) {
        Set<Integer> reached = new HashSet<>();
        for (int nearer = Victims.CORE; nearer <= ring; nearer++) {
            reached.addAll(cpus(own.upTo(nearer)));
        }
        return reached;
    }

    private static Set<Integer> withSelf(Worker thief, Set<Integer> cpus) {
        cpus.add(thief.cpuAsked);
        return cpus;
    }

    private static Set<Integer> near(CpuTopology topology, Worker thief, ToIntFunction<LogicalCpu> place) {
        int own = place.applyAsInt(topology.cpu(thief.cpuAsked));
        Set<Integer> near = new HashSet<>(Set.of(thief.cpuAsked));
        topology.online().stream()
                .filter(cpu -> own >= 0 && place.applyAsInt(topology.cpu(cpu)) == own)
                .forEach(near::add);
        return near;
    }

    private static int distance(CpuTopology topology, Worker thief, Worker victim) {
        List<ToIntFunction<LogicalCpu>> places = List.of(LogicalCpu::core, LogicalCpu::llc, LogicalCpu::node);
        for (int ring = 0; ring < places.size(); ring++) {
            if (near(topology, thief, places.get(ring)).contains(victim.cpuAsked)) {
                return ring;
            }
        }
        return Victims.FAR;
    }

    @Test
    void aRingThatAddsNobodyIsEmpty() {
        CpuTopology topology = CpuTopology.read(RecordedMachines.unpack("vm-virtualbox-2"));
        Worker[] workers = workers(topology.online(), 2);
        Victims[] victims = Victims.of(workers, topology);
        int seen = 0;
        for (int ring = Victims.CORE; ring <= Victims.FAR; ring++) {
            seen += victims[0].upTo(ring).length;
        }
        assertThat(seen).as("both workers, in one ring").isEqualTo(2);
    }

    @Test
    void unpinnedWorkersAreAllFar() {
        Worker[] workers = workers(null, 3);
        Victims[] victims = Victims.of(workers, null);
        assertThat(victims[0].upTo(Victims.FAR)).containsExactly(workers);
        assertThat(victims[0].upTo(Victims.CORE)).isEmpty();
        assertThat(victims[0].distanceTo(victims[1])).isEqualTo(Victims.FAR);
    }

    @Test
    void workersThatShareACpuAreOnOneCore(@TempDir Path root) throws IOException {
        Worker[] workers = workers(CpuSet.of(0, 1), 4);
        Victims[] victims = Victims.of(workers, bare(root));
        assertThat(victims[0].upTo(Victims.CORE)).containsExactly(workers[0], workers[2]);
        assertThat(victims[0].distanceTo(victims[2])).isEqualTo(Victims.CORE);
        assertThat(victims[0].distanceTo(victims[1])).isEqualTo(Victims.FAR);
    }

    @Test
    void aSingleWorkerHasNobodyToRob(@TempDir Path root) throws IOException {
        Worker[] workers = workers(CpuSet.of(0), 1);
        Victims[] victims = Victims.of(workers, bare(root));
        for (int ring = Victims.CORE; ring <= Victims.FAR; ring++) {
            assertThat(victims[0].upTo(ring)).isEmpty();
        }
    }

    /** A machine that tells no more than which CPUs are online. */
    private static CpuTopology bare(Path root) throws IOException {
        Path cpu = Files.createDirectories(root.resolve("sys/devices/system/cpu"));
        Files.writeString(cpu.resolve("online"), "0-1\n");
        return CpuTopology.read(root);
    }

    private static Set<Integer> cpus(Worker[] workers) {
        Set<Integer> cpus = new HashSet<>();
        for (Worker worker : workers) {
            cpus.add(worker.cpuAsked);
        }
        return cpus;
    }

    private static Set<Integer> cpus(CpuSet set) {
        Set<Integer> cpus = new HashSet<>();
        set.stream().forEach(cpus::add);
        return cpus;
    }
}
