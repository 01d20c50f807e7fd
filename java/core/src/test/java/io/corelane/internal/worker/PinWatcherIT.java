// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.corelane.ChildJvm;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.ThreadAffinity;
import io.corelane.internal.worker.PinWatcherProgram.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pins that the system or another program takes away, for real: cpusets, CPUs that are switched off, taskset. */
class PinWatcherIT {
    private static final Path CPU_1 = Path.of("/sys/devices/system/cpu/cpu1/online");

    @BeforeEach
    void needsTwoCpus() {
        assumeTrue(ThreadAffinity.get().containsAll(CpuSet.of(0, 1)), "this process may not use CPUs 0 and 1");
    }

    @ParameterizedTest
    @EnumSource(names = {"CPUSET", "CPUSET_MOVES", "CPUSET_STAYS"})
    void aCpusetThatIsRewritten(Scenario scenario) throws Exception {
        try (Cpuset cpuset = Cpuset.create("0-1")) {
            String output = ChildJvm.run(
                    cpuset.enter(),
                    List.of(),
                    PinWatcherProgram.class,
                    scenario.name(),
                    cpuset.cpus().toString());
            assertThat(output).contains("all is as it should be");
        }
    }

    @Test
    void aCpuThatIsSwitchedOffAndOn() throws Exception {
        assumeTrue(Files.isWritable(CPU_1), "CPU 1 cannot be switched off here");
        try {
            run(Scenario.HOTPLUG, CPU_1.toString());
        } finally {
            Files.writeString(CPU_1, "1");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TASKSET_OF_A_THREAD", "TASKSET_OF_ALL"})
    void aMaskThatAnotherProgramChanges(Scenario scenario) throws Exception {
        run(scenario, "/");
    }

    private static void run(Scenario scenario, String place) throws Exception {
        assertThat(ChildJvm.run(List.of(), List.of(), PinWatcherProgram.class, scenario.name(), place))
                .contains("all is as it should be");
    }

    /** A cpuset of its own for a process; skips the test where there can be none. */
    private record Cpuset(Path folder) implements AutoCloseable {
        static Cpuset create(String cpus) throws IOException {
            Path old = Path.of("/sys/fs/cgroup/cpuset");
            Path unified = Path.of("/sys/fs/cgroup");
            boolean hasOld = Files.exists(old.resolve("cpuset.cpus"));
            Path controllers = unified.resolve("cgroup.subtree_control");
            boolean hasUnified =
                    Files.exists(controllers) && Files.readString(controllers).contains("cpuset");
            assumeTrue(hasOld || hasUnified, "there is no cpuset controller below " + unified);
            Path folder = (hasOld ? old : unified)
                    .resolve("corelane-pins-" + ProcessHandle.current().pid());
            try {
                Files.createDirectory(folder);
            } catch (IOException refused) {
                assumeTrue(false, "no cpuset can be made: " + refused);
            }
            Files.writeString(folder.resolve("cpuset.mems"), "0");
            Files.writeString(folder.resolve("cpuset.cpus"), cpus);
            return new Cpuset(folder);
        }

        Path cpus() {
            return folder.resolve("cpuset.cpus");
        }

        List<String> enter() {
            return List.of("sh", "-c", "echo $$ > '" + folder + "/cgroup.procs' && exec \"$@\"", "sh");
        }

        @Override
        public void close() throws IOException {
            Files.delete(folder);
        }
    }
}
