// SPDX-License-Identifier: Apache-2.0
package io.corelane.embedding;

import io.corelane.PinnedScheduler;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.RejectedExecutionException;

/** A program that {@code EmbeddingIT} runs in JVMs of their own: it uses a scheduler and prints what it sees. */
public final class Probe {
    private Probe() {}

    /**
     * Prints one line for each fact.
     *
     * @param arguments a pinning, and CPUs or nothing
     */
    public static void main(String[] arguments) throws IOException {
        PinnedScheduler.Builder builder =
                PinnedScheduler.builder().name("probe").pinning(Pinning.valueOf(arguments[0]));
        if (arguments.length > 1) {
            builder.cpus(CpuSet.parse(arguments[1]));
        }
        try (PinnedScheduler scheduler = builder.build()) {
            System.out.println("result=" + scheduler.submit(() -> 6 * 7).join());
            System.out.println("workers=" + scheduler.workers());
            System.out.println("cpus=" + scheduler.cpus());
            System.out.println("note=" + scheduler.stats().note());
            System.out.println("module=" + PinnedScheduler.class.getModule().getName());
            String maps = Files.readString(Path.of("/proc/self/maps"));
            System.out.println("native=" + (maps.contains("corelane_affinity") || maps.contains("jna")));
        } catch (RejectedExecutionException e) {
            throw new AssertionError(e);
        }
    }
}
