// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Writes the files of a small machine that does not exist. */
final class FakeMachine {
    static final String CPU = "sys/devices/system/cpu/";
    static final String NODE = "sys/devices/system/node/";

    private final Path root;

    FakeMachine(Path root) {
        this.root = root;
    }

    /** A machine of which nothing is missing: the CPUs are cores of their own, in one socket and one node. */
    static FakeMachine complete(Path root, String cpus) {
        FakeMachine machine = new FakeMachine(root).states(cpus);
        for (int cpu : CpuSet.parse(cpus).toArray()) {
            machine.cpu(cpu, "online", "1")
                    .cpu(cpu, "topology/core_cpus_list", String.valueOf(cpu))
                    .cpu(cpu, "topology/package_cpus_list", cpus)
                    .cpu(cpu, "topology/die_cpus_list", cpus)
                    .cpu(cpu, "topology/die_id", "0")
                    .cache(cpu, 2, "Unified", cpus);
        }
        return machine.file(NODE + "online", "0")
                .file(NODE + "node0/cpulist", cpus)
                .file(NODE + "node0/distance", "10");
    }

    /** The lists of online, present, possible and isolated CPUs. */
    FakeMachine states(String cpus) {
        return file(CPU + "online", cpus)
                .file(CPU + "present", cpus)
                .file(CPU + "possible", cpus)
                .file(CPU + "isolated", "");
    }

    FakeMachine cpu(int cpu, String name, String content) {
        return file(CPU + "cpu" + cpu + "/" + name, content);
    }

    /** A cache whose index is its level. */
    FakeMachine cache(int cpu, int level, String type, String sharedList) {
        String folder = "cache/index" + level + "/";
        return cpu(cpu, folder + "level", String.valueOf(level))
                .cpu(cpu, folder + "type", type)
                .cpu(cpu, folder + "size", "64K")
                .cpu(cpu, folder + "shared_cpu_list", sharedList);
    }

    FakeMachine file(String name, String content) {
        return cutFile(name, content + "\n");
    }

    /** A file that does not end with its line. */
    FakeMachine cutFile(String name, String content) {
        try {
            Path file = root.resolve(name);
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
            Files.writeString(file, content, StandardCharsets.ISO_8859_1);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    FakeMachine without(String name) {
        try {
            Files.delete(root.resolve(name));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Puts a folder where a file is expected: a file that cannot be read, for root as well. */
    FakeMachine folder(String name) {
        try {
            Files.deleteIfExists(root.resolve(name));
            Files.createDirectories(root.resolve(name));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads the machine and checks what always holds. */
    CpuTopology read() {
        CpuTopology topology = CpuTopology.read(root);
        TopologyInvariants.check(topology);
        return topology;
    }
}
