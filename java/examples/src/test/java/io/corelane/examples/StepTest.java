// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StepTest {
    @TempDir
    private Path root;

    private final Findings findings = new Findings();

    @Test
    void aFileIsHashed() throws IOException {
        Path file = Files.writeString(root.resolve("a.b.C"), "abc");
        assertThat(new FileStep(file).run(findings)).isEmpty();
        assertThat(findings.facts())
                .containsExactly(new FileFact(
                        "c", false, 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        assertThat(findings.unread()).isEmpty();
    }

    @Test
    void aFileThatHasVanishedIsUnread() {
        assertThat(new FileStep(root.resolve("gone")).run(findings)).isEmpty();
        assertThat(findings.facts()).isEmpty();
        assertThat(findings.unread())
                .containsExactly(
                        new Unread(root.resolve("gone").toString(), "NoSuchFileException: " + root.resolve("gone")));
    }

    @Test
    void aFileThatMayNotBeReadIsUnread() throws IOException {
        Path file = Files.writeString(root.resolve("secret"), "x");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
        assumeFalse(Files.isReadable(file), "the user of this test reads it all the same");
        assertThat(new FileStep(file).run(findings)).isEmpty();
        assertThat(findings.unread()).containsExactly(new Unread(file.toString(), "AccessDeniedException: " + file));
    }

    @Test
    void anArchiveThatHasVanishedIsUnreadAsFileAndAsArchive() {
        ArchiveStep step = new ArchiveStep(root.resolve("gone.zip"));
        assertThat(step.run(findings)).isEmpty();
        step.end(findings);
        assertThat(findings.facts()).isEmpty();
        assertThat(findings.unread())
                .extracting(Unread::path)
                .containsExactly(root.resolve("gone.zip").toString(), root.resolve("gone.zip") + "!/");
    }

    @Test
    void aDamagedEntryIsUnreadAndTheOthersAreRead() throws IOException {
        Path file = root.resolve("a.zip");
        byte[] archive = SampleTree.zip("first", "x".repeat(1_000), "second", "text");
        int content = new String(archive, StandardCharsets.ISO_8859_1).indexOf("first") + "first".length();
        archive[content] = (byte) 0xff;
        Files.write(file, archive);
        ArchiveStep step = new ArchiveStep(file);
        List<Step> entries = step.run(findings);
        assertThat(entries).hasSize(2);
        entries.forEach(entry -> assertThat(entry.run(findings)).isEmpty());
        step.end(findings);
        assertThat(findings.unread()).extracting(Unread::path).containsExactly(file + "!/first");
        assertThat(findings.facts()).extracting(FileFact::bytes).containsExactly((long) archive.length, 4L);
    }

    @Test
    void aDirectoryHasAStepForEachFileAndDirectory() throws IOException {
        Path file = Files.createFile(root.resolve("f"));
        Path directory = Files.createDirectory(root.resolve("d"));
        Files.createSymbolicLink(root.resolve("l"), directory);
        assertThat(new DirectoryStep(root).run(findings))
                .containsExactlyInAnyOrder(new FileStep(file), new DirectoryStep(directory));
        assertThat(findings.links()).isEqualTo(1);
    }

    @Test
    void extensionsAreInSmallLettersAndHiddenFilesHaveNone() {
        assertThat(FileFact.extensionOf("x/y.tar.GZ")).isEqualTo("gz");
        assertThat(FileFact.extensionOf("x.d/y")).isEmpty();
        assertThat(FileFact.extensionOf("x/.profile")).isEmpty();
        assertThat(FileFact.extensionOf("x/.profile.bak")).isEqualTo("bak");
        assertThat(FileFact.extensionOf("x/y.")).isEmpty();
    }
}
