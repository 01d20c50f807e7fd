// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.util.zip.ZipException;

/**
 * A page or input that was not converted.
 *
 * @param name the page or input
 * @param reason why, on one line
 */
record Failure(String name, String reason) {
    static Failure of(String name, Throwable cause) {
        return new Failure(name, reason(cause));
    }

    private static String reason(Throwable cause) {
        if (cause instanceof UncheckedIOException unchecked && unchecked.getCause() != null) {
            return reason(unchecked.getCause());
        }
        if (cause instanceof PageException) {
            return message(cause);
        }
        if (cause instanceof StackOverflowError) {
            return "StackOverflowError: nested too deep for this stack (give java a larger -Xss)";
        }
        if (cause instanceof OutOfMemoryError) {
            return "OutOfMemoryError: " + message(cause) + " (give java a larger -Xmx)";
        }
        if (cause instanceof InvalidPathException) {
            return message(cause) + " (expected a name in the file system's encoding; try LC_ALL=C.UTF-8)";
        }
        return cause instanceof IOException io
                ? ioReason(io)
                : cause.getClass().getSimpleName() + ": " + message(cause);
    }

    private static String ioReason(IOException cause) {
        if (cause instanceof NoSuchFileException) {
            return "does not exist (it, or the target of a link, may have been removed): " + message(cause);
        }
        if (cause instanceof AccessDeniedException) {
            return "permission denied: " + message(cause);
        }
        if (cause instanceof FileSystemLoopException) {
            return "is a symbolic link to a directory above it";
        }
        if (cause instanceof ZipException) {
            return "is damaged: " + message(cause) + " (fetch the archive again)";
        }
        return cause instanceof FileSystemException
                ? message(cause)
                : cause.getClass().getSimpleName() + ": " + message(cause);
    }

    private static String message(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? "no message" : message;
    }
}
