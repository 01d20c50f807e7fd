// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.CpuSet;
import io.corelane.topology.CgroupLimits;
import io.corelane.topology.CpuLimits;
import io.corelane.topology.CpuTopology;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JsonReportTest {
    @TempDir
    private Path root;

    @BeforeEach
    void writeTree() throws IOException {
        RecordedTree.write(root);
    }

    @Test
    void everyCpuHasItsPlaceAndState() {
        String json = JsonReport.of(new Machine(
                Path.of("/"), CpuTopology.read(root), new CpuLimits(CpuSet.of(0, 2), CgroupLimits.read(root), 1)));
        assertThat(flat(json))
                .contains("\"online\": \"0-2\", \"present\": \"0-3\", \"possible\": \"0-7\", \"isolated\": \"2\"")
                .contains("\"mask\": \"0,2\", \"quota\": null, \"allowed\": \"0,2\", \"defaultCpus\": \"0\"")
                .contains("{ \"cpu\": 1, \"core\": 0, \"die\": 0, \"socket\": 0, \"node\": 0, \"l3\": 0, \"llc\": 0,"
                        + " \"smt\": 1, \"class\": \"performance\", \"capacity\": 1024, \"maxFrequencyKhz\": -1,"
                        + " \"online\": true, \"allowed\": false, \"isolated\": false }")
                .contains("\"class\": \"efficiency\", \"capacity\": 446, \"maxFrequencyKhz\": -1,"
                        + " \"online\": true, \"allowed\": true, \"isolated\": true }")
                .contains(
                        "{ \"cpu\": 3, \"core\": -1, \"die\": -1, \"socket\": -1, \"node\": -1, \"l3\": -1, \"llc\": -1,"
                                + " \"smt\": -1, \"class\": \"unknown\", \"capacity\": -1, \"maxFrequencyKhz\": -1,"
                                + " \"online\": false, \"allowed\": false, \"isolated\": false }")
                .contains("\"nodes\": [ { \"node\": 0, \"cpus\": \"0-2\", \"distances\": { \"0\": 10 } } ]")
                .contains("{ \"level\": 3, \"type\": \"unified\", \"sizeBytes\": 2097152, \"cpus\": \"0-2\" }")
                .contains("\"warnings\": [ ]");
    }

    @Test
    void cpusetAndQuotaAreTold() {
        CgroupLimits cgroups = new CgroupLimits(CpuSet.of(1, 2), "/cg/cpuset.cpus", 1.5, "/cg/cpu.max", List.of());
        String json = JsonReport.of(new Machine(
                Path.of("/"), CpuTopology.read(root), new CpuLimits(CpuSet.of(0, 2), cgroups, Integer.MAX_VALUE)));
        assertThat(flat(json))
                .contains("\"mask\": \"0,2\", \"cpuset\": \"1-2\", \"quota\": 1.5, \"allowed\": \"2\","
                        + " \"defaultCpus\": \"2\"");
    }

    @Test
    void nothingIsSaidOfTheProcessForAnotherMachine() {
        String json = JsonReport.of(new Machine(root, CpuTopology.read(root), null));
        assertThat(json).doesNotContain("allowed", "defaultCpus").contains("\"root\": \"" + root + "\"");
    }

    private static String flat(String json) {
        return json.replaceAll("\\s+", " ");
    }
}
