// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the jar as users do. */
@Timeout(180)
class MarkdownIT {
    private static final int SIGINT = 2;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @SuppressWarnings("NullAway.Init")
    private Path out;

    @BeforeEach
    void nameOutput() {
        out = dir.resolve("out");
    }

    private Process start(List<String> options, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(options);
        command.addAll(List.of("-jar", System.getProperty("corelane.jar", "target/corelane.jar")));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectOutput(dir.resolve("stdout").toFile())
                .redirectError(dir.resolve("stderr").toFile())
                .start();
    }

    private int run(String... arguments) throws IOException, InterruptedException {
        return start(List.of(), arguments).waitFor();
    }

    private String stdout() throws IOException {
        return Files.readString(dir.resolve("stdout"), UTF_8);
    }

    private String stderr() throws IOException {
        return Files.readString(dir.resolve("stderr"), UTF_8);
    }

    private List<Path> files() throws IOException {
        if (!Files.exists(out)) {
            return List.of();
        }
        try (Stream<Path> walk = Files.walk(out)) {
            return walk.filter(Files::isRegularFile).toList();
        }
    }

    private String site() throws IOException {
        Path site = dir.resolve("site");
        Files.createDirectories(site.resolve("sub"));
        Files.writeString(
                site.resolve("index.html"),
                "<title>Start</title><nav>no</nav><h1>Hi</h1><a href='sub/p%20q.html#x'>p</a>");
        Files.writeString(
                site.resolve("sub/p q.html"),
                "<h2 id=x>P</h2><a href='../index.html'>up</a><a href='https://e.org/'>e</a>");
        return site.toString();
    }

    @Test
    void treeIsConvertedWithoutAWordOnStandardError() throws IOException, InterruptedException {
        assertThat(run("markdown", site(), "--out", out.toString()))
                .as(stderr())
                .isZero();

        assertThat(stdout()).startsWith("2 documents converted").contains("worker  CPU asked  CPU got");
        assertThat(stderr()).isEmpty();
        assertThat(out.resolve("index.md"))
                .content()
                .isEqualTo("---\ntitle: \"Start\"\nsource: \"" + dir.resolve("site/index.html")
                        + "\"\n---\n\n# Hi\n\n[p](sub/p%20q.md#x)\n");
        assertThat(out.resolve("sub/p q.md")).content().contains("[up](../index.md)[e](https://e.org/)");
    }

    @Test
    void jsonIsOneDocumentAndFailuresAreExitCodeOne() throws IOException, InterruptedException {
        Path bad = Files.writeString(dir.resolve("b\u00fcd.html"), "<meta charset=klingon>");

        assertThat(run(
                        "markdown",
                        site(),
                        bad.toString(),
                        "--out",
                        out.toString(),
                        "--json",
                        "--compare",
                        "--rounds",
                        "2"))
                .isEqualTo(1);

        JsonObject json = JsonParser.parseString(stdout()).getAsJsonObject();
        assertThat(json.get("documents").getAsInt()).isEqualTo(2);
        assertThat(json.getAsJsonArray("failures")).hasSize(1);
        assertThat(json.getAsJsonObject("comparison").getAsJsonArray("ways")).hasSize(3);
        assertThat(files()).hasSize(2);
    }

    @Test
    void usageErrorIsExitCodeTwoAndVersionIsThatOfTheJar() throws IOException, InterruptedException {
        assertThat(run("markdown", site())).isEqualTo(2);
        assertThat(stderr()).contains("Missing required option: '--out=DIR'").contains("Usage: corelane markdown");
        assertThat(run("--version")).isZero();
        assertThat(stdout()).startsWith("corelane 0.");
    }

    @Test
    void outputThatCannotBeWrittenIsAMessageAndExitCodeOne() throws IOException, InterruptedException {
        Path file = Files.writeString(dir.resolve("file"), "");
        assertThat(run("markdown", site(), "--out", file.toString())).isEqualTo(1);
        assertThat(stderr())
                .isEqualTo("corelane markdown: --out=" + file
                        + ": is a file (expected a directory, or a name that is free)" + System.lineSeparator());
        assertThat(stdout()).isEmpty();
    }

