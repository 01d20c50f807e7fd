// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects what a reading had to assume. The same problem on many CPUs is one warning that names the CPUs. */
final class Warnings {
    private static final class PerCpu {
        final BitSet cpus = new BitSet();
        final String example;

        PerCpu(String example) {
            this.example = example;
        }
    }

    private final Map<String, PerCpu> problems = new LinkedHashMap<>();

    /** Adds a problem of the whole machine, or of one file. */
    void add(String problem) {
        problems.putIfAbsent(problem, new PerCpu(""));
    }

    /**
     * Adds a problem of one CPU.
     *
     * @param problem the same text for every CPU that has it
     * @param example what was seen on this CPU; shown for the first CPU only, may be empty
     */
    void add(int cpu, String problem, String example) {
        problems.computeIfAbsent(problem, key -> new PerCpu(example)).cpus.set(cpu);
    }

    List<String> toList() {
        List<String> texts = new ArrayList<>();
        problems.forEach((problem, where) -> texts.add(text(problem, where)));
        return List.copyOf(texts);
    }

    private static String text(String problem, PerCpu where) {
        if (where.cpus.isEmpty()) {
            return problem;
        }
        CpuSet cpus = CpuSet.of(where.cpus.stream().toArray());
        String first = where.example.isEmpty() ? "" : ", first: " + where.example;
        return problem + " (CPUs " + cpus + first + ")";
    }
}
