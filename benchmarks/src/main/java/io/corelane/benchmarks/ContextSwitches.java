// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

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
        Path self = Path.of("/proc/thread-self").toRealPath();
        long voluntary = 0;
        long involuntary = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                if (!thread.toRealPath().equals(self)) {
                    ContextSwitches one = read(thread.resolve("status"));
                    voluntary += one.voluntary;
                    involuntary += one.involuntary;
                }
            }
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
        } catch (NoSuchFileException ended) {
            return new ContextSwitches(0, 0);
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
