// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.fork;

import java.util.concurrent.CancellationException;

/** Adds to a failure those that came with it; not without limit, because one exception object may serve for many failures. */
public final class Suppressed {
    private static final int MOST = 64;

    private Suppressed() {}

    /**
     * Adds a failure to another one as suppressed, unless that has enough of them, or it is the same, or only says that
     * something was cancelled.
     *
     * @param failure what is thrown
     * @param other what is not thrown for it
     */
    public static void add(Throwable failure, Throwable other) {
        if (other == failure || other instanceof CancellationException) {
            return;
        }
        try {
            if (failure.getSuppressed().length < MOST) {
                failure.addSuppressed(other);
            }
        } catch (OutOfMemoryError noRoom) {
            // the failure itself is told
        }
    }
}
