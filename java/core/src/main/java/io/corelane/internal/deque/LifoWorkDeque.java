// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.deque;

import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** A {@link WorkDeque} whose owner pops the newest job, without a CAS unless it is the last one. */
final class LifoWorkDeque extends WorkDeque {
    /*
     * The owner takes at the bottom, thieves at the top, and only the last job is fought over.
     *
     * Ordering, beside what WorkDeque lists
     *   F1 <> F2  pop writes bottom, then reads top; steal reads top, then bottom; with a full fence in between on both
     *             sides one of the two notices the other, so that the last job is not taken twice
     *
     * A batch steal is one CAS per job: with a single CAS for several the owner could pop, without a CAS, a job in the
     * middle of the range that is being claimed (crossbeam-rs/crossbeam#148).
     */
    LifoWorkDeque(long firstIndex, int minCapacity) {
        super(firstIndex, minCapacity);
    }

    @Override
    public void pushAll(@Nullable Object[] source, int from, int count) {
        long b = bottom; // plain: own writes (I1)
        Object[] ring = buffer;
        for (int i = 0; i < count; i++) { // in reverse, so that pops come in the order of the array
            ring[(int) (b + i) & (ring.length - 1)] = source[from + count - 1 - i]; // plain: W1 publishes them
            source[from + count - 1 - i] = null;
        }
        bottomRelease(b + count); // [W1] release, pairs R1
    }

    @Override
    public @Nullable Object pop() {
        long b = bottom - 1; // plain: own writes (I1)
        if (b - topAcquire() < 0) { // nothing to take: no need to lower bottom and pay for F1
            clearTaken(bottom);
            return null;
        }
        bottomRelease(b);
        VarHandle.fullFence(); // [F1] full, pairs F2: the lower bottom is visible before top is read
        long t = topAcquire();
        Object[] ring = buffer;
        int slot = (int) b & (ring.length - 1);
        if (b - t > 0) {
            Object job = ring[slot];
            ring[slot] = null;
            if (b - t < shrinkBelow) {
                shrink(t);
            }
            return job;
        }
        return popLast(b, t, ring, slot);
    }

    private @Nullable Object popLast(long b, long t, @Nullable Object[] ring, int slot) {
        Object job = null;
        if (b == t) {
            Object last = ring[slot];
            if (casTop(t, t + 1L)) { // [C1] volatile: ours, or a thief's
                job = last;
            }
        }
        bottomRelease(b + 1); // empty again: bottom == top
        clearTaken(b + 1);
        return job;
    }

    @Override
    public @Nullable Object steal() {
        long t = topAcquire(); // acquire, pairs C1
        VarHandle.fullFence(); // [F2] full, pairs F1: top is read before bottom
        long b = bottomAcquire(); // [R1] acquire, pairs W1: the slots below b are filled
        if (b - t <= 0) {
            return null;
        }
        Object job = slotOpaque(bufferAcquire(), t); // opaque: may be stale, then the CAS fails
        return casTop(t, t + 1L) ? job : RETRY; // [C1]
    }

    @Override
    public @Nullable Object stealBatch(WorkDeque thief, int max) {
        int half = (size() + 1) >> 1;
        int count = Math.min(max, half);
        if (count > 1) {
            thief.reserve(count - 1); // all allocation comes before the first claim
        }
        Object first = steal();
        if (first == null || first == RETRY) {
            return first;
        }
        for (int i = 1; i < count; i++) {
            Object job = steal();
            if (job == null || job == RETRY) {
                break;
            }
            thief.push(job);
        }
        return first;
    }
}
