// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class MarkdownCommandTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int execute(String... arguments) {
        CommandLine commandLine = new CommandLine(new MarkdownCommand());
        commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return commandLine.execute(arguments);
    }

    private String html(String name, String content) throws IOException {
        return Files.writeString(dir.resolve(name), content).toString();
    }

    private String target() {
        return dir.resolve("out").toString();
    }

    @Test
    void wrongUsageIsTwoAndWritesNothing() throws IOException {
        String page = html("a.html", "x");
        assertThat(execute("--out", target())).isEqualTo(2);
        assertThat(execute(page)).isEqualTo(2);
        assertThat(execute(page, "--out", target(), "--workers", "0")).isEqualTo(2);
        assertThat(execute(page, "--out", target(), "--cpus", "0-")).isEqualTo(2);
        assertThat(execute(page, "--out", target(), "--rounds", "0")).isEqualTo(2);
        assertThat(execute(page, "--out", target(), "--nonsense")).isEqualTo(2);
        assertThat(err.toString()).contains("workers=0", "--cpus", "--rounds=0 (expected 1 or more)");
        assertThat(dir.resolve("out")).doesNotExist();
    }

    @Test
    void everythingConvertedIsZero() throws IOException {
        assertThat(execute(html("a.html", "<h1>A</h1>"), "--out", target(), "--workers", "1"))
                .isZero();
        assertThat(out.toString()).startsWith("1 documents converted in ").doesNotContain("failed:");
        assertThat(dir.resolve("out/a.md")).content().endsWith("# A\n");
    }

    @Test
    void oneFailureIsOneAndTheRestIsConverted() throws IOException {
        String bad = html("bad.html", "<meta charset=klingon>");
        String noise = html("noise.html", "\0\1\2\3");
        String good = html("good.html", "<p>good");

        assertThat(execute(bad, good, noise, dir.resolve("none.html").toString(), "--out", target(), "--workers", "1"))
                .isEqualTo(1);

        assertThat(out.toString())
                .startsWith("1 documents converted")
                .contains(
                        "3 failed",
                        bad + ": declares charset=\"klingon\"",
                        noise + ": is binary",
                        "none.html: does not exist");
        assertThat(dir.resolve("out"))
                .isDirectoryContaining("glob:**good.md")
                .isDirectoryNotContaining("glob:**bad.md");
    }

    @Test
    void jsonIsTheOnlyThingOnStandardOutput() throws IOException {
        assertThat(execute(
                        html("a.html", "x"),
                        "--out",
                        target(),
                        "--workers",
                        "1",
                        "--json",
                        "--compare",
                        "--rounds",
                        "1"))
                .isZero();
        JsonObject json = JsonParser.parseString(out.toString()).getAsJsonObject();
        assertThat(json.get("documents").getAsInt()).isEqualTo(1);
        assertThat(json.getAsJsonObject("comparison").getAsJsonArray("ways")).hasSize(3);
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void archiveEndsAsPagesWithLinksBetweenThem() throws IOException {
        Path zip = Archives.zip(
                dir.resolve("docs.zip"),
                "a/x.html",
                "<a href='../b.html#f'>b</a>",
                "b.html",
                "<h2 id=f>B</h2>",
                "c.css",
                "");

        assertThat(execute(zip.toString(), "--out", target(), "--workers", "1")).isZero();

        assertThat(out.toString()).contains("2 documents", "0 failed, 1 skipped");
        assertThat(dir.resolve("out/a/x.md")).content().contains("[b](../b.md#f)");
        assertThat(dir.resolve("out/b.md")).content().contains("<a id=\"f\"></a>\n\n## B");
    }
}
