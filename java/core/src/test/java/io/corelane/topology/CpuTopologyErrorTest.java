// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static io.corelane.topology.FakeMachine.CPU;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trees that do not say which CPUs are online: an error that names the file and what it holds. */
class CpuTopologyErrorTest {
    @TempDir
    private Path root;

    @ParameterizedTest
    @ValueSource(strings = {"0-", "3-1", "a", "0,,1", "0-65536", "-1", "99999999999", "0 1"})
    void onlineThatIsNonsense(String content) {
        FakeMachine machine = FakeMachine.complete(root, "0-3").file(CPU + "online", content);
        assertError(machine::read, "online", "holds \"" + content + "\" (expected a list as in 0-3,8)");
    }

    @Test
    void onlineThatIsEmpty() {
        FakeMachine machine = FakeMachine.complete(root, "0-3").file(CPU + "online", "");
        assertError(machine::read, "online", "is empty (expected a list as in 0-3,8)");
    }

    @Test
    void onlineThatCannotBeRead() {
        FakeMachine machine = FakeMachine.complete(root, "0-3").folder(CPU + "online");
        assertError(machine::read, "online", "cannot be read: ");
    }

    @Test
    void onlineThatNeverEnds() {
        FakeMachine machine = FakeMachine.complete(root, "0-3").file(CPU + "online", "0,".repeat(1 << 20));
        assertError(machine::read, "online", "longer than 1048576 bytes");
    }

    @Test
    void contentIsShownShortAndPrintable() {
        FakeMachine machine = FakeMachine.complete(root, "0-3").file(CPU + "online", "0\u001b[31m" + "x".repeat(500));
        assertThatThrownBy(machine::read)
                .hasMessageContaining("holds \"0\\x1b[31mxxx")
                .satisfies(error -> assertThat(error.getMessage()).doesNotContain("\u001b"))
                .hasMessageContaining("...\"");
    }

    @Test
    void aFolderWithoutCpus() {
        FakeMachine machine = new FakeMachine(root).file("etc/passwd", "");
        assertError(machine::read, "sys/devices/system/cpu", "no online CPU found, nor in proc/cpuinfo");
    }

    @Test
    void aRootThatIsNoFolder() {
        Path missing = root.resolve("missing");
        assertThatThrownBy(() -> CpuTopology.read(missing))
                .isInstanceOf(TopologyException.class)
                .hasMessage(missing + ": is not a folder (expected one with sys/devices/system/cpu)");
    }

    private void assertError(ThrowingCallable reading, String file, String problem) {
        assertThatThrownBy(reading).isInstanceOfSatisfying(TopologyException.class, error -> {
            assertThat(error.file()).startsWith(root.toString()).endsWith(file);
            assertThat(error.getMessage()).startsWith(error.file() + ": ").contains(problem);
        });
    }
}
