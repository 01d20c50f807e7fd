// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** A directory with duplicates, archives, one of them broken, and links that lead in a circle or nowhere. */
final class SampleTree {
    private SampleTree() {}

    static Path write(Path root) throws IOException {
        Path deep = Files.createDirectories(root.resolve("a/b/c"));
        Files.createDirectory(root.resolve("empty"));
        Files.writeString(root.resolve("one.txt"), "same");
        Files.writeString(deep.resolve("two.TXT"), "same");
        Files.writeString(deep.resolve("three.txt"), "other");
        Files.writeString(root.resolve("a/README"), "");
        Files.writeString(root.resolve("a/.hidden"), "x");
        Files.write(root.resolve("a/good.zip"), zip("in/", "", "in/four.txt", "same", "in/inner.jar", "no archive"));
        Files.writeString(root.resolve("a/bad.jar"), "no archive");
        Files.createSymbolicLink(deep.resolve("loop"), root);
        Files.createSymbolicLink(deep.resolve("dangling.txt"), Path.of("nowhere"));
        return root;
    }

    /** Returns what is in it. */
    static FileIndex index(Path root) throws IOException {
        TreeMap<String, FileIndex.ExtensionCounts> extensions = new TreeMap<>();
        extensions.put("", new FileIndex.ExtensionCounts(2, 0, 1, 2));
        extensions.put("txt", new FileIndex.ExtensionCounts(3, 1, 4 + 4 + 5 + 4, 2));
        extensions.put("jar", new FileIndex.ExtensionCounts(1, 1, 20, 1));
        extensions.put("zip", new FileIndex.ExtensionCounts(1, 0, Files.size(root.resolve("a/good.zip")), 1));
        String reason = "ZipException: zip END header not found";
        return new FileIndex(extensions, 2, 0, List.of(new Unread(root.resolve("a/bad.jar") + "!/", reason)));
    }

    /** Makes an archive; entries come as name, text, name, text. */
    static byte[] zip(String... entries) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream out = new ZipOutputStream(bytes)) {
            for (int i = 0; i < entries.length; i += 2) {
                out.putNextEntry(new ZipEntry(entries[i]));
                out.write(entries[i + 1].getBytes(StandardCharsets.UTF_8));
                out.closeEntry();
            }
        }
        return bytes.toByteArray();
    }
}
