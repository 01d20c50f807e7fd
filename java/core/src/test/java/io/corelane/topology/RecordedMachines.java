// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/** The machines in {@code src/test/resources/topologies}; the README there says what they are. */
public final class RecordedMachines {
    private static final String SUFFIX = ".tar.gz";

    private RecordedMachines() {}

    /** Returns the names of all machines, sorted. */
    public static List<String> names() {
        try (Stream<Path> files = Files.list(resource(""))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(SUFFIX))
                    .map(name -> name.substring(0, name.length() - SUFFIX.length()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Unpacks a machine into memory and returns its root; the memory is free again when nobody holds the path. */
    public static Path unpack(String name) {
        Path folder = memory().getPath("/");
        try (InputStream file = Files.newInputStream(resource(name + SUFFIX));
                TarArchiveInputStream tar =
                        new TarArchiveInputStream(new GZIPInputStream(new BufferedInputStream(file)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path target = folder.resolve(entry.getName());
                if (entry.isDirectory()) {
                    Files.createDirectories(target);
                } else {
                    Files.createDirectories(Objects.requireNonNull(target.getParent()));
                    Files.copy(tar, target);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return folder.resolve(name);
    }

    private static FileSystem memory() {
        return Jimfs.newFileSystem(
                Configuration.unix().toBuilder().setBlockSize(256).build());
    }

    /** Returns the lines of the expected file that are not comments. */
    static List<String> expected(String name) {
        try (Stream<String> lines = Files.lines(resource("expected/" + name + ".csv"))) {
            return lines.filter(line -> !line.startsWith("#") && !line.isBlank())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path resource(String name) {
        URL url = Objects.requireNonNull(
                RecordedMachines.class.getResource("/topologies/" + name), "no test resource topologies/" + name);
        try {
            return Path.of(url.toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
