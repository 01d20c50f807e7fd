// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.topology.CpuTopology;
import io.corelane.topology.LogicalCpu;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Whom a worker steals from, in order of distance: the workers on its own core, then those under its last-level cache,
 * on its NUMA node, and all others. Workers without a CPU of their own are all equally far.
 *
 * <p>Each ring holds the nearer ones as well, and the worker itself, so that all workers of a group share one array: rings
 * of 65,000 workers cost as much memory as 65,000 workers do. A thief that passes the near ones again in a farther ring
 * pays a few loads for each.
 *
 * <p><b>Thread safety:</b> immutable.
 */
final class Victims {
    static final int CORE = 0;
    static final int CACHE = 1;
    static final int NODE = 2;
    static final int FAR = 3;
    static final int RINGS = 4;

    private final Worker[] @Nullable [] groups;
    private final Worker[][] rings;

    private Victims(Worker[] @Nullable [] groups) {
        this.groups = groups;
        this.rings = withoutEmptyRings(groups);
    }

    /**
     * Finds the victims of every worker.
     *
     * @param workers all workers of a pool
     * @param topology the places of their CPUs, or null if they have none
     * @return the victims by worker
     */
    static Victims[] of(Worker[] workers, @Nullable CpuTopology topology) {
        Worker[] @Nullable [][] groupsOf = new Worker[workers.length][RINGS][];
        for (Worker worker : workers) {
            groupsOf[worker.index][FAR] = workers;
        }
        if (topology != null) {
            group(workers, groupsOf, CORE, topology, LogicalCpu::core);
            group(workers, groupsOf, CACHE, topology, LogicalCpu::llc);
            group(workers, groupsOf, NODE, topology, LogicalCpu::node);
        }
        Victims[] victims = new Victims[workers.length];
        for (Worker worker : workers) {
            victims[worker.index] = new Victims(groupsOf[worker.index]);
        }
        return victims;
    }

    /** What the machine does not tell is shared with nobody. */
    private static void group(
            Worker[] workers, Worker[][][] groupsOf, int ring, CpuTopology topology, ToIntFunction<LogicalCpu> place) {
        Map<Integer, List<Worker>> groups = new HashMap<>();
        for (Worker worker : workers) {
            int number = place.applyAsInt(topology.cpu(worker.cpuAsked));
            groups.computeIfAbsent(number >= 0 ? number : -1 - worker.cpuAsked, key -> new ArrayList<>())
                    .add(worker);
        }
        for (List<Worker> group : groups.values()) {
            Worker[] members = group.size() == workers.length ? workers : group.toArray(new Worker[0]);
            for (Worker worker : group) {
                groupsOf[worker.index][ring] = members;
            }
        }
    }

    /** A ring that adds nobody to the ones before it is left empty, so that nobody looks twice. */
    private static Worker[][] withoutEmptyRings(Worker[] @Nullable [] groups) {
        Worker[][] rings = new Worker[RINGS][];
        int known = 1; // the worker itself
        for (int ring = 0; ring < RINGS; ring++) {
            Worker[] members = groups[ring];
            boolean adds = members != null && members.length > known;
            rings[ring] = adds ? members : new Worker[0];
            known = adds ? members.length : known;
        }
        return rings;
    }

    /**
     * Returns the workers up to a distance.
     *
     * @param ring {@link #CORE} to {@link #FAR}
     * @return them, in no order; empty if the ring adds nobody to the nearer ones
     */
    Worker[] upTo(int ring) {
        return rings[ring];
    }

    /**
     * Returns how far another worker is.
     *
     * @param other the victims of that worker
     * @return {@link #CORE} to {@link #FAR}
     */
    int distanceTo(Victims other) {
        int ring = CORE;
        while (ring < FAR && (groups[ring] == null || groups[ring] != other.groups[ring])) {
            ring++;
        }
        return ring;
    }
}
