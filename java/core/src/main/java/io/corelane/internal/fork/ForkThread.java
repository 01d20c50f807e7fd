// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.fork;

import org.jspecify.annotations.Nullable;

/** A thread that has its list of forks at hand; other threads have theirs in {@link Guests}. */
public abstract class ForkThread extends Thread {
    /** The list of what runs here; replaced by the thread alone. Null until the thread belongs to a host. */
    @Nullable
    ForkList forks;

    /**
     * Makes a thread.
     *
     * @param name its name
     */
    protected ForkThread(String name) {
        super(null, null, name, 0, false); // what a job that blocks has in its thread is not for the spare thread
    }

    /**
     * Gives the thread the list of a host; before it is started.
     *
     * @param host whose trees it will run
     */
    protected final void useForks(ForkHost host) {
        forks = host.list();
    }
}
