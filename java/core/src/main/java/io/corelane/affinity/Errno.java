// SPDX-License-Identifier: Apache-2.0
package io.corelane.affinity;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Says what a Linux error number means for a call that sets or reads affinity, and what would help. */
final class Errno {
    static final int ERANGE = 34;

    private static final int EACCES = 13;
    private static final int ENOSYS = 38;

    private static final Path CPU_FILES = Path.of("/sys/devices/system/cpu");

    private static final String UNPINNED = ", or choose Pinning.PREFERRED or OFF";

    private Errno() {}

    static String describe(int errno) {
        return switch (errno) {
            case AffinityException.EPERM -> "EPERM (another user's thread, or a seccomp filter forbids the call)";
            case EACCES -> "EACCES (a seccomp filter or security module forbids the call)";
            case ENOSYS -> "ENOSYS (a seccomp filter forbids the call, or the kernel has not got it)";
            case AffinityException.ESRCH -> "ESRCH (no such thread, or it has ended)";
            case AffinityException.EINVAL -> "EINVAL (no CPU of the set is online and allowed)";
            default -> "errno " + errno;
        };
    }

    static String remedy(int errno, String call) {
        return switch (errno) {
            case AffinityException.ESRCH -> "take the id of a thread that runs";
            case AffinityException.EINVAL, 0 -> "take CPUs that are online and allowed" + UNPINNED;
            default -> "allow " + call + " in the seccomp profile, or to this user" + UNPINNED;
        };
    }

    /** Tells for each refused CPU whether it is absent, offline or not allowed here. */
    static String refusal(CpuSet refused) {
        CpuSet present;
        CpuSet online;
        try {
            present = read("present");
            online = read("online");
        } catch (IOException | IllegalArgumentException e) {
            return describe(AffinityException.EINVAL) + "; " + CPU_FILES + " could not be read: " + e;
        }
        List<String> reasons = new ArrayList<>();
        add(reasons, refused.minus(present), "absent on this machine");
        add(reasons, refused.intersect(present).minus(online), "offline");
        add(reasons, refused.intersect(online), "not allowed for this process (cpuset)");
        return "EINVAL: " + String.join(", ", reasons) + "; online CPUs: " + online;
    }

    private static void add(List<String> reasons, CpuSet cpus, String reason) {
        if (!cpus.isEmpty()) {
            reasons.add("CPU " + cpus + " " + reason);
        }
    }

    private static CpuSet read(String file) throws IOException {
        return CpuSet.parse(Files.readString(CPU_FILES.resolve(file)));
    }
}
