// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Which CPUs this process may use, and how many of them the JVM was told to use.
 *
 * <p>The allowed CPUs are those of the process's first thread, which runs no Java code and so keeps the mask with which
 * the process was started, whoever pins the calling thread. The JVM's own limit ({@code -XX:ActiveProcessorCount} or a
 * container's CPU quota) shows as fewer available processors than the calling thread's mask has CPUs.
 *
 * @param allowed the CPUs this process may use
 * @param processors how many the JVM was told to use; {@link Integer#MAX_VALUE} if it was not told
 */
public record CpuLimits(CpuSet allowed, int processors) {
    private static final String ALLOWED_LINE = "Cpus_allowed_list:";

    /**
     * Reads the limits of this process.
     *
     * @return the limits; without a readable {@code /proc} as many CPUs from 0 on as the JVM reports
     */
    public static CpuLimits read() {
        int available = Runtime.getRuntime().availableProcessors();
        try {
            CpuSet caller = allowedList(Path.of("/proc/thread-self/status"));
            return new CpuLimits(
                    allowedList(Path.of("/proc/self/status")),
                    available < caller.size() ? available : Integer.MAX_VALUE);
        } catch (IOException notLinux) {
            return new CpuLimits(CpuSet.range(0, available - 1), Integer.MAX_VALUE);
        }
    }

    /**
     * Returns the CPUs that a scheduler takes by default: all allowed ones, as far as the JVM's own limit goes.
     *
     * @return at least one CPU
     */
    public CpuSet defaultCpus() {
        return allowed.limit(defaultWorkers());
    }

    /**
     * Returns how many workers a scheduler has by default.
     *
     * @return at least 1
     */
    public int defaultWorkers() {
        return Math.min(allowed.size(), processors);
    }

    private static CpuSet allowedList(Path status) throws IOException {
        for (String line : Files.readAllLines(status)) {
            if (line.startsWith(ALLOWED_LINE)) {
                return CpuSet.parse(line.substring(ALLOWED_LINE.length()));
            }
        }
        throw new IOException(status + " has no line " + ALLOWED_LINE);
    }
}
