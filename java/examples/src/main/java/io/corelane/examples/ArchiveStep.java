// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/** Hashes an archive, and finds its entries; archives in it are files like others. */
final class ArchiveStep implements Step {
    private final Path file;
    private @Nullable ZipFile archive;

    ArchiveStep(Path file) {
        this.file = file;
    }

    static boolean isArchive(Path file) {
        String name = file.toString().toLowerCase(Locale.ROOT);
        return name.endsWith(".jar") || name.endsWith(".zip");
    }

    @Override
    public List<Step> run(Findings findings) {
        List<Step> none = new FileStep(file).run(findings);
        try {
            ZipFile opened = new ZipFile(file.toFile());
            archive = opened;
            return opened.stream()
                    .filter(entry -> !entry.isDirectory())
                    .<Step>map(entry -> new EntryStep(opened, entry))
                    .toList();
        } catch (IOException e) {
            findings.addUnread(file + "!/", e);
            return none;
        }
    }

    @Override
    public void end(Findings findings) {
        try {
            if (archive != null) {
                archive.close();
            }
        } catch (IOException e) {
            findings.addUnread(file.toString(), e);
        }
    }
}
