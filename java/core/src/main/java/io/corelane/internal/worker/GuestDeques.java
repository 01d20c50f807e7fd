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

    private final AtomicReferenceArray<@Nullable Place> places = new AtomicReferenceArray<>(PLACES);
    private final AtomicInteger taken = new AtomicInteger();

    /** A deque in its place; for its owner. */
    static final class Place {
        final WorkDeque deque = WorkDeque.create(false);
        private int index;
    }

    GuestDeques() {
        Place place = enter(); // links the accesses, which needs memory, so that they do not break off half-way later
        if (place != null) {
            leave(place);
        }
    }

    /** Adds a deque; null if there is no place for it. */
    @Nullable
    Place enter() {
        if (taken.get() >= PLACES) {
            return null;
        }
        Place place = new Place();
        int start = ThreadLocalRandom.current().nextInt(PLACES);
        int ignored = taken.incrementAndGet(); // first: with 0, nobody looks into the places
        for (int i = 0; i < PLACES; i++) {
            place.index = (start + i) % PLACES;
            if (places.compareAndSet(place.index, null, place)) { // [G1]
                return place;
            }
        }
        ignored = taken.decrementAndGet();
        return null;
    }

    /** Takes a deque away; may be repeated if it broke off. */
    void leave(Place place) {
        if (places.compareAndSet(place.index, place, null)) {
            int ignored = taken.decrementAndGet();
        }
    }

    private boolean isEmpty() {
        return taken.get() == 0;
    }

    /** Returns whether there is anything in a deque. */
    boolean isAnyVisible() {
        for (int i = 0; i < PLACES && !isEmpty(); i++) {
            Place place = places.get(i); // [G2]
            if (place != null && !place.deque.isEmpty()) {
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
            Place place = places.get((start + i) % PLACES); // [G2]
            Object fork = place == null ? null : stealFrom(place.deque);
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
            Place place = places.get(i); // [G2]
            ForkJob part = place == null ? null : fork.partIn(place.deque);
            if (part != null) {
                return part;
            }
        }
        return null;
    }
}
