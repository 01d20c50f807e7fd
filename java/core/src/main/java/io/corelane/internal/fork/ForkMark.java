// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.fork;

import org.jspecify.annotations.Nullable;

/**
 * A bottom in a thread's list of forks: what lies above it was forked by one run, the root of a tree or a shared fork.
 */
public final class ForkMark extends ForkNode {
    final @Nullable ForkShare origin;

    ForkMark(@Nullable ForkShare origin, @Nullable ForkNode older) {
        this.origin = origin;
        this.older = older;
    }

    /**
     * Returns the shared fork that runs above this mark.
     *
     * @return null if it is the root of a tree
     */
    public @Nullable ForkShare origin() {
        return origin;
    }

    @Override
    protected @Nullable Object callBoxed() {
        throw new AssertionError("a mark is no fork");
    }
}
