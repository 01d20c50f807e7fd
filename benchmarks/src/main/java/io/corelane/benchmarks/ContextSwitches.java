// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * How often the threads of this process went to sleep or were pushed off a CPU, as the kernel tells it.
 *
 * @param voluntary a thread waited
 * @param involuntary a thread was pushed off
 */
public record ContextSwitches(long voluntary, long involuntary) {
    /**
     * Counts those of all living threads but the calling one.
     *
     * @return the sums
     * @throws IOException if the kernel does not tell
     */
    public static ContextSwitches ofOthers() throws IOException {
        return between(Map.of(), byOtherThread());
    }

    /**
     * Counts those of each living thread but the calling one.
     *
     * @return by the kernel's number of the thread
     * @throws IOException if the kernel does not tell
     */
    public static Map<String, ContextSwitches> byOtherThread() throws IOException {
        Path self = Path.of("/proc/thread-self").toRealPath().getFileName();
        Map<String, ContextSwitches> counts = new HashMap<>();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                if (!thread.getFileName().equals(self)) {
                    counts.put(thread.getFileName().toString(), read(thread.resolve("status")));
                }
            }
        }
        return counts;
    }

    /**
     * Sums what threads have done between two readings; those that have ended count nothing.
     *
     * @param before by thread
     * @param after by thread
     * @return the sums
     */
    public static ContextSwitches between(Map<String, ContextSwitches> before, Map<String, ContextSwitches> after) {
        long voluntary = 0;
        long involuntary = 0;
        for (Map.Entry<String, ContextSwitches> thread : after.entrySet()) {
            ContextSwitches made =
                    thread.getValue().minus(before.getOrDefault(thread.getKey(), new ContextSwitches(0, 0)));
            voluntary += Math.max(0, made.voluntary);
            involuntary += Math.max(0, made.involuntary);
        }
        return new ContextSwitches(voluntary, involuntary);
    }

    /** Reads one file in the form of {@code /proc/self/status}; a thread that has ended counts nothing. */
    static ContextSwitches read(Path status) throws IOException {
        long voluntary = -1;
        long involuntary = -1;
        try {
            for (String line : Files.readAllLines(status)) {
                if (line.startsWith("voluntary_ctxt_switches:")) {
                    voluntary =
                            Long.parseLong(line.substring(line.indexOf(':') + 1).trim());
                } else if (line.startsWith("nonvoluntary_ctxt_switches:")) {
                    involuntary =
                            Long.parseLong(line.substring(line.indexOf(':') + 1).trim());
                }
            }
        } catch (IOException e) {
            if (Files.exists(status)) {
                throw e;
            }
            return new ContextSwitches(0, 0); // ended before it was opened or while it was read
        }
        if (voluntary < 0 || involuntary < 0) {
            throw new IOException(status + " has no voluntary_ctxt_switches or nonvoluntary_ctxt_switches");
        }
        return new ContextSwitches(voluntary, involuntary);
    }

    ContextSwitches minus(ContextSwitches earlier) {
        return new ContextSwitches(voluntary - earlier.voluntary, involuntary - earlier.involuntary);
    }
}
