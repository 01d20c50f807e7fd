// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.affinity.CpuSet;
import io.corelane.affinity.ThreadAffinity;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Other processes that spin, each on one CPU. They end with {@link #close}, or when this process is gone. */
public final class Neighbour implements AutoCloseable {
    private final List<Process> processes = new ArrayList<>();

    private Neighbour() {}

    /**
     * Starts one on each CPU of the first half of those that the caller may use, at least one.
     *
     * @return the running processes
     * @throws IOException if one cannot be started
     */
    public static Neighbour start() throws IOException {
        int[] allowed = ThreadAffinity.get().toArray();
        Neighbour neighbour = new Neighbour();
        try {
            for (int i = 0; i < Math.max(1, allowed.length / 2); i++) {
                neighbour.startOn(allowed[i]);
            }
        } catch (IOException | RuntimeException e) {
            neighbour.close();
            throw e;
        }
        return neighbour;
    }

    /** A process inherits the CPUs of the thread that starts it. */
    private void startOn(int cpu) throws IOException {
        CpuSet own = ThreadAffinity.get();
        ThreadAffinity.set(CpuSet.of(cpu));
        try {
            String spin = "while [ -d /proc/" + ProcessHandle.current().pid() + " ]; do :; done";
            processes.add(new ProcessBuilder("sh", "-c", spin).start());
        } finally {
            ThreadAffinity.set(own);
        }
    }

    List<Process> processes() {
        return List.copyOf(processes);
    }

    @Override
    public void close() {
        for (Process process : processes) {
            process.destroyForcibly();
        }
        for (Process process : processes) {
            try {
                process.waitFor(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
