// SPDX-License-Identifier: Apache-2.0
package io.corelane;

/** A joined job threw; {@link #getCause} is what it threw. */
public final class JobFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Wraps what a job threw.
     *
     * @param cause what it threw
     */
    public JobFailedException(Throwable cause) {
        super(cause);
    }
}
