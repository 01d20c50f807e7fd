// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import io.corelane.internal.fork.ForkNode;
import org.jspecify.annotations.Nullable;

/**
 * A fork whose result is an object. See {@link AbstractFork} for how forks are used.
 *
 * @param <T> the type of the result
 */
public abstract non-sealed class Fork<T extends @Nullable Object> extends AbstractFork {
    /** For a subclass. */
    protected Fork() {}

    /**
     * Does the work. A call from a user's code is a plain call.
     *
     * @return the result
     */
    protected abstract T compute();

    /**
     * Runs this if nobody has started it, or else waits until it has ended; then returns its result.
     *
     * @return what {@link #compute} has returned
     * @throws IllegalStateException if the caller has not forked it, or has joined it already
     * @throws java.util.concurrent.CancellationException if what the caller runs was cancelled
     */
    public final T join() {
        ForkNode below = pop();
        if (below == null) {
            below = claim();
            if (below == null) {
                return result(sharedResult());
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

    @SuppressWarnings({"unchecked", "NullAway"}) // null is a result if T allows it
    private T result(@Nullable Object result) {
        return (T) result;
    }
}
