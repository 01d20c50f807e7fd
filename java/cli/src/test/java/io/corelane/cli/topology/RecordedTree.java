// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a small machine: a socket with a core of two CPUs and a slower CPU that is isolated; CPU 3 is offline. */
public final class RecordedTree {
    private RecordedTree() {}

    /** Writes it below a root, which is returned. */
    public static Path write(Path root) throws IOException {
        Path cpus = Files.createDirectories(root.resolve("sys/devices/system/cpu"));
        Files.writeString(cpus.resolve("online"), "0-2\n");
        Files.writeString(cpus.resolve("present"), "0-3\n");
        Files.writeString(cpus.resolve("possible"), "0-7\n");
        Files.writeString(cpus.resolve("isolated"), "2\n");
        for (int cpu = 0; cpu < 3; cpu++) {
            Path topology = Files.createDirectories(cpus.resolve("cpu" + cpu + "/topology"));
            Files.writeString(topology.resolve("core_cpus_list"), cpu < 2 ? "0-1\n" : "2\n");
            Files.writeString(topology.resolve("package_cpus_list"), "0-2\n");
            Files.writeString(cpus.resolve("cpu" + cpu + "/cpu_capacity"), cpu < 2 ? "1024\n" : "446\n");
            Path cache = Files.createDirectories(cpus.resolve("cpu" + cpu + "/cache/index3"));
            Files.writeString(cache.resolve("level"), "3\n");
            Files.writeString(cache.resolve("type"), "Unified\n");
            Files.writeString(cache.resolve("size"), "2048K\n");
            Files.writeString(cache.resolve("shared_cpu_list"), "0-2\n");
        }
        Path node = Files.createDirectories(root.resolve("sys/devices/system/node/node0"));
        Files.writeString(node.resolve("cpulist"), "0-2\n");
        Files.writeString(node.resolve("distance"), "10\n");
        return root;
    }
}
