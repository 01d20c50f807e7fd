// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.internal.deque.WorkDeque;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The deques of threads that run trees and serve no worker, guests above all: there they put the forks they share, and
 * workers look into them after everything else.
 *
 * <p><b>Thread safety:</b> any thread may call anything.
 */
final class GuestDeques {
    /*
     * A fixed number of places. A thread that finds none free keeps its forks to itself. Entries are taken one at a time:
     * whoever takes one shares parts of it in its turn.
     *
     * Ordering
     *   G1 -> G2  places.volatile -> places.volatile: a deque is in its place before its owner pushes, so who is to see
     *             the push sees the deque
     */
    private static final int PLACES = 64;

    private final AtomicReferenceArray<@Nullable WorkDeque> places = new AtomicReferenceArray<>(PLACES);
    private final AtomicInteger taken = new AtomicInteger();

    /** Adds a deque; returns its place, or -1 if there is none. */
    int add(WorkDeque deque) {
        int start = ThreadLocalRandom.current().nextInt(PLACES);
        int before = taken.getAndIncrement(); // first: with 0, nobody looks into the places
        for (int i = 0; i < PLACES && before < PLACES; i++) {
            int place = (start + i) % PLACES;
            if (places.compareAndSet(place, null, deque)) { // [G1]
                return place;
            }
        }
        taken.getAndDecrement();
        return -1;
    }

    void remove(int place) {
        places.set(place, null);
        taken.getAndDecrement();
    }

    private boolean isEmpty() {
        return taken.get() == 0;
    }

    /** Returns whether there is anything in a deque. */
    boolean isAnyVisible() {
        for (int i = 0; i < PLACES && !isEmpty(); i++) {
            WorkDeque deque = places.get(i); // [G2]
            if (deque != null && !deque.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Takes a fork that nobody has claimed, if there is one. */
    @Nullable
    Object steal() {
        int start = isEmpty() ? 0 : ThreadLocalRandom.current().nextInt(PLACES);
        for (int i = 0; i < PLACES && !isEmpty(); i++) {
            WorkDeque deque = places.get((start + i) % PLACES); // [G2]
            Object fork = deque == null ? null : stealFrom(deque);
            if (fork != null) {
                return fork;
            }
        }
        return null;
    }

    private static @Nullable Object stealFrom(WorkDeque deque) {
        Object fork = deque.isEmpty() ? null : deque.steal();
        while (fork == WorkDeque.RETRY || (fork != null && ForkJob.isStale(fork))) {
            fork = deque.steal();
        }
        return fork;
    }

    /** Returns an unclaimed part of a fork, which stays where it is. */
    @Nullable
    ForkJob partOf(ForkJob fork) {
        for (int i = 0; i < PLACES && !isEmpty(); i++) {
            WorkDeque deque = places.get(i); // [G2]
            ForkJob part = deque == null ? null : fork.partIn(deque);
            if (part != null) {
                return part;
            }
        }
        return null;
    }
}
