// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Writes files below a directory, each to a temporary name beside its target and then, in one step, to its own.
 *
 * <p><b>Thread safety:</b> any thread may write. Once {@link #close} has returned, nothing is written any more and no
 * temporary file is left.
 */
final class OutputDirectory implements MarkdownSink, AutoCloseable {
    private final Path root;
    private final Set<Path> checked = ConcurrentHashMap.newKeySet();
    private final AtomicLong sequence = new AtomicLong();
    private final ReadWriteLock closing = new ReentrantReadWriteLock();
    private boolean closed;

    private OutputDirectory(Path root) {
        this.root = root;
    }

    /** Creates the directory if need be and tries that a file can be written there. */
    static OutputDirectory open(Path path) throws PageException {
        try {
            Files.createDirectories(path);
            OutputDirectory directory = new OutputDirectory(path.toRealPath());
            Path probe = directory.temporary(directory.root);
            Files.write(probe, new byte[0], CREATE_NEW, WRITE);
            Files.delete(probe);
            return directory;
        } catch (FileAlreadyExistsException e) {
            throw new PageException("--out=" + path + ": is a file (expected a directory, or a name that is free)", e);
        } catch (IOException e) {
            throw new PageException(
                    "--out=" + path + ": cannot be written: "
                            + Failure.of("", e).reason() + " (expected a directory in which files can be created)",
                    e);
        }
    }

    @Override
    public void write(String target, byte[] markdown) throws IOException {
        closing.readLock().lock();
        try {
            if (closed) {
                throw new PageException("was dropped: the command was told to stop");
            }
            writeWhole(root.resolve(target), markdown);
        } finally {
            closing.readLock().unlock();
        }
    }

    private void writeWhole(Path file, byte[] markdown) throws IOException {
        Path directory = file.getParent() == null ? root : file.getParent();
        prepare(directory);
        if (Files.isDirectory(file)) {
            throw new PageException(
                    "its Markdown would go to " + file + ", which is a directory (remove or rename it)");
        }
        Path temporary = temporary(directory);
        try {
            Files.write(temporary, markdown, CREATE_NEW, WRITE);
            Files.move(temporary, file, ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Creates a directory, and makes sure that no link on the way to it leads out of the output directory. */
    private void prepare(Path directory) throws IOException {
        if (checked.contains(directory)) {
            return;
        }
        if (!directory.normalize().startsWith(root)) {
            throw new PageException("its Markdown would go to " + directory + " (expected a path below " + root + ")");
        }
        try {
            Files.createDirectories(directory);
        } catch (FileAlreadyExistsException e) {
            throw new PageException("its directory " + directory + " is a file (remove or rename it)", e);
        }
        if (!directory.toRealPath().startsWith(root)) {
            throw new PageException("a link leads from " + directory + " to " + directory.toRealPath()
                    + " (expected a path below " + root + "; remove the link)");
        }
        checked.add(directory);
    }

    private Path temporary(Path directory) {
        return directory.resolve(
                ".corelane-" + ProcessHandle.current().pid() + "-" + sequence.getAndIncrement() + ".tmp");
    }

    @Override
    public void close() {
        closing.writeLock().lock();
        try {
            closed = true;
        } finally {
            closing.writeLock().unlock();
        }
    }
}
