// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * A zip or jar archive of pages. An archive that is cut short has lost its directory, which is at the end, and does not
 * open; an entry whose size or checksum is wrong is not converted.
 */
final class PageArchive implements AutoCloseable {
    private final Path path;
    private final ZipFile zip;

    private PageArchive(Path path, ZipFile zip) {
        this.path = path;
        this.zip = zip;
    }

    static PageArchive open(Path path) throws IOException {
        try {
            return new PageArchive(path, new ZipFile(path.toFile()));
        } catch (ZipException e) {
            throw new PageException(
                    "is no readable zip archive: " + e.getMessage() + " (it may be cut short; fetch or pack it again)",
                    e);
        }
    }

    /** Adds the archive's pages to the collector. */
    void collect(PageCollector collector, String prefix) {
        Location root = new Location(path.toAbsolutePath().normalize() + "!", "");
        for (ZipEntry entry : new ArrayList<>(Collections.list(zip.entries()))) {
            String name = path + "!/" + entry.getName();
            if (entry.isDirectory() || !Targets.isHtml(entry.getName())) {
                if (!entry.isDirectory()) {
                    collector.skip();
                }
                continue;
            }
            try {
                String normalized = Targets.normalized(entry.getName());
                Location location = root.child(normalized);
                collector.addEntry(name, location, prefix + normalized, entry.getSize(), () -> read(entry));
            } catch (PageException e) {
                collector.fail(name, e);
            }
        }
    }

    private byte[] read(ZipEntry entry) throws IOException {
        byte[] page;
        try (InputStream in = zip.getInputStream(entry)) {
            long limit = Math.min(entry.getSize() + 1, Integer.MAX_VALUE - 8);
            page = in.readNBytes((int) limit);
        }
        CRC32 checksum = new CRC32();
        checksum.update(page);
        if (page.length != entry.getSize() || checksum.getValue() != entry.getCrc()) {
            throw new PageException(
                    "is damaged: size and checksum differ from those in the archive's directory (expected "
                            + entry.getSize() + " bytes; fetch the archive again)");
        }
        return page;
    }

    @Override
    public void close() throws IOException {
        zip.close();
    }
}
