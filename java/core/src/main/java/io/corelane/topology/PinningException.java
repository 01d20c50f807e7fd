// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

/**
 * A selection of CPUs cannot be met. The message names each CPU that stands in the way, with its reason, or how many there are
 * and how many were asked for.
 */
public final class PinningException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** Whether there are CPUs, but fewer than workers. */
    private final boolean tooManyWorkers;

    PinningException(String message, boolean tooManyWorkers) {
        super(message);
        this.tooManyWorkers = tooManyWorkers;
    }

    /**
     * Returns whether there are CPUs, but fewer than workers, and sharing is not allowed.
     *
     * @return whether fewer workers would do
     */
    public boolean isTooManyWorkers() {
        return tooManyWorkers;
    }
}
