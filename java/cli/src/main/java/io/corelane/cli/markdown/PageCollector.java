// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Finds the pages in files, directories and archives. Reads names and sizes only; the pages themselves are read by their
 * jobs, from archives that stay open until the collector is closed.
 */
final class PageCollector implements AutoCloseable {
    private final Targets targets = new Targets();
    private final List<Page> pages = new ArrayList<>();
    private final List<Failure> failures = new ArrayList<>();
    private final List<PageArchive> archives = new ArrayList<>();
    private int skipped;

    /** Collects the pages of all inputs. With several inputs, a directory or archive gets a directory of its own. */
    void collect(List<Path> inputs) {
        for (Path input : inputs) {
            int before = pages.size() + failures.size();
            try {
                collect(input, inputs.size() > 1);
                if (pages.size() + failures.size() == before) {
                    throw new PageException("holds no pages (expected .html, .htm, .xhtml or .xht files in it)");
                }
            } catch (IOException | RuntimeException e) {
                fail(input.toString(), e);
            }
        }
    }

    private void collect(Path input, boolean several) throws IOException {
        String name = input.toString();
        String lower = name.toLowerCase(Locale.ROOT);
        if (Files.isDirectory(input)) {
            String prefix = several ? fileName(input.toRealPath()) + "/" : "";
            Files.walkFileTree(
                    input, DirectoryVisitor.OPTIONS, Integer.MAX_VALUE, new DirectoryVisitor(this, input, prefix));
        } else if (!Files.exists(input)) {
            throw new PageException("does not exist (expected an HTML file, a directory, or a .zip or .jar archive)");
        } else if (!Files.isRegularFile(input)) {
            throw new PageException("is a device or pipe (expected a file or a directory; save it to a file first)");
        } else if (lower.endsWith(".zip") || lower.endsWith(".jar")) {
            String file = fileName(input);
            String prefix = several ? file.substring(0, file.length() - ".zip".length()) + "/" : "";
            PageArchive archive = PageArchive.open(input);
            archives.add(archive);
            archive.collect(this, prefix);
        } else {
            addFile(input, fileName(input), true);
        }
    }

    private static String fileName(Path path) {
        Path name = path.getFileName();
        return name == null ? "root" : name.toString();
    }

    /** Adds a file of the file system as a page. */
    void addFile(Path file, String path, boolean named) throws IOException {
        String absolute = file.toAbsolutePath().normalize().toString();
        add(new Page(
                file.toString(),
                new Location("", absolute.substring(1)),
                targets.claim(path, file.toString()),
                Files.size(file),
                named,
                () -> Files.readAllBytes(file)));
    }

    /** Adds a page of an archive. */
    void addEntry(String name, Location location, String path, long bytes, PageContent content) throws PageException {
        add(new Page(name, location, targets.claim(path, name), bytes, false, content));
    }

    private void add(Page page) {
        pages.add(page);
    }

    void fail(String name, Throwable cause) {
        failures.add(Failure.of(name, cause));
    }

    void skip() {
        skipped++;
    }

    List<Page> pages() {
        return pages;
    }

    List<Failure> failures() {
        return failures;
    }

    int skipped() {
        return skipped;
    }

    @Override
    public void close() throws IOException {
        for (PageArchive archive : archives) {
            archive.close();
        }
    }
}
