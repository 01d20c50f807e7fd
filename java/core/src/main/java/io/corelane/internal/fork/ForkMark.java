// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.fork;

import org.jspecify.annotations.Nullable;

/**
 * A bottom in a thread's list of forks: what lies above it was forked by one run, the root of a tree or a shared fork.
 */
public final class ForkMark extends ForkNode {
    final @Nullable ForkShare origin;
    /** Why what runs above is to stop; null if it is not. */
    private volatile @Nullable String cancelled;

    /** The next mark below, once {@link #link} has looked for it: before a fork above is shared, so who has that sees it. */
    private @Nullable ForkMark outer;

    private boolean linked;
    /** The job whose tree it is; for the root of a tree. */
    private @Nullable Object job;

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

    /**
     * Returns the next mark below.
     *
     * @return null if there is none, or it was not looked for
     */
    public @Nullable ForkMark outer() {
        return outer;
    }

    /**
     * Returns the job whose tree it is.
     *
     * @return null if there is none
     */
    public @Nullable Object job() {
        return job;
    }

    /**
     * Sets the job whose tree it is.
     *
     * @param current what runs on the thread
     */
    public void setJob(@Nullable Object current) {
        job = current;
    }

    void link() {
        if (!linked) {
            outer = ForkList.nearestMark(older);
            linked = true;
        }
    }

    /**
     * Asks what runs above to stop; for any thread. The thread that runs it has to be told.
     *
     * @param why the reason
     */
    public void cancel(String why) {
        cancelled = why;
    }

    /**
     * Returns why what runs above is to stop.
     *
     * @return null if it is not
     */
    public @Nullable String whyCancelled() {
        return cancelled;
    }

    @Override
    protected @Nullable Object callBoxed() {
        throw new AssertionError("a mark is no fork");
    }
}
