// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.corelane.ChildJvm;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.ThreadAffinity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A system that has no more threads to give, or refuses a pin, when a scheduler starts and when it runs. */
class ThreadLimitIT {
    /** A process in a pids cgroup of its own; it sets and lifts the limit itself. */
    @ParameterizedTest
    @EnumSource(ThreadLimitProgram.Scenario.class)
    void underAThreadLimit(ThreadLimitProgram.Scenario scenario) throws Exception {
        Path group = newGroup();
        try {
            List<String> inGroup = List.of("sh", "-c", "echo $$ > '" + group + "/cgroup.procs' && exec \"$@\"", "sh");
            List<String> options = List.of("-XX:-UseDynamicNumberOfCompilerThreads");
            String output = ChildJvm.run(inGroup, options, ThreadLimitProgram.class, scenario.name(), group.toString());
            assertThat(output).contains("all is as it should be");
        } finally {
            remove(group);
        }
    }

    @Test
    void aPinThatIsRefusedForOneWorkerLeavesNoneBehind() throws Exception {
        CpuSet online = CpuSet.parse(
                Files.readString(Path.of("/sys/devices/system/cpu/online")).strip());
        String output = ChildJvm.run(
                List.of(),
                List.of(),
                RefusedPinProgram.class,
                Integer.toString(ThreadAffinity.get().first()),
                Integer.toString(online.last() + 1)); // offline, or not there
        assertThat(output).contains("all is as it should be");
    }

    private static Path newGroup() throws IOException {
        Path old = Path.of("/sys/fs/cgroup/pids");
        Path unified = Path.of("/sys/fs/cgroup");
        boolean hasOld = Files.exists(old.resolve("cgroup.procs"));
        Path controllers = unified.resolve("cgroup.subtree_control");
        boolean hasUnified = !hasOld
                && Files.exists(controllers)
                && Files.readString(controllers).contains("pids");
        assumeTrue(hasOld || hasUnified, "there is no pids controller below " + unified);
        Path group = (hasOld ? old : unified)
                .resolve("corelane-test-" + ProcessHandle.current().pid());
        try {
            Files.createDirectory(group);
        } catch (IOException e) {
            assumeTrue(false, "a cgroup cannot be made here: " + e);
        }
        return group;
    }

    private static void remove(Path group) throws IOException, InterruptedException {
        for (int i = 0;
                i < 1_000 && !Files.readString(group.resolve("cgroup.procs")).isEmpty();
                i++) {
            TimeUnit.MILLISECONDS.sleep(10); // a process that was killed is still on its way out
        }
        Files.delete(group);
    }
}
