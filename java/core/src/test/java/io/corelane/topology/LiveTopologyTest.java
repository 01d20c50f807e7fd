// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.corelane.affinity.CpuSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The machine that runs the tests. */
class LiveTopologyTest {
    private static final Path ONLINE = Path.of("/sys/devices/system/cpu/online");

    @Test
    void thisMachineCanBeRead() throws IOException {
        assumeTrue(Files.isReadable(ONLINE), ONLINE + " cannot be read");
        CpuTopology topology = CpuTopology.read();
        TopologyInvariants.check(topology);
        assertThat(topology.online()).isEqualTo(CpuSet.parse(Files.readString(ONLINE)));
    }
}
