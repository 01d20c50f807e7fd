// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** A report with real JVMs, and its page in a real browser. */
class ReportIT {
    @TempDir
    Path directory;

    private static int report(StringWriter output, String... arguments) {
        CommandLine command = new CommandLine(new ReportCommand());
        command.setOut(new PrintWriter(output));
        command.setErr(new PrintWriter(output));
        return command.execute(arguments);
    }

    @Test
    void aSmokeRunMeasuresEverySubjectAndCanBeResumed() throws Exception {
        StringWriter output = new StringWriter();
        String out = directory.resolve("out").toString();
        assertThat(report(output, "--out", out, "--smoke")).as("%s", output).isZero();
        Report first = Json.read(Path.of(out, "report.json"), Report.class);
        assertThat(first.rawCosts()).containsKeys("CAS", "full fence", "JNA call (getpid)");
        assertThat(first.rawCosts().values()).allMatch(nanos -> nanos > 0);
        for (ForkResult result : first.results()) {
            boolean needsNewerJdk =
                    result.subject().equals("virtual") && Runtime.version().feature() < 21;
            assertThat(result.status())
                    .as("%s %s: %s", result.row(), result.subject(), result.message())
                    .isEqualTo(needsNewerJdk ? ForkResult.Status.SKIPPED : ForkResult.Status.OK);
        }
        assertThat(first.lines()).allMatch(line -> line.ratio() > 0);
        try (Stream<Path> logs = Files.list(Path.of(out, "forks"))) {
            assertThat(logs.filter(file -> file.toString().endsWith(".log")))
                    .as("what the JVMs of the forks printed")
                    .isEmpty();
        }
        Files.delete(Path.of(out, "forks", "execute-1x2-0.corelane.1.json"));
        assertThat(report(output, "--out", out, "--smoke", "--resume")).isZero();
        Report second = Json.read(Path.of(out, "report.json"), Report.class);
        assertThat(second.machine()).isEqualTo(first.machine());
        assertThat(second.rawCosts()).isEqualTo(first.rawCosts());
        assertThat(second.results()).hasSameSizeAs(first.results());
        assertThat(report(output, "--out", out, "--quick", "--resume"))
                .as("another profile")
                .isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1280, 390})
    void thePageDrawsItsChartsAtDesktopAndPhoneWidth(int width) throws Exception {
        Optional<Path> chromium = Stream.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
        assumeTrue(chromium.isPresent(), "no Chromium (expected /usr/bin/chromium, Debian package chromium)");
        Files.writeString(directory.resolve("report.html"), HtmlPage.of(Recorded.report()));
        Path frame = Files.writeString(directory.resolve("frame.html"), frame(width));
        String page = browse(chromium.get(), frame);
        String root = page.substring(page.indexOf("<html"), page.indexOf('>', page.indexOf("<html")));
        assertThat(root)
                .contains("data-charts=\"5\"")
                .contains("data-drawn=\"5\"")
                .contains("data-figures=\"10\"")
                .contains("data-width=\"" + width + "\"")
                .contains("data-overflow=\"false\"")
                .contains("data-injected=\"0\"");
    }

    /** A browser's window has a least width, a frame has none; what the page says of itself is passed on. */
    private static String frame(int width) {
        return "<!DOCTYPE html><html><body><iframe id='page' src='report.html' style='border:0' width='" + width
                + "' height='900' onload=\"const inner = document.getElementById('page').contentDocument;"
                + " Object.assign(document.documentElement.dataset, inner.documentElement.dataset,"
                + " { injected: inner.querySelectorAll('b').length })\"></iframe></body></html>";
    }

    private String browse(Path chromium, Path page) throws IOException, InterruptedException {
        Path console = directory.resolve("console");
        Path document = directory.resolve("document");
        Process browser = new ProcessBuilder(List.of(
                        chromium.toString(),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--allow-file-access-from-files",
                        "--user-data-dir=" + directory.resolve("profile"),
                        "--enable-logging=stderr",
                        "--window-size=1400,1000",
                        "--virtual-time-budget=10000",
                        "--dump-dom",
                        page.toUri().toString()))
                .redirectError(console.toFile())
                .redirectOutput(document.toFile())
                .start();
        try {
            assertThat(browser.waitFor(120, TimeUnit.SECONDS)).as("ended").isTrue();
        } finally {
            browser.destroyForcibly();
            browser.waitFor();
        }
        assertThat(Files.readAllLines(console, StandardCharsets.UTF_8))
                .as("what the page wrote to the console")
                .noneMatch(line -> line.contains("CONSOLE"));
        return Files.readString(document);
    }
}
