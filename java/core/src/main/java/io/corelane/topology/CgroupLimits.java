// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the control groups of a process leave it: the CPUs of its effective cpuset, and its CPU quota.
 *
 * <p>Both versions of control groups are read. Of nested groups the smallest quota counts, and the effective cpuset of the
 * innermost group that has one. The group of the process is looked for at the mount that shows it most closely; where it cannot
 * be found, or its files hold something else than expected, {@link #warnings} says what was taken instead.
 *
 * @param cpuset the effective cpuset, or null if none was found
 * @param cpusetFile the file that says so, or the empty string
 * @param quota how many CPUs' time the process may use, or infinity
 * @param quotaFile the file that says so, or the empty string
 * @param warnings what had to be assumed, one line each
 */
public record CgroupLimits(
        @Nullable CpuSet cpuset, String cpusetFile, double quota, String quotaFile, List<String> warnings) {
    /**
     * Copies the warnings.
     *
     * @param cpuset the effective cpuset, or null if none was found
     * @param cpusetFile the file that says so, or the empty string
     * @param quota how many CPUs' time the process may use, or infinity
     * @param quotaFile the file that says so, or the empty string
     * @param warnings what had to be assumed, one line each
     * @throws IllegalArgumentException if the quota is not above 0
     */
    public CgroupLimits {
        if (!(quota > 0)) {
            throw new IllegalArgumentException("quota=" + quota + " (expected CPUs above 0, or infinity)");
        }
        warnings = List.copyOf(warnings);
    }

    /** No limits. */
    static final CgroupLimits NONE = new CgroupLimits(null, "", Double.POSITIVE_INFINITY, "", List.of());

    /**
     * Reads the limits of this process.
     *
     * @return the limits; no limits where the kernel shows no control groups
     */
    public static CgroupLimits read() {
        return read(Path.of("/"));
    }

    /**
     * Reads the limits of the process whose {@code proc/self/cgroup} and {@code proc/self/mountinfo} are below a root, with
     * the mount points of the control groups below the same root.
     *
     * @param root stands for {@code /}
     * @return the limits; no limits where there are no such files
     */
    public static CgroupLimits read(Path root) {
        return new CgroupReader(new KernelTree(root)).read();
    }

    /**
     * Returns how many workers the quota is enough for.
     *
     * @return the quota rounded up, at least 1; {@link Integer#MAX_VALUE} without a quota
     */
    public int quotaWorkers() {
        return quota >= Integer.MAX_VALUE ? Integer.MAX_VALUE : Math.max(1, (int) Math.ceil(quota));
    }
}
