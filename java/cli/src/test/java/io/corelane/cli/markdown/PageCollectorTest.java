// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageCollectorTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private final PageCollector collector = new PageCollector();

    @AfterEach
    void closeArchives() throws IOException {
        collector.close();
    }

    private Path file(String name) throws IOException {
        Path file = dir.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, "<p>" + name);
    }

    private List<String> targets() {
        return collector.pages().stream().map(Page::target).sorted().toList();
    }

    private void assertFailure(String name, String reason) {
        assertThat(collector.failures()).singleElement().satisfies(failure -> {
            assertThat(failure.name()).endsWith(name);
            assertThat(failure.reason()).contains(reason);
        });
    }

    @Test
    void directoryIsWalkedAndOtherFilesAreSkipped() throws IOException {
        file("site/a.html");
        file("site/sub/b.HTM");
        file("site/style.css");

        collector.collect(List.of(dir.resolve("site")));

        assertThat(targets()).containsExactly("a.md", "sub/b.md");
        assertThat(collector.skipped()).isEqualTo(1);
        assertThat(collector.failures()).isEmpty();
    }

    @Test
    void archiveIsReadEntryByEntry() throws IOException {
        Path zip =
                Archives.zip(dir.resolve("docs.jar"), "a/", "", "a/b.html", "<p>b", "a/c.png", "\0", "META-INF/M", "");

        collector.collect(List.of(zip));

        assertThat(targets()).containsExactly("a/b.md");
        assertThat(collector.skipped()).isEqualTo(2);
        assertThat(collector.pages().get(0).content().read()).asString(UTF_8).isEqualTo("<p>b");
        assertThat(collector.pages().get(0).name()).isEqualTo(zip + "!/a/b.html");
        assertThat(collector.pages().get(0).bytes()).isEqualTo(4);
    }

    @Test
    void severalInputsGetDirectoriesOfTheirOwn() throws IOException {
        file("site/a.html");
        Path zip = Archives.zip(dir.resolve("docs.zip"), "a.html", "");

        collector.collect(List.of(dir.resolve("site"), zip, file("a.html")));

        assertThat(targets()).containsExactly("a.md", "docs/a.md", "site/a.md");
    }

    @Test
    void secondPageWithTheSameTargetIsAFailure() throws IOException {
        collector.collect(List.of(file("x/a.html"), file("y/a.htm")));

        assertThat(targets()).containsExactly("a.md");
        assertFailure("y/a.htm", "would go to a.md, which is that of " + dir.resolve("x/a.html"));
    }

    @Test
    void sameTargetsWithinAnArchiveAreAFailure() throws IOException {
        collector.collect(List.of(Archives.zip(dir.resolve("d.zip"), "a.html", "", "./a.html", "")));

        assertThat(targets()).containsExactly("a.md");
        assertFailure("d.zip!/./a.html", "would go to a.md");
    }

    @Test
    void entriesThatLeaveTheOutputDirectoryAreFailuresAndTheRestIsCollected() throws IOException {
        Path zip = Archives.zip(
                dir.resolve("evil.zip"),
                "../up.html",
                "",
                "/abs.html",
                "",
                "a\\b.html",
                "",
                "n\0l.html",
                "",
                "good.html",
                "");

        collector.collect(List.of(zip));

        assertThat(targets()).containsExactly("good.md");
        assertThat(collector.failures())
                .extracting(Failure::reason)
                .satisfiesExactlyInAnyOrder(
                        reason -> assertThat(reason).contains("leads out of the output directory"),
                        reason -> assertThat(reason).contains("absolute"),
                        reason -> assertThat(reason).contains("holds a backslash"),
                        reason -> assertThat(reason).contains("holds a NUL"));
    }

    @Test
    void archiveCutShortIsOneFailureWithoutPages() throws IOException {
        Path zip = Archives.zip(dir.resolve("cut.zip"), "a.html", "<p>a".repeat(1000), "b.html", "<p>b");
        Archives.cut(zip, 30);

        collector.collect(List.of(zip, file("other.html")));

        assertThat(targets()).containsExactly("other.md");
        assertFailure("cut.zip", "is no readable zip archive");
    }

    @Test
    void emptyFileNamedLikeAnArchiveIsAFailure() throws IOException {
        collector.collect(List.of(Files.createFile(dir.resolve("empty.zip"))));
        assertFailure("empty.zip", "is no readable zip archive");
    }

    @Test
    void damagedEntryIsRefusedWhenItIsRead() throws IOException {
        Path zip = dir.resolve("damaged.zip");
        Stored.zip(zip, "a.html", "<p>some text");
        Archives.flip(zip, "some text");

        collector.collect(List.of(zip));

        assertThatThrownBy(() -> collector.pages().get(0).content().read())
                .isInstanceOf(PageException.class)
                .hasMessageContaining("is damaged")
                .hasMessageContaining("expected 12 bytes");
    }

    @Test
    void inputThatDoesNotExistIsAFailureAndTheRestIsCollected() throws IOException {
        collector.collect(List.of(dir.resolve("missing"), file("a.html")));

        assertThat(targets()).containsExactly("a.md");
        assertFailure("missing", "does not exist (expected an HTML file, a directory, or a .zip or .jar archive)");
    }

    @Test
    void inputWithoutPagesIsAFailure() throws IOException {
        file("site/style.css");
        collector.collect(List.of(dir.resolve("site")));
        assertFailure("site", "holds no pages");
    }

    @Test
    void namedPipeIsRefusedAndNotWaitedFor() throws IOException, InterruptedException {
        Path pipe = dir.resolve("pipe.html");
        assumeTrue(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0, "mkfifo works here");

        collector.collect(List.of(pipe));

        assertFailure("pipe.html", "is a device or pipe");
    }

    @Test
    void loopOfSymbolicLinksIsAFailureAndTheWalkGoesOn() throws IOException {
        file("site/a.html");
        Files.createSymbolicLink(dir.resolve("site/loop"), dir.resolve("site"));

        collector.collect(List.of(dir.resolve("site")));

        assertThat(targets()).containsExactly("a.md");
        assertFailure("loop", "is a symbolic link to a directory above it");
    }
}
