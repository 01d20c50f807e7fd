// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import io.corelane.benchmarks.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Where a report goes. That it cannot go there is found out before anything is measured, if that can be. */
final class OutputDirectory {
    private static final int PROBE_BYTES = 1 << 20; // as much as a report may have
    private static final String JSON = "report.json";
    private static final String CSV = "report.csv";
    private static final String MARKDOWN = "report.md";
    private static final String HTML = "report.html";

    private final Path path;
    private final Path forks;

    private OutputDirectory(Path path) {
        this.path = path;
        this.forks = path.resolve("forks");
    }

    /** Creates the directory if need be and tries that files can be written there. */
    static OutputDirectory open(Path path) throws CommandException {
        OutputDirectory directory = new OutputDirectory(path);
        try {
            Files.createDirectories(path);
            Files.createDirectories(directory.forks);
            probe(path);
            probe(directory.forks);
        } catch (IOException e) {
            throw CommandException.of("--out=" + path + ": cannot be written", e);
        }
        for (String name : List.of(JSON, CSV, MARKDOWN, HTML)) {
            if (Files.isDirectory(path.resolve(name))) {
                throw new CommandException("--out=" + path + ": " + name + " is a directory (remove or rename it)");
            }
        }
        return directory;
    }

    private static void probe(Path directory) throws IOException {
        Path probe = directory.resolve(".probe");
        WholeFile.write(probe, new byte[PROBE_BYTES]);
        Files.delete(probe);
    }

    /** Returns where the results of the JVMs are. */
    Path forks() {
        return forks;
    }

    void write(Report report) throws IOException {
        Json.write(path.resolve(JSON), report);
        CsvFile.write(path.resolve(CSV), report);
        WholeFile.write(path.resolve(MARKDOWN), MarkdownPage.of(report));
        WholeFile.write(html(), HtmlPage.of(report));
    }

    Path markdown() {
        return path.resolve(MARKDOWN);
    }

    Path html() {
        return path.resolve(HTML);
    }
}
