// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.deque;

import org.jspecify.annotations.Nullable;

/** A {@link WorkDeque} whose owner pops the oldest job: every taker, owner or thief, moves {@code top} by CAS. */
final class FifoWorkDeque extends WorkDeque {
    /*
     * Since the owner never takes from the bottom, bottom only grows and no fence is needed: a batch steal copies the
     * jobs first and then claims all of them with one CAS [C1]. A copy that was stale loses that CAS, by I2 and I3.
     */
    FifoWorkDeque(long firstIndex, int minCapacity) {
        super(firstIndex, minCapacity);
    }

    @Override
    public void pushAll(@Nullable Object[] source, int from, int count) {
        long b = bottom; // plain: own writes (I1)
        Object[] ring = buffer;
        for (int i = 0; i < count; i++) {
            ring[(int) (b + i) & (ring.length - 1)] = source[from + i]; // plain: W1 publishes them
            source[from + i] = null;
        }
        bottomRelease(b + count); // [W1] release, pairs R1
    }

    @Override
    public @Nullable Object pop() {
        while (true) {
            long t = topAcquire(); // acquire, pairs C1: start from the latest steal
            if (t - clean > 0) {
                clearTaken(t);
            }
            if (bottom - t <= 0) {
                return null;
            }
            Object[] ring = buffer;
            int slot = (int) t & (ring.length - 1);
            Object job = ring[slot]; // plain: own writes (I1)
            if (casTop(t, t + 1L)) { // [C1] volatile: ours, or a thief's
                ring[slot] = null;
                clean = t + 1;
                if (bottom - t < shrinkBelow) {
                    shrink(t + 1);
                }
                return job;
            }
        }
    }

    @Override
    public @Nullable Object steal() {
        long t = topAcquire(); // acquire, pairs C1
        long b = bottomAcquire(); // [R1] acquire, pairs W1: the slots below b are filled
        if (b - t <= 0) {
            return null;
        }
        Object job = slotOpaque(bufferAcquire(), t); // opaque: may be stale, then the CAS fails
        return casTop(t, t + 1L) ? job : RETRY; // [C1]
    }

    @Override
    public @Nullable Object stealBatch(WorkDeque thief, int max) {
        long t = topAcquire(); // acquire, pairs C1
        long b = bottomAcquire(); // [R1] acquire, pairs W1
        int count = (int) Math.min(max, b - t - ((b - t) >> 1)); // half, rounded up
        if (count <= 0) {
            return null;
        }
        Object[] ring = bufferAcquire(); // after bottom: the ring holds all slots below b
        Object first = slotOpaque(ring, t);
        if (count == 1) {
            return casTop(t, t + 1L) ? first : RETRY; // [C1]
        }
        return claim(ring, t, count, thief) ? first : RETRY;
    }

    /** Copies the jobs t + 1 .. t + count - 1 into the thief's unpublished slots, then claims t .. t + count - 1. */
    private boolean claim(@Nullable Object[] ring, long t, int count, WorkDeque thief) {
        thief.reserve(count - 1); // all allocation comes before the claim: an OutOfMemoryError loses no job
        long b = thief.bottom; // plain: the caller owns the thief (I1)
        Object[] own = thief.buffer;
        for (int i = 1; i < count; i++) {
            own[(int) (b + i - 1) & (own.length - 1)] = slotOpaque(ring, t + i);
        }
        if (casTop(t, t + count)) { // [C1] volatile; the reads above cannot sink below it
            thief.bottomRelease(b + count - 1); // [W1] release, pairs R1
            return true;
        }
        for (int i = 1; i < count; i++) {
            own[(int) (b + i - 1) & (own.length - 1)] = null;
        }
        return false;
    }
}
