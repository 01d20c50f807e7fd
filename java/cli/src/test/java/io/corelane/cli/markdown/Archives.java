// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Makes zip archives for tests, sound and broken ones. */
final class Archives {
    private Archives() {}

    /** Writes an archive; entries come as name, text, name, text. */
    static Path zip(Path path, String... entries) throws IOException {
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(path))) {
            for (int i = 0; i < entries.length; i += 2) {
                out.putNextEntry(new ZipEntry(entries[i]));
                out.write(entries[i + 1].getBytes(StandardCharsets.UTF_8));
                out.closeEntry();
            }
        }
        return path;
    }

    /** Cuts bytes off the end of a file. */
    static void cut(Path path, int bytes) throws IOException {
        byte[] content = Files.readAllBytes(path);
        Files.write(path, Arrays.copyOf(content, content.length - bytes));
    }

    /** Flips the bits of one byte where a text stands in a file that is not compressed. */
    static void flip(Path path, String text) throws IOException {
        byte[] content = Files.readAllBytes(path);
        int at = new String(content, StandardCharsets.ISO_8859_1).indexOf(text);
        content[at] ^= (byte) 0x01;
        Files.write(path, content);
    }
}
