// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import io.corelane.internal.fork.ForkNode;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A fork whose result is a double; it is boxed only if the fork runs on another thread. See {@link AbstractFork} for how forks are used.
 */
public abstract non-sealed class DoubleFork extends AbstractFork {
    /** For a subclass. */
    protected DoubleFork() {}

    /**
     * Does the work. A call from a user's code is a plain call.
     *
     * @return the result
     */
    protected abstract double compute();

    /**
     * Runs this if nobody has started it, or else waits until it has ended; then returns its result.
     *
     * @return what {@link #compute} has returned
     * @throws IllegalStateException if the caller has not forked it, or has joined it already
     * @throws java.util.concurrent.CancellationException if what the caller runs was cancelled
     */
    public final double join() {
        ForkNode below = pop();
        if (below == null) {
            below = claim();
            if (below == null) {
                return (Double) Objects.requireNonNull(sharedResult());
            }
        }
        try {
            return compute();
        } catch (Throwable failure) {
            throw failed(below, failure);
        }
    }

    @Override
    protected final @Nullable Object callBoxed() {
        return compute();
    }
}
