// SPDX-License-Identifier: Apache-2.0
package io.corelane;

/**
 * A joined job threw; {@link #getCause} is what it threw. If that was such an exception as well, because the job had joined
 * another one, the message is that of the first failure.
 */
public final class JobFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Wraps what a job threw.
     *
     * @param cause what it threw
     */
    public JobFailedException(Throwable cause) {
        super(describe(cause), cause);
    }

    private static String describe(Throwable cause) {
        try {
            return cause instanceof JobFailedException ? String.valueOf(cause.getMessage()) : cause.toString();
        } catch (Throwable itsOwnFault) { // who joins has to learn of the cause all the same
            return cause.getClass().getName();
        }
    }
}
