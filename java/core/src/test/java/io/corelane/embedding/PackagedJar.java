// SPDX-License-Identifier: Apache-2.0
package io.corelane.embedding;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The jar of this build and what it depends on, as a user would put them on a path. */
final class PackagedJar {
    private PackagedJar() {}

    /** Returns the jar, absolute. */
    static Path jar() throws IOException {
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(Path.of("target"), "corelane-*.jar")) {
            for (Path jar : jars) {
                if (!jar.toString().contains("-javadoc") && !jar.toString().contains("-sources")) {
                    return jar.toAbsolutePath();
                }
            }
        }
        throw new AssertionError("target holds no corelane-*.jar: run the package phase first");
    }

    /** Returns the jars that it needs. */
    static List<Path> dependencies() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(path -> path.matches(".*/(jna|jctools-core)-[0-9.]+\\.jar"))
                .map(Path::of)
                .toList();
    }

    /** Copies the compiled classes named, without their neighbours, to a new directory; nested ones come along. */
    static Path classes(Path directory, Class<?>... programs) throws IOException {
        for (Class<?> program : programs) {
            Path folder = Path.of(program.getPackageName().replace('.', '/'));
            Files.createDirectories(directory.resolve(folder));
            try (DirectoryStream<Path> files = Files.newDirectoryStream(
                    Path.of("target", "test-classes").resolve(folder), program.getSimpleName() + "{,$*}.class")) {
                for (Path file : files) {
                    Files.copy(file, directory.resolve(folder).resolve(file.getFileName()));
                }
            }
        }
        return directory;
    }
}
