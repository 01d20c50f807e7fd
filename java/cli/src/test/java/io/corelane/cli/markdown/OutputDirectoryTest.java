// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputDirectoryTest {
    private static final byte[] TEXT = "text".getBytes(UTF_8);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private List<String> files() throws IOException {
        try (Stream<Path> walk = Files.walk(dir)) {
            return walk.filter(Files::isRegularFile)
                    .map(file -> dir.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void filesAreWrittenWithTheirDirectoriesAndReplaceOlderOnes() throws IOException {
        try (OutputDirectory out = OutputDirectory.open(dir.resolve("new/out"))) {
            out.write("a/b.md", "old".getBytes(UTF_8));
            out.write("a/b.md", TEXT);
        }
        assertThat(files()).containsExactly("new/out/a/b.md");
        assertThat(dir.resolve("new/out/a/b.md")).hasContent("text");
    }

    @Test
    void olderFileIsReplacedInOneStepAndNotWrittenInto() throws IOException {
        Path older = Files.writeString(dir.resolve("a.md"), "older");
        Files.createLink(dir.resolve("link"), older);
        try (OutputDirectory out = OutputDirectory.open(dir)) {
            out.write("a.md", TEXT);
        }
        assertThat(dir.resolve("a.md")).hasContent("text");
        assertThat(dir.resolve("link")).hasContent("older");
    }

    @Test
    void fileInPlaceOfTheDirectoryIsRefused() throws IOException {
        Path file = Files.writeString(dir.resolve("file"), "x");
        assertThatThrownBy(() -> OutputDirectory.open(file))
                .isInstanceOf(PageException.class)
                .hasMessage("--out=" + file + ": is a file (expected a directory, or a name that is free)");
        assertThatThrownBy(() -> OutputDirectory.open(file.resolve("below"))).isInstanceOf(PageException.class);
    }

    @Test
    void directoryThatTakesNoFilesIsRefused() {
        assertThatThrownBy(() -> OutputDirectory.open(Path.of("/proc/self/corelane")))
                .isInstanceOf(PageException.class)
                .hasMessageContaining("cannot be written")
                .hasMessageContaining("expected a directory in which files can be created");
    }

    @Test
    void targetOutsideIsRefused() throws IOException {
        try (OutputDirectory out = OutputDirectory.open(dir.resolve("out"))) {
            assertThatThrownBy(() -> out.write("../evil.md", TEXT)).isInstanceOf(PageException.class);
            assertThatThrownBy(() -> out.write("/evil.md", TEXT)).isInstanceOf(PageException.class);
            assertThatThrownBy(() -> out.write("../new/evil.md", TEXT)).isInstanceOf(PageException.class);
        }
        assertThat(files()).isEmpty();
        assertThat(dir.resolve("new")).doesNotExist();
    }

    @Test
    void linkThatLeadsOutIsRefused() throws IOException {
        Path elsewhere = Files.createDirectory(dir.resolve("elsewhere"));
        try (OutputDirectory out = OutputDirectory.open(dir.resolve("out"))) {
            Files.createSymbolicLink(dir.resolve("out/link"), elsewhere);
            assertThatThrownBy(() -> out.write("link/a.md", TEXT)).hasMessageContaining("a link leads from");
        }
        assertThat(elsewhere).isEmptyDirectory();
    }

    @Test
    void whatIsInTheWayStaysAndNothingIsLeftBehind() throws IOException {
        try (OutputDirectory out = OutputDirectory.open(dir)) {
            Files.createDirectories(dir.resolve("a.md/full"));
            Files.writeString(dir.resolve("file"), "x");
            assertThatThrownBy(() -> out.write("a.md", TEXT)).hasMessageContaining("which is a directory");
            assertThatThrownBy(() -> out.write("file/b.md", TEXT)).hasMessageContaining("is a file");
            assertThatThrownBy(() -> out.write("x".repeat(300) + ".md", TEXT)).isInstanceOf(IOException.class);
        }
        assertThat(files()).containsExactly("file");
    }

    @Test
    void nothingIsWrittenAfterClose() throws IOException {
        OutputDirectory out = OutputDirectory.open(dir);
        out.close();
        assertThatThrownBy(() -> out.write("a.md", TEXT)).hasMessageContaining("dropped");
        assertThat(files()).isEmpty();
    }
}
