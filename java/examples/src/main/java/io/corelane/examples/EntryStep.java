// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Hashes an entry of an archive.
 *
 * @param archive the archive, open until all its entries are read; its methods may be called from any thread
 * @param entry the entry
 */
record EntryStep(ZipFile archive, ZipEntry entry) implements Step {
    @Override
    public List<Step> run(Findings findings) {
        try (InputStream content = archive.getInputStream(entry)) {
            findings.addFact(Hashing.fact(entry.getName(), true, content));
        } catch (IOException e) {
            findings.addUnread(archive.getName() + "!/" + entry.getName(), e);
        }
        return List.of();
    }
}
