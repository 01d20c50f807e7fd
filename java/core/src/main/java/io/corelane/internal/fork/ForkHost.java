// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.fork;

import org.jspecify.annotations.Nullable;

/**
 * Whoever a thread runs trees for: what a list of forks asks when it cannot go on by itself.
 *
 * <p><b>Thread safety:</b> for the thread of the list, but for {@link #alarm}.
 */
public abstract class ForkHost {
    /*
     * Messages. Who wants this thread to look at something, such as that its tree was cancelled, writes that first and
     * then lets the list look at Hunger.ALARM, which makes its next fork or join attend. The thread looks at the messages
     * after it has silenced the alarm or replaced the list.
     *
     * Ordering
     *   A1 <> A2  sender: message (volatile), then read of `list`, then write of its `hunger`, with a full fence before
     *             the last; thread: write of `hunger` or `list`, full fence, then read of the messages. One of the two
     *             sees the other
     */
    private final Hunger hunger;

    private volatile ForkList list;

    /**
     * Makes a host with an empty list.
     *
     * @param hunger who may ask for forks
     */
    protected ForkHost(Hunger hunger) {
        this.hunger = hunger;
        this.list = new ForkList(this, hunger);
    }

    /**
     * A fork or join has found that somebody asks for something, or the list has got a new object.
     *
     * @param list the list
     * @param renewed whether it has
     */
    protected abstract void attend(ForkList list, boolean renewed);

    /**
     * Returns whether one more fork would be shared at once.
     *
     * @param list the list
     * @return whether somebody asks for one
     */
    protected abstract boolean wantsFork(ForkList list);

    /**
     * Decides a join that is not the plain case; see {@link ForkNode#claim}.
     *
     * @param list the list
     * @param node what is joined
     * @return what is the newest fork now, if the caller is to run the fork; null if it has ended elsewhere
     */
    protected abstract @Nullable ForkNode claim(ForkList list, ForkNode node);

    /**
     * Cancels all forks that are newer than a given one and waits until those that others run have ended.
     *
     * @param below what stays
     * @param failure why; gets the failures of those others as suppressed ones
     */
    protected abstract void abandon(ForkNode below, Throwable failure);

    /**
     * Returns the list.
     *
     * @return the list that the thread uses now
     */
    public final ForkList list() {
        return list;
    }

    /**
     * Returns who may ask for forks.
     *
     * @return the same for all threads of a pool
     */
    public final Hunger hunger() {
        return hunger;
    }

    /** Replaces the list of the calling thread by a young copy. */
    final ForkList renew(ForkList old) {
        ForkList young = old.copy();
        list = young; // [A2] volatile
        ForkList.install(young);
        return young;
    }

    /** Makes the thread look at its messages in its next fork or join; for any thread, after it has left the message. */
    public final void alarm() {
        list.alarm(); // [A1]
    }
}
