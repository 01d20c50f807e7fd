// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

/**
 * A selection of CPUs cannot be met. The message names each CPU that stands in the way, with its reason, or how many there are
 * and how many were asked for.
 */
public final class PinningException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    PinningException(String message) {
        super(message);
    }
}
