// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Which CPUs this process may use, and how many workers its share of CPU time is enough for.
 *
 * <p>The mask is that of the process's first thread, which runs no Java code and so keeps the mask with which the process was
 * started, whoever pins the calling thread. The JVM's own limit ({@code -XX:ActiveProcessorCount}) shows as fewer available
 * processors than mask and quota explain.
 *
 * @param mask the CPUs of the process's affinity mask; when read, those that are online
 * @param cgroups the limits of its control groups
 * @param processors how many CPUs the JVM was told to use; {@link Integer#MAX_VALUE} if it was not told
 */
public record CpuLimits(CpuSet mask, CgroupLimits cgroups, int processors) {
    private static final String ALLOWED_LINE = "Cpus_allowed_list:";

    /**
     * Reads the limits of this process.
     *
     * @return the limits; without a readable {@code /proc} as many CPUs from 0 on as the JVM reports
     */
    public static CpuLimits read() {
        int available = Runtime.getRuntime().availableProcessors();
        try {
            CpuSet online = online(new KernelTree(Path.of("/")));
            CpuSet caller = onlyOnline(allowedList(Path.of("/proc/thread-self/status")), online);
            CpuSet mask = onlyOnline(allowedList(Path.of("/proc/self/status")), online);
            CgroupLimits cgroups = CgroupLimits.read();
            boolean told = available < Math.min(caller.size(), cgroups.quotaWorkers());
            return new CpuLimits(mask, cgroups, told ? available : Integer.MAX_VALUE);
        } catch (IOException notLinux) {
            return new CpuLimits(CpuSet.range(0, available - 1), CgroupLimits.NONE, Integer.MAX_VALUE);
        }
    }

    /**
     * Reads the limits of the process whose files are below a root, as a recorded machine has them.
     *
     * @param root stands for {@code /}
     * @param online the machine's online CPUs, which are the mask if the files do not tell one
     * @return the limits, without any of the JVM
     */
    public static CpuLimits read(Path root, CpuSet online) {
        CpuSet mask = online;
        Path status = root.resolve("proc/self/status");
        if (Files.exists(status)) {
            try {
                mask = onlyOnline(allowedList(status), online);
            } catch (IOException | IllegalArgumentException nonsense) {
                throw new TopologyException(
                        status.toString(),
                        "does not tell the affinity mask: " + nonsense.getMessage() + " (expected a line as in \""
                                + ALLOWED_LINE + " 0-3,8\")",
                        nonsense);
            }
        }
        return new CpuLimits(mask, CgroupLimits.read(root), Integer.MAX_VALUE);
    }

    /**
     * Returns the CPUs that the process could be allowed to use if its mask were wider, as of now.
     *
     * @return the online CPUs of its cpuset; none if the files do not tell what is online
     */
    public static CpuSet reachable() {
        CpuSet online = online(new KernelTree(Path.of("/")));
        CpuSet cpuset = CgroupLimits.read().cpuset();
        return cpuset == null ? online : online.intersect(cpuset);
    }

    /**
     * Returns the CPUs that the process may use.
     *
     * @return those of the mask that are in the effective cpuset; the mask, if no cpuset is known. Empty if they have
     *     nothing in common
     */
    public CpuSet allowed() {
        CpuSet cpuset = cgroups.cpuset();
        return cpuset == null ? mask : mask.intersect(cpuset);
    }

    /**
     * Returns the CPUs that a scheduler without a plan takes: all allowed ones, as far as quota and the JVM's limit go.
     *
     * @return at least one CPU; none if mask and cpuset have nothing in common
     */
    public CpuSet defaultCpus() {
        return allowed().limit(defaultWorkers());
    }

    /**
     * Returns how many workers a scheduler has by default.
     *
     * @return at least 1
     */
    public int defaultWorkers() {
        return Math.max(1, Math.min(allowed().size(), Math.min(processors, cgroups.quotaWorkers())));
    }

    /**
     * Says what limits there are, for people.
     *
     * @return one line for each
     */
    public List<String> describe() {
        List<String> lines = new ArrayList<>();
        lines.add("affinity mask: " + list(mask));
        CpuSet cpuset = cgroups.cpuset();
        lines.add("cpuset: " + (cpuset == null ? "not told" : list(cpuset) + " (" + cgroups.cpusetFile() + ")"));
        if (cpuset != null && !cpuset.equals(mask)) {
            lines.add(
                    allowed().isEmpty()
                            ? "mask and cpuset have no CPU in common"
                            : "mask and cpuset differ: allowed are the CPUs of both, " + allowed());
        }
        lines.add("CPU quota: "
                + (Double.isInfinite(cgroups.quota()) ? "none" : quota() + " (" + cgroups.quotaFile() + ")"));
        if (processors != Integer.MAX_VALUE) {
            lines.add("-XX:ActiveProcessorCount: the JVM was told to use " + count(processors, "CPU"));
        }
        return lines;
    }

    /** Says how large the quota is and how far it goes. */
    private String quota() {
        return String.format(
                Locale.ROOT, "%.2f CPUs, enough for %s", cgroups.quota(), count(cgroups.quotaWorkers(), "worker"));
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    private static String list(CpuSet cpus) {
        return cpus.isEmpty() ? "none" : cpus.toString();
    }

    /** The kernel's list of allowed CPUs has CPUs that may be plugged in one day as well. */
    private static CpuSet onlyOnline(CpuSet mask, CpuSet online) {
        return online.isEmpty() ? mask : mask.intersect(online);
    }

    /** Returns the online CPUs, or none if the file does not tell. */
    private static CpuSet online(KernelTree tree) {
        try {
            String text = tree.text(KernelTree.CPU + "online");
            return text == null ? CpuSet.empty() : CpuSet.parse(text);
        } catch (IOException | IllegalArgumentException unknown) {
            return CpuSet.empty();
        }
    }

    private static CpuSet allowedList(Path status) throws IOException {
        for (String line : Files.readAllLines(status, StandardCharsets.ISO_8859_1)) { // a name may be cut in a letter
            if (line.startsWith(ALLOWED_LINE)) {
                return CpuSet.parse(line.substring(ALLOWED_LINE.length()));
            }
        }
        throw new IOException("it has no such line");
    }
}
