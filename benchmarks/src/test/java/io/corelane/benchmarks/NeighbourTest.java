// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.CpuSet;
import io.corelane.affinity.ThreadAffinity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class NeighbourTest {
    @Test
    void aNeighbourSpinsOnTheFirstAllowedCpuUntilItIsClosed() throws Exception {
        CpuSet allowed = ThreadAffinity.get();
        List<Process> processes;
        try (Neighbour neighbour = Neighbour.start()) {
            processes = neighbour.processes();
            Process first = processes.get(0);
            assertThat(first.isAlive()).isTrue();
            assertThat(Files.readAllLines(Path.of("/proc/" + first.pid() + "/status")))
                    .contains("Cpus_allowed_list:\t" + allowed.first());
            assertThat(ThreadAffinity.get()).as("the starter's own CPUs").isEqualTo(allowed);
        }
        assertThat(processes).noneMatch(Process::isAlive);
    }
}
