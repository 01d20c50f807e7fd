// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.CpuSet;
import io.corelane.topology.CpuNeighbours;
import io.corelane.topology.CpuTopology;
import io.corelane.topology.RecordedMachines;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

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

    @Test
    void onARealMachineTheRingsAreCoreCacheNodeAndAll() {
        Path root = RecordedMachines.unpack("intel-skx-2s32");
        CpuTopology topology = CpuTopology.read(root);
        Worker[] workers = workers(topology.online(), topology.online().size());
        Victims[] victims = Victims.of(workers, CpuNeighbours.read(root, topology.online()));
        for (Worker thief : workers) {
            Victims own = victims[thief.index];
            assertThat(cpus(own.upTo(Victims.CORE))).isEqualTo(cpus(topology.siblings(thief.cpuAsked)));
            assertThat(cpus(own.upTo(Victims.CACHE)))
                    .isEqualTo(cpus(topology.llcDomains()
                            .get(topology.cpu(thief.cpuAsked).llc())));
            assertThat(own.upTo(Victims.NODE)).as("a node has one cache here").isEmpty();
            assertThat(own.upTo(Victims.FAR)).hasSize(32);
            for (Worker victim : workers) {
                int distance = own.distanceTo(victims[victim.index]);
                assertThat(Arrays.asList(own.upTo(distance))).contains(victim);
                for (int nearer = Victims.CORE; nearer < distance; nearer++) {
                    assertThat(Arrays.asList(own.upTo(nearer))).doesNotContain(victim);
                }
            }
        }
    }

    @Test
    void aRingThatAddsNobodyIsEmpty() {
        Path root = RecordedMachines.unpack("vm-virtualbox-2");
        CpuSet online = CpuTopology.read(root).online();
        Worker[] workers = workers(online, 2);
        Victims[] victims = Victims.of(workers, CpuNeighbours.read(root, online));
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
    void workersThatShareACpuAreOnOneCore() {
        Worker[] workers = workers(CpuSet.of(0, 1), 4);
        Victims[] victims = Victims.of(workers, CpuNeighbours.read(Path.of("/nowhere"), CpuSet.of(0, 1)));
        assertThat(victims[0].upTo(Victims.CORE)).containsExactly(workers[0], workers[2]);
        assertThat(victims[0].distanceTo(victims[2])).isEqualTo(Victims.CORE);
        assertThat(victims[0].distanceTo(victims[1])).isEqualTo(Victims.FAR);
    }

    @Test
    void aSingleWorkerHasNobodyToRob() {
        Worker[] workers = workers(CpuSet.of(0), 1);
        Victims[] victims = Victims.of(workers, CpuNeighbours.read(Path.of("/nowhere"), CpuSet.of(0)));
        for (int ring = Victims.CORE; ring <= Victims.FAR; ring++) {
            assertThat(victims[0].upTo(ring)).isEmpty();
        }
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
