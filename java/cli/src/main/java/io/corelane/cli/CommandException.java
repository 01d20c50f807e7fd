// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli;

/** A command cannot go on; the message says why and is all that the user needs to see. */
public final class CommandException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what, with which value, was expected instead, and the next step
     * @param cause what was thrown
     */
    public CommandException(String message, Throwable cause) {
        super(message, cause);
    }
}
