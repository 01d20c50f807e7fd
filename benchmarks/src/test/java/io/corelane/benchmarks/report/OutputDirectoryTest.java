// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.corelane.benchmarks.CommandException;
import io.corelane.benchmarks.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class OutputDirectoryTest {
    private static final Path FULL = Path.of("/dev/full");

    @TempDir
    Path directory;

    private static void assertRefusedBeforeTheFirstJvm(Path out, String message) {
        StringWriter printed = new StringWriter();
        StringWriter errors = new StringWriter();
        CommandLine command = Main.commandLine();
        command.setOut(new PrintWriter(printed)).setErr(new PrintWriter(errors));
        assertThat(command.execute("report", "--smoke", "--rows=waiting", "--out", out.toString()))
                .isEqualTo(1);
        assertThat(errors.toString())
                .isEqualTo("benchmarks report: --out=" + out + ": " + message + System.lineSeparator());
        assertThat(printed.toString()).isEmpty();
    }

    @Test
    void aFileIsRefused() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        assertRefusedBeforeTheFirstJvm(file, "cannot be written: is a file (expected a directory)");
        Path below = file.resolve("below");
        assertRefusedBeforeTheFirstJvm(below, "cannot be written: Not a directory");
    }

    @Test
    void aPlaceInWhichNoDirectoryCanBeMadeIsRefused() {
        assertRefusedBeforeTheFirstJvm(Path.of("/proc/x"), "cannot be written: no such file or directory");
    }

    @Test
    void aNameThatADirectoryHasIsRefused() throws IOException {
        Files.createDirectory(directory.resolve("report.html"));
        assertRefusedBeforeTheFirstJvm(directory, "report.html is a directory (remove or rename it)");
    }

    @Test
    void aFullDiskIsRefusedAndLeavesNothing() throws IOException {
        assumeTrue(Files.exists(FULL), "/dev/full exists");
        Files.createSymbolicLink(directory.resolve(".probe.part"), FULL);
        assertRefusedBeforeTheFirstJvm(directory, "cannot be written: No space left on device");
        assertThat(directory).isDirectoryNotContaining(path -> path.toString().contains(".probe"));
    }

    @Test
    void aPageThatCannotBeWrittenLeavesTheOneBefore() throws Exception {
        assumeTrue(Files.exists(FULL), "/dev/full exists");
        OutputDirectory out = OutputDirectory.open(directory);
        Files.writeString(out.html(), "before");
        Path part = Files.createSymbolicLink(directory.resolve("report.html.part"), FULL);
        assertThatThrownBy(() -> out.write(Recorded.report())).hasMessageContaining("No space left on device");
        assertThat(out.html()).hasContent("before");
        assertThat(part).doesNotExist();
        assertThat(directory.resolve("report.md")).isNotEmptyFile();
    }

    @Test
    void theReasonNamesTheFileIfItIsAnother() {
        assertThat(CommandException.of("--out=a: cannot go on", new AccessDeniedException("a/b")))
                .hasMessage("--out=a: cannot go on: a/b: permission denied");
        assertThat(CommandException.of("--out=a: cannot go on", new IOException("No space left on device")))
                .hasMessage("--out=a: cannot go on: No space left on device");
    }
}
