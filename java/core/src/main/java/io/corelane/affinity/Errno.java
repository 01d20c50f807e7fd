// SPDX-License-Identifier: Apache-2.0
package io.corelane.affinity;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Says what a Linux error number means for a call that sets or reads affinity. */
final class Errno {
    static final int ERANGE = 34;

    private static final Path CPU_FILES = Path.of("/sys/devices/system/cpu");

    private Errno() {}

    static String describe(int errno) {
        return switch (errno) {
            case AffinityException.EPERM ->
                "EPERM (another user's thread, or a seccomp filter forbids the call:"
                        + " allow sched_setaffinity, or choose Pinning.PREFERRED or OFF)";
            case AffinityException.ESRCH -> "ESRCH (no such thread, or it has ended)";
            case AffinityException.EINVAL -> "EINVAL (no CPU of the set is online and allowed)";
            default -> "errno " + errno;
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
