// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.fork;

import org.jspecify.annotations.Nullable;

/**
 * What every fork is: a link of the private list of the thread that forked it, until the thread joins it or shares it.
 *
 * <p><b>Thread safety:</b> for the thread that forks; the body of a shared fork runs on the thread that has claimed it.
 */
public abstract class ForkNode {
    /*
     * How it works. A thread's forks that are not joined yet form a list from the newest, ForkList.top, to the oldest, by
     * `older`. A fork links itself in front and a join in the reverse order unlinks it there: plain loads and stores of
     * this thread alone, and a look at one word that says whether anybody is short of work (see Hunger). Only if somebody
     * is, the thread shares its oldest fork: from then on `shared` is an object with a claim, which stands in a queue,
     * and whoever claims that runs the fork.
     *
     * Invariants
     *   I1  older != null from fork() until the fork is unlinked: by a join, or because its parent failed
     *   I2  shared == null while nobody else can know of the fork; it is set by the forking thread alone
     *   I3  shared forks are the oldest of the list: if a fork is shared, so are all that are older
     *
     * No access here is ordered: what other threads need they get through the queue and the claim of the shared object.
     *
     * Why two words. The list is reached through a young object, and the links go from young objects to young ones: G1 up
     * to JDK 25 has a full fence in each store of a young object into an old one. See ForkList.
     *
     * Sources: the private list and the sharing of the oldest fork as in spice (judofyr/spice, src/root.zig); sharing on
     * demand instead of by a heartbeat; claims as in the rest of this scheduler.
     * We differ: an object for each fork, because Java has no pointers into frames; no thread that beats.
     */
    @Nullable
    ForkNode older;

    @Nullable
    ForkShare shared;

    /** For a subclass. */
    protected ForkNode() {}

    /**
     * Runs the body and returns its result, as an object.
     *
     * @return the result
     */
    protected abstract @Nullable Object callBoxed();

    /**
     * Makes this the newest fork of the calling thread.
     *
     * @throws IllegalStateException if it is forked already and not joined, or no tree runs on the calling thread
     */
    protected final void push() {
        ForkList list = ForkList.current();
        ForkNode top = list.top;
        if (top == null || older != null) {
            throw list.refusesFork(this);
        }
        older = top;
        list.top = this;
        if (--list.left < 0 || list.isAsked()) {
            list.attend();
        }
    }

    /**
     * Unlinks this if it is the newest fork of the calling thread, and private: the caller is to run it then.
     *
     * @return the fork below, for {@link #failed}; null if {@link #claim} has to decide
     */
    protected final @Nullable ForkNode pop() {
        ForkList list = ForkList.current();
        ForkNode below = older;
        if (list.top != this || shared != null) {
            return null;
        }
        list.top = below;
        older = null;
        if (list.isAsked()) {
            list.attend();
        }
        return below;
    }

    /**
     * Unlinks this wherever it is in the list of the calling thread. If somebody else runs it, waits for the end of that.
     *
     * @return what is the newest fork now, if the caller is to run this one; null if it has ended elsewhere: see
     *     {@link #sharedResult}
     * @throws IllegalStateException if the calling thread has not forked it, or has joined it already
     */
    protected final @Nullable ForkNode claim() {
        ForkList list = ForkList.current();
        return list.host.claim(list, this);
    }

    /**
     * Takes the result of a fork that ended elsewhere; after {@link #claim}, once.
     *
     * @return what {@link #callBoxed} returned
     */
    protected final @Nullable Object sharedResult() {
        ForkShare ended = shared;
        shared = null;
        if (ended == null) {
            throw new IllegalStateException(this + " has not ended elsewhere");
        }
        return ended.takeResult();
    }

    /**
     * To be thrown by a join whose fork has failed inside it. What the failed fork has forked itself and not joined is
     * cancelled before, and has ended then.
     *
     * @param below what {@link #pop} or {@link #claim} returned
     * @param failure what the body threw
     * @return never
     */
    protected static RuntimeException failed(ForkNode below, Throwable failure) {
        ForkList list = ForkList.current();
        if (list.top != below) {
            list.host.abandon(below, failure);
        }
        throw Sneaky.thrown(failure);
    }
}
