// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.corelane.affinity.CpuSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Control groups with files spoiled at random. The seed is fixed, printed, and can be set with
 * {@code -Dcorelane.topology.seed}; {@code -Dcorelane.topology.rounds} makes a longer run.
 */
class CgroupFuzzTest {
    private static final long SEED = Long.getLong("corelane.topology.seed", 20_261_130L);
    private static final int ROUNDS = 20 * Integer.getInteger("corelane.topology.rounds", 25);

    /** What a file of each kind may hold, by the end of its name; written apart from the reader. */
    private static final Map<String, Predicate<String>> SOUND = Map.of(
            "cpu.max", text -> text.matches("max( [0-9]+)?|0*[1-9][0-9]{0,13} 0*[1-9][0-9]{0,13}"),
            "cpu.cfs_quota_us", text -> text.matches("-1|0*[1-9][0-9]{0,13}"),
            "cpu.cfs_period_us", text -> text.matches("0*[1-9][0-9]{0,13}"),
            "cpuset.cpus", CgroupFuzzTest::isList,
            "cpuset.cpus.effective", CgroupFuzzTest::isList,
            "cgroup", text -> text.lines().allMatch(line -> line.matches("[0-9]+:[^:]*:/(?!/)[^\0]*")),
            "mountinfo",
                    text -> text.lines()
                            .allMatch(line -> line.matches("[0-9]+ .*")
                                    && line.replace(" - ", " | ")
                                            .matches("([^ ]* ){6}([^ ]* )*\\| [^ ]* [^ ]* [^ ]*.*")));

    private static boolean isList(String text) {
        return text.matches("([0-9]+(-[0-9]+(:[0-9]+/[0-9]+)?)?(,(?!$)|$))*")
                && Stream.of(text.split("[^0-9]"))
                        .allMatch(number ->
                                number.isEmpty() || (number.length() < 6 && Integer.parseInt(number) < 65536));
    }

    /** Each file of these is looked at, so that none is spoiled for nothing. */
    private static CgroupTree tree(String kind, Path root) {
        return switch (kind) {
            case "v2" ->
                CgroupTree.v2(root, "/pods/pod1/c1")
                        .group("/sys/fs/cgroup/pods/pod1/c1/cpu.max", "150000 100000")
                        .group("/sys/fs/cgroup/pods/pod1/c1/cpuset.cpus.effective", "0-3")
                        .group("/sys/fs/cgroup/pods/pod1/cpu.max", "max 100000")
                        .group("/sys/fs/cgroup/pods/cpu.max", "800000 100000");
            case "v1" ->
                CgroupTree.v1(root, "/docker/4af/x", "/docker/4af")
                        .quotaV1("/sys/fs/cgroup/cpu,cpuacct/x", "50000", "100000")
                        .quotaV1("/sys/fs/cgroup/cpu,cpuacct", "400000", "100000")
                        .group("/sys/fs/cgroup/cpuset/x/cpuset.cpus", "1,3");
            default ->
                new CgroupTree(root)
                        .member("5:cpuset:/jobs")
                        .member("0::/user.slice")
                        .mountV2("/", "/sys/fs/cgroup/unified")
                        .mountV1("/", "/sys/fs/cgroup/cpuset", "cpuset")
                        .group("/sys/fs/cgroup/unified/user.slice/cpu.max", "150000 100000")
                        .group("/sys/fs/cgroup/cpuset/jobs/cpuset.cpus", "0-1");
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v2", "hybrid"})
    void manySpoiledFilesNeverThrow(String kind) throws IOException {
        Path root = memory();
        tree(kind, root);
        List<List<Path>> files = files(root);
        for (long seed = start(kind, "many"); seed < SEED + ROUNDS; seed++) {
            Random random = Mutation.random(seed);
            List<Mutation> mutations = new ArrayList<>();
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                mutations.add(Mutation.apply(files, random));
            }
            try {
                check(CgroupLimits.read(root));
            } catch (RuntimeException | AssertionError failure) {
                fail("seed " + seed + ", " + mutations, failure);
            }
            Collections.reverse(mutations);
            mutations.forEach(Mutation::undo);
        }
        assertThat(files(root)).as("all is as before").isEqualTo(files);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v2", "hybrid"})
    void nonsenseIsNeverSkippedInSilence(String kind) throws IOException {
        Path root = memory();
        assertThat(tree(kind, root).read().warnings()).isEmpty();
        List<List<Path>> files = files(root);
        int spoiled = 0;
        for (long seed = start(kind, "one"); seed < SEED + ROUNDS; seed++) {
            Mutation mutation = Mutation.apply(files, Mutation.random(seed));
            CgroupLimits limits = CgroupLimits.read(root);
            String as = "seed " + seed + ", " + mutation + ", " + limits;
            for (Path file : files.stream().flatMap(List::stream).toList()) {
                if (!isSound(file)) {
                    spoiled++;
                    String name = file.toString().replace("cpu.cfs_period_us", "cpu.cfs_quota_us");
                    assertThat(limits.warnings()).as(as).anyMatch(text -> text.startsWith(name));
                }
            }
            mutation.undo();
        }
        assertThat(spoiled).as("files that hold nonsense").isGreaterThan(ROUNDS / 4);
    }

    private static void check(CgroupLimits limits) {
        assertThat(limits.quota()).isPositive();
        assertThat(limits.quotaWorkers()).isPositive();
        assertThat(limits.cpusetFile().isEmpty()).isEqualTo(limits.cpuset() == null);
        assertThat(limits.quotaFile().isEmpty()).isEqualTo(Double.isInfinite(limits.quota()));
        assertThat(limits.warnings()).doesNotHaveDuplicates().allMatch(text -> text.matches("\\P{Cntrl}+"));
        assertThat(new CpuLimits(CpuSet.range(0, 7), limits, Integer.MAX_VALUE).defaultWorkers())
                .isBetween(1, 8);
    }

    /** A file that is not there says nothing wrong. */
    private static boolean isSound(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            return false;
        }
        String name = file.getFileName().toString();
        boolean group = name.startsWith("cpu");
        return !Files.exists(file) || SOUND.get(name).test(group ? text(file).trim() : text(file));
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    private static List<List<Path>> files(Path root) {
        try (Stream<Path> all = Files.walk(root)) {
            Map<String, List<Path>> kinds = all.filter(Files::isRegularFile)
                    .sorted()
                    .collect(Collectors.groupingBy(
                            path -> path.getFileName().toString(), TreeMap::new, Collectors.toList()));
            return List.copyOf(kinds.values());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path memory() {
        return Jimfs.newFileSystem(Configuration.unix()).getPath("/machine");
    }

    private static long start(String kind, String test) {
        System.out.println("CgroupFuzzTest: " + kind + ", " + test + ", seeds from " + SEED + ", rounds " + ROUNDS);
        return SEED;
    }
}
