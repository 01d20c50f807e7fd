// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads small files below one root. Names are relative to the root, as in {@code sys/devices/system/cpu/online}. */
final class KernelTree {
    /** Folder of the files about CPUs. */
    static final String CPU = "sys/devices/system/cpu/";

    /** Folder of the files about NUMA nodes. */
    static final String NODE = "sys/devices/system/node/";

    /** Far above the longest list or map that the kernel writes for 65,536 CPUs. */
    private static final int MAX_BYTES = 1 << 20;

    private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,4}");
    private static final int EXCERPT = 60;

    private final Path root;

    KernelTree(Path root) {
        this.root = root;
    }

    /** The path of a file as messages show it. */
    String path(String name) {
        return root.resolve(name).toString();
    }

    boolean isFolder(String name) {
        return Files.isDirectory(root.resolve(name));
    }

    /**
     * Returns the content of a file without white space and NUL bytes around it, or null if there is no such file.
     *
     * <p>Some captures kept a NUL at the end of each file; the kernel writes none.
     *
     * @throws IOException if there is one that cannot be read
     */
    @Nullable
    String text(String name) throws IOException {
        String text = text(name, MAX_BYTES);
        return text == null ? null : text.trim();
    }

    /** Returns the content of a file as it is, or null if there is no such file. */
    @Nullable
    String text(String name, int maxBytes) throws IOException {
        try (InputStream in = Files.newInputStream(root.resolve(name))) {
            byte[] bytes = in.readNBytes(maxBytes + 1);
            if (bytes.length > maxBytes) {
                throw new IOException("longer than " + maxBytes + " bytes");
            }
            return new String(bytes, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException absent) {
            return null;
        }
    }

    /**
     * Returns the numbers of the entries of a folder that are called {@code prefix} and a number; none if there is no
     * such folder. Numbers above {@link CpuSet#MAX_CPU} are left out.
     *
     * @throws TopologyException if the folder cannot be read
     */
    CpuSet numbered(String folder, String prefix) {
        TreeSet<Integer> numbers = new TreeSet<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(root.resolve(folder))) {
            for (Path entry : entries) {
                int number = number(String.valueOf(entry.getFileName()), prefix);
                if (number >= 0) {
                    numbers.add(number);
                }
            }
        } catch (NoSuchFileException | NotDirectoryException absent) {
            return CpuSet.empty();
        } catch (IOException | DirectoryIteratorException unreadable) {
            throw new TopologyException(
                    path(folder), "cannot be listed: " + unreadable + " (expected a readable folder)", unreadable);
        }
        return CpuSet.of(numbers.stream().mapToInt(Integer::intValue).toArray());
    }

    private static int number(String name, String prefix) {
        String digits = name.startsWith(prefix) ? name.substring(prefix.length()) : "";
        if (!NUMBER.matcher(digits).matches()) {
            return -1;
        }
        int number = Integer.parseInt(digits);
        return number <= CpuSet.MAX_CPU ? number : -1;
    }

    /** The content as messages show it: quoted, one line, at most {@value #EXCERPT} letters, nothing unprintable. */
    static String quote(String content) {
        StringBuilder text = new StringBuilder("\"");
        for (int i = 0; i < Math.min(content.length(), EXCERPT); i++) {
            char letter = content.charAt(i);
            boolean printable = letter >= ' ' && letter < 127;
            text.append(printable ? String.valueOf(letter) : String.format("\\x%02x", (int) letter));
        }
        return text.append(content.length() > EXCERPT ? "..." : "").append('"').toString();
    }
}
