// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.List;
import java.util.Random;

/** Selections of all sorts, by chance, and numbers to go with them. */
final class RandomSelection {
    private static final List<CpuSelection.Order> ORDERS = List.of(CpuSelection.Order.values());
    private static final List<CoreClass> CLASSES = List.of(CoreClass.values());

    private final Random random;

    RandomSelection(long seed) {
        random = Mutation.random(seed);
    }

    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    int number(int bound) {
        return random.nextInt(bound);
    }

    /** Some CPUs up to the last, at least one. */
    CpuSet cpus(int last) {
        CpuSet cpus = CpuSet.of(random.nextInt(last + 1));
        for (int i = random.nextInt(4); i > 0; i--) {
            int first = random.nextInt(last + 1);
            cpus = cpus.union(CpuSet.range(first, Math.min(last, first + random.nextInt(last + 1))));
        }
        return cpus;
    }

    CpuSelection next(int last) {
        CpuSelection selection = chance(25) ? CpuSelection.of(cpus(last)) : CpuSelection.allowed();
        if (chance(10)) {
            selection = selection.isolatedOnly();
        }
        if (chance(20)) {
            selection = selection.classes(CLASSES.get(random.nextInt(3)), CLASSES.get(random.nextInt(3)));
        }
        selection = chance(15) ? selection.nodes(random.nextInt(4), random.nextInt(4)) : selection;
        selection = chance(15) ? selection.sockets(random.nextInt(3), random.nextInt(3)) : selection;
        selection = chance(15) ? selection.llcDomains(random.nextInt(9), random.nextInt(9)) : selection;
        selection = chance(30) ? selection.excluding(cpus(last)) : selection;
        if (chance(50)) {
            selection = chance(50) ? selection.onePerCore() : selection.wholeCores();
        }
        selection = selection.order(ORDERS.get(random.nextInt(3)));
        int first = 1 + random.nextInt(1 + last);
        selection = chance(30) ? selection.first(first) : selection;
        return chance(30) ? selection.atLeast(1 + random.nextInt(first)) : selection;
    }
}
