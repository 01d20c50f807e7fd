// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.corelane.affinity.CpuSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Recorded machines with files spoiled at random. The seed is fixed, printed, and can be set with
 * {@code -Dcorelane.topology.seed}; {@code -Dcorelane.topology.rounds} makes a longer run.
 */
class TopologyFuzzTest {
    private static final long SEED = Long.getLong("corelane.topology.seed", 20_261_129L);
    private static final int ROUNDS = Integer.getInteger("corelane.topology.rounds", 25);

    /** Small machines of all sorts; the large ones have the same files, only more often. */
    static List<String> machines() {
        return List.of(
                "arm-phone-8",
                "intel-adl-hybrid16",
                "intel-skx-2s32",
                "power7-lpar-64",
                "riscv-visionfive2-4",
                "s390-lpar-offline",
                "sparc64-sparse-6",
                "vm-virtualbox-2");
    }

    @ParameterizedTest
    @MethodSource("machines")
    void manySpoiledFilesGiveAnErrorOrASoundTopology(String name) throws IOException {
        Path root = RecordedMachines.unpack(name);
        List<List<Path>> files = files(root);
        for (long seed = start(name, "many"); seed < SEED + ROUNDS; seed++) {
            Random random = Mutation.random(seed);
            List<Mutation> mutations = new ArrayList<>();
            for (int i = 1 + random.nextInt(8); i > 0; i--) {
                mutations.add(Mutation.apply(files, random));
            }
            try {
                read(root);
            } catch (RuntimeException | AssertionError failure) {
                fail("seed " + seed + ", " + mutations, failure);
            }
            Collections.reverse(mutations);
            mutations.forEach(Mutation::undo);
        }
        assertThat(files(root)).as("all is as before").isEqualTo(files);
    }

    @ParameterizedTest
    @MethodSource("machines")
    void oneSpoiledFileNeverMovesACpuInSilence(String name) throws IOException {
        Path root = RecordedMachines.unpack(name);
        List<List<Path>> files = files(root);
        CpuTopology sound = CpuTopology.read(root);
        for (long seed = start(name, "one"); seed < SEED + ROUNDS; seed++) {
            Mutation mutation = Mutation.apply(files, Mutation.random(seed));
            CpuTopology spoiled = read(root);
            if (spoiled != null && spoiled.warnings().equals(sound.warnings())) {
                assertThat(shape(spoiled)).as("seed " + seed + ", " + mutation).isEqualTo(shape(sound));
            }
            mutation.undo();
        }
    }

    /** Reads the tree: null stands for an error that is ours and names a file. */
    private static @Nullable CpuTopology read(Path root) {
        try {
            CpuTopology topology = CpuTopology.read(root);
            TopologyInvariants.check(topology);
            return topology;
        } catch (TopologyException error) {
            assertThat(error.getMessage()).startsWith(error.file() + ": ").matches("[ -~]*");
            return null;
        }
    }

    /**
     * Where each CPU is: what a placement of workers depends on. Of nodes the grouping: on a machine that has only node
     * maps, two maps that changed places are those of another sound machine, and nothing else tells the node numbers.
     */
    private static List<List<CpuSet>> shape(CpuTopology topology) {
        return List.of(
                List.of(topology.online(), topology.present()),
                topology.cores(),
                topology.sockets(),
                topology.dies(),
                topology.l3Domains(),
                topology.llcDomains(),
                Partition.sorted(topology.nodes().stream().map(NumaNode::cpus).toList()));
    }

    /** The files by kind: those whose names differ only in numbers are of one kind. */
    private static List<List<Path>> files(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            Map<String, List<Path>> kinds = all.filter(Files::isRegularFile)
                    .sorted()
                    .collect(Collectors.groupingBy(
                            path -> path.toString().replaceAll("[0-9]+", "N"), TreeMap::new, Collectors.toList()));
            return List.copyOf(kinds.values());
        }
    }

    private static long start(String name, String test) {
        System.out.println("TopologyFuzzTest: " + name + ", " + test + ", seeds from " + SEED + ", rounds " + ROUNDS);
        return SEED;
    }
}
