// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexVersionsTest {
    @TempDir
    private Path root;

    @Test
    void allVersionsFindWhatIsThere() throws IOException {
        FileIndex expected = SampleTree.index(SampleTree.write(root));
        forAll(index -> assertThat(index).isEqualTo(expected));
    }

    @Test
    void anEmptyDirectoryHasAnEmptyIndex() {
        forAll(index -> assertThat(index).isEqualTo(FileIndex.of(new Findings())));
    }

    @Test
    void aDirectoryThatVanishesIsListed() throws IOException {
        Files.delete(root);
        forAll(index -> assertThat(index.unread())
                .containsExactly(new Unread(root.toString(), "NoSuchFileException: " + root)));
        Files.createDirectory(root);
    }

    @Test
    void aLongListAndADeepTreeAreFoundWhole() throws IOException {
        Path deep = root;
        for (int i = 0; i < 100; i++) {
            deep = Files.createDirectory(deep.resolve("d"));
            Files.writeString(deep.resolve("deep"), "deep");
        }
        for (int i = 0; i < 1_000; i++) {
            Files.writeString(root.resolve(i + ".n"), Integer.toString(i % 10));
        }
        forAll(index -> {
            assertThat(index.extensions().get("")).isEqualTo(new FileIndex.ExtensionCounts(100, 0, 400, 1));
            assertThat(index.extensions().get("n")).isEqualTo(new FileIndex.ExtensionCounts(1_000, 0, 1_000, 10));
        });
    }

    private void forAll(Consumer<FileIndex> assertion) {
        for (int workers = 1; workers <= 2; workers++) {
            try (Pools pools = Pools.start(workers)) {
                List<Version<Path, FileIndex>> versions = IndexVersions.of(pools);
                assertThat(versions)
                        .hasSize(3)
                        .allSatisfy(version -> assertion.accept(version.work().apply(root)));
            }
        }
    }
}
