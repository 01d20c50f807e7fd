// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects the pages below a directory; what cannot be read is a failure, and the walk goes on. */
final class DirectoryVisitor extends SimpleFileVisitor<Path> {
    static final Set<FileVisitOption> OPTIONS = Set.of(FileVisitOption.FOLLOW_LINKS);

    private final PageCollector collector;
    private final Path root;
    private final String prefix;

    DirectoryVisitor(PageCollector collector, Path root, String prefix) {
        this.collector = collector;
        this.root = root;
        this.prefix = prefix;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
        String path = root.relativize(file).toString();
        if (attributes.isRegularFile() && Targets.isHtml(path)) {
            try {
                collector.addFile(file, prefix + path, false);
            } catch (IOException | RuntimeException e) {
                collector.fail(file.toString(), e);
            }
        } else {
            collector.skip();
        }
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
        collector.fail(file.toString(), e);
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
        if (e != null) {
            collector.fail(directory.toString(), e);
        }
        return FileVisitResult.CONTINUE;
    }
}
