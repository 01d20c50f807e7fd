// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.fork;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The lists of threads that are no {@link ForkThread}s and run a tree at present. */
final class Guests {
    /*
     * A map by thread, and in front of it the guest that came last. `last` is read and written without order: a guest's
     * thread is final, so whoever finds itself in it has made it, and who does not looks into the map.
     */
    private static final ConcurrentMap<Thread, Guest> ALL = new ConcurrentHashMap<>();
    private static @Nullable Guest last;

    private Guests() {}

    private static final class Guest {
        final Thread thread;
        /** For the thread alone. */
        @Nullable
        ForkList forks;

        Guest(Thread thread) {
            this.thread = thread;
        }
    }

    static @Nullable ForkList of(Thread thread) {
        Guest guest = last;
        if (guest == null || guest.thread != thread) {
            guest = ALL.get(thread);
            if (guest == null) {
                return null;
            }
            last = guest;
        }
        return guest.forks;
    }

    /** Sets the list of the calling thread; null if it is no guest any more. */
    static void install(Thread thread, @Nullable ForkList forks) {
        Guest guest = ALL.get(thread);
        if (forks == null) {
            ALL.remove(thread);
            if (guest != null) {
                guest.forks = null;
            }
            last = null; // it would keep the thread reachable
            return;
        }
        if (guest == null) {
            guest = new Guest(thread);
            ALL.put(thread, guest);
        }
        guest.forks = forks;
        last = guest;
    }
}
