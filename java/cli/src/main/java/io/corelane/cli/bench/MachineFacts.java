// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import io.corelane.affinity.CpuSet;
import io.corelane.topology.CpuLimits;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a reader has to know of the machine to judge a number.
 *
 * @param cpuModel the CPU's name, or its architecture if it has none
 * @param allowedCpus the CPUs that this process may use
 * @param jvmCpus how many of them the JVM was told or allowed to use
 * @param system the operating system's name and version
 * @param jdk the JVM's name and version
 * @param gc the garbage collector
 * @param maxHeapMebibytes the largest heap
 * @param loadAverage of the last minute before the run, negative if unknown
 */
record MachineFacts(
        String cpuModel,
        CpuSet allowedCpus,
        int jvmCpus,
        String system,
        String jdk,
        String gc,
        long maxHeapMebibytes,
        double loadAverage) {
    static MachineFacts read() {
        CpuLimits limits = CpuLimits.read();
        return new MachineFacts(
                cpuModel(Path.of("/proc/cpuinfo")),
                limits.allowed(),
                limits.defaultWorkers(),
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
                collectorName(ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .map(GarbageCollectorMXBean::getName)
                        .toList()),
                Runtime.getRuntime().maxMemory() >> 20,
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    /** Returns whether other work took a good part of the CPUs in the minute before. */
    boolean isBusy() {
        return loadAverage > 0.3 * allowedCpus.size();
    }

    /** Reads the name from a file in the form of {@code /proc/cpuinfo}, which has none on some architectures. */
    static String cpuModel(Path cpuinfo) {
        try {
            for (String line : Files.readAllLines(cpuinfo, StandardCharsets.ISO_8859_1)) {
                if (line.startsWith("model name")) {
                    return line.substring(line.indexOf(':') + 1).strip();
                }
            }
        } catch (IOException notLinux) {
            // named by its architecture, as below
        }
        return System.getProperty("os.arch");
    }

    /** Returns the usual name of a collector, known by the names of its beans. */
    static String collectorName(List<String> beans) {
        String names = String.join(", ", beans);
        if (names.startsWith("PS ")) {
            return "Parallel";
        }
        if (names.startsWith("Copy")) {
            return "Serial";
        }
        int space = names.indexOf(' ');
        return space < 0 ? names : names.substring(0, space);
    }
}
