// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** A command cannot go on; the message says why and is all that the user needs to see. */
public final class CommandException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what, with which value, and what was expected instead
     */
    public CommandException(String message) {
        super(message);
    }

    private CommandException(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * Tells why a directory of an option cannot be used.
     *
     * @param what the option, its value, and what cannot be done
     * @param cause what was thrown
     * @return one line
     */
    public static CommandException of(String what, IOException cause) {
        String file = cause instanceof FileSystemException known && known.getFile() != null ? known.getFile() : "";
        String where = file.isEmpty() || what.contains("=" + file + ":") ? "" : file + ": ";
        return new CommandException(what + ": " + where + reason(cause), cause);
    }

    private static String reason(IOException cause) {
        if (cause instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        if (cause instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (cause instanceof FileAlreadyExistsException || cause instanceof NotDirectoryException) {
            return "is a file (expected a directory)";
        }
        String reason = cause instanceof FileSystemException known ? known.getReason() : cause.getMessage();
        return reason == null || reason.isBlank()
                ? cause.getClass().getSimpleName()
                : reason.lines().findFirst().orElse("");
    }
}
