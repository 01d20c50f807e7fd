// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import java.nio.charset.StandardCharsets;

/**
 * Names of worker threads: a long one in Java, and one of at most 15 bytes for the kernel, which keeps no more. The
 * kernel's ends in index and CPU, so that workers 1 and 10 differ in {@code top -H} and {@code perf}.
 */
final class WorkerNames {
    static final int KERNEL_BYTES = 15;

    private WorkerNames() {}

    static String threadName(String scheduler, int index, int cpu) {
        return scheduler + "-worker-" + index + (cpu < 0 ? "" : "-cpu" + cpu);
    }

    /** The name of a thread that has left its worker because its job blocks. */
    static String blockedName(String scheduler, long threadId) {
        return scheduler + "-blocked-" + threadId;
    }

    static String kernelName(String scheduler, int index, int cpu) {
        String suffix = "-" + index + (cpu < 0 ? "" : "@" + cpu);
        StringBuilder prefix = new StringBuilder(scheduler);
        while (bytes(prefix + suffix) > KERNEL_BYTES && prefix.length() > 0) {
            prefix.setLength(prefix.offsetByCodePoints(prefix.length(), -1));
        }
        return prefix + suffix;
    }

    private static int bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8).length;
    }
}