    @Test
    void reportThatCannotBeWrittenIsAMessageAndExitCodeOne() throws IOException, InterruptedException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "/dev/full exists");
        for (List<String> command : List.of(
                List.of("markdown", site(), "--out", out.toString()),
                List.of("plan", "--cpus", "0"),
                List.of("topology"),
                List.of("--help"))) {
            List<String> all = new ArrayList<>(List.of(
                    System.getProperty("java.home") + "/bin/java",
                    "-jar",
                    System.getProperty("corelane.jar", "target/corelane.jar")));
            all.addAll(command);
            Process process = new ProcessBuilder(all)
                    .redirectOutput(full.toFile())
                    .redirectError(dir.resolve("stderr").toFile())
                    .start();
            assertThat(process.waitFor()).as("%s", command).isEqualTo(1);
            assertThat(stderr()).contains("the report could not be written to standard output");
        }
        assertThat(files()).hasSize(2);
    }

    @Test
    void cpuThatIsNotThereIsAMessageAndNoStackTrace() throws IOException, InterruptedException {
        assertThat(run("markdown", site(), "--out", out.toString(), "--cpus", "65535"))
                .isBetween(1, 2);
        assertThat(stderr()).contains("65535").doesNotContain("\tat ");
        assertThat(files()).isEmpty();
    }

    @Test
    void pagesThatExhaustTheMachineAreOneLineEach() throws IOException, InterruptedException {
        Path pages = Files.createDirectory(dir.resolve("pages"));
        Files.writeString(pages.resolve("deep.html"), "<b><i><u>".repeat(20_000) + "x");
        Files.writeString(pages.resolve("huge.html"), "<p>" + "x".repeat(20_000_000));
        Files.writeString(pages.resolve("good.html"), "<p>good");

        Process process = start(List.of("-Xmx64m"), "markdown", pages.toString(), "--out", out.toString());

        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(stdout()).contains("1 failed").containsOnlyOnce("huge.html: has 20000003 bytes, which may take ");
        assertThat(stderr()).isEmpty();
        assertThat(out.resolve("good.md")).exists();
        assertThat(out.resolve("deep.md")).exists();
    }

    @Test
    void sigtermEndsItWithAReportAndWithoutHalfAFile() throws IOException, InterruptedException {
        interrupt(15, 143);
    }

    @Test
    void sigintEndsItWithAReportAndWithoutHalfAFile() throws IOException, InterruptedException {
        assumeTrue(!isIgnored(SIGINT), "SIGINT is not ignored here, as it is in a background job of sh");
        interrupt(SIGINT, 130);
    }

    private static boolean isIgnored(int signal) throws IOException {
        String line = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(status -> status.startsWith("SigIgn:"))
                .findFirst()
                .orElse("SigIgn: 0");
        return (Long.parseUnsignedLong(line.substring(7).strip(), 16) >> (signal - 1) & 1) == 1;
    }

    private void interrupt(int signal, int exitCode) throws IOException, InterruptedException {
        int pages = 30_000;
        String zip = manyPages(pages);
        Process process = start(List.of(), "markdown", zip, "--out", out.toString(), "--workers", "1", "--json");
        while (!hasStarted() && process.isAlive()) {
            process.waitFor(20, TimeUnit.MILLISECONDS);
        }
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                .start()
                .waitFor();

        assertThat(process.waitFor()).as(stderr()).isEqualTo(exitCode);

        JsonObject json = JsonParser.parseString(stdout()).getAsJsonObject();
        int converted = json.get("documents").getAsInt();
        assertThat(json.get("interrupted").getAsBoolean()).isTrue();
        assertThat(converted + json.get("dropped").getAsInt()).isEqualTo(pages);
        assertThat(files())
                .hasSize(converted)
                .allSatisfy(
                        file -> assertThat(file).hasExtension("md").content().endsWith("the end\n"));
    }

    /** Looks at names alone: files come, are renamed and go while the command runs. */
    private boolean hasStarted() throws IOException {
        if (!Files.exists(out)) {
            return false;
        }
        try (DirectoryStream<Path> names = Files.newDirectoryStream(out)) {
            return names.iterator().hasNext();
        }
    }

    private String manyPages(int pages) throws IOException {
        Path zip = dir.resolve("many.zip");
        byte[] page = ("<p>" + "some text ".repeat(300) + "<p>the end").getBytes(UTF_8);
        try (ZipOutputStream archive = new ZipOutputStream(Files.newOutputStream(zip))) {
            for (int i = 0; i < pages; i++) {
                archive.putNextEntry(new ZipEntry(i + ".html"));
                archive.write(page);
            }
        }
        return zip.toString();
    }
}
