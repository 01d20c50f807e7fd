// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import io.corelane.internal.fork.ForkNode;
import org.jspecify.annotations.Nullable;

/**
 * A fork without a result, or with one that it keeps in its own fields. See {@link AbstractFork} for how forks are used.
 */
public abstract non-sealed class ForkAction extends AbstractFork {
    /** For a subclass. */
    protected ForkAction() {}

    /** Does the work. A call from a user's code is a plain call. */
    protected abstract void compute();

    /**
     * Runs this if nobody has started it, or else waits until it has ended.
     *
     * @throws IllegalStateException if the caller has not forked it, or has joined it already
     * @throws java.util.concurrent.CancellationException if what the caller runs was cancelled
     */
    public final void join() {
        ForkNode below = pop();
        if (below == null) {
            below = claim();
            if (below == null) {
                Object ignored = sharedResult();
                return;
            }
        }
        try {
            compute();
        } catch (Throwable failure) {
            throw failed(below, failure);
        }
    }

    @Override
    protected final @Nullable Object callBoxed() {
        compute();
        return null;
    }
}
