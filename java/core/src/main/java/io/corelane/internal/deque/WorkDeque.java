// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.deque;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A worker's own queue of jobs: the owner pushes and pops, any other thread steals the oldest.
 *
 * <p><b>Thread safety:</b> {@link #push}, {@link #pushAll}, {@link #pop}, {@link #reserve} and {@link #trim} are for
 * the owner; the rest is for any thread. Ownership may pass to another thread over a happens-before edge.
 *
 * <p><b>Memory effects:</b> what the owner did before {@code push(job)} is visible to whoever receives that job.
 */
public abstract class WorkDeque extends WorkDequeFields.Tail {
    /*
     * How it works. A Chase-Lev deque. Jobs are in [top, bottom) of a ring that the owner replaces when it is full or
     * far too large. The two subclasses differ in the end at which the owner pops, and so in what a batch steal costs.
     *
     * Invariants
     *   I1  bottom, buffer and the slots are written by the owner alone; thieves never write into a victim
     *   I2  top only grows, by CAS; whoever moves it from i to i + n has taken the jobs i .. i + n - 1
     *   I3  a slot is refilled only for an index that is a ring's length higher, after top was seen past the old one
     *   I4  a replaced ring is never written again, so a thief that still holds it reads either the right job or loses
     *       its CAS
     *
     * Not guaranteed
     *   N1  bottom >= top: a LIFO pop of an empty deque lowers bottom by one for a moment
     *   N2  that size() is still true when it returns
     *   N3  that a stolen job can be collected at once: its slot holds it until the owner next finds the deque empty
     *
     * Ordering
     *   W1 -> R1  bottom.release -> bottom.acquire: a thief that sees the new bottom sees the slots below it, and the
     *             ring that holds them (which is why it reads the ring after bottom)
     *   C1 -> R2  CAS of top -> top.acquire: the owner refills a slot only after the thief that took it has read it
     *   LifoWorkDeque adds F1 <> F2.
     *
     * Indices are 64-bit and compared by difference, so they may wrap; tests start just below the wrap.
     *
     * Sources: Chase and Lev, SPAA 2005; memory orders from Le, Pop, Cohen and Zappa Nardelli, PPoPP 2013; copy first
     * and claim with one CAS, as runqgrab in Go's runtime/proc.go does.
     * We differ: rings shrink again, and are renewed; the owner clears slots; FIFO pops and batch steals are one CAS on top.
     */

    /** What a steal returns when it lost a race: there may be jobs, try again or move on. */
    public static final Object RETRY = new Object();

    /** Length of the first ring, and of the smallest. */
    static final int MIN_CAPACITY = 256;

    /**
     * After so many times round the ring it is replaced by a new one, so that it does not get old: G1 up to JDK 25 adds
     * a fence and work for its refinement threads to each store of a young job into an old array. It costs 0.03 bytes a
     * job.
     */
    private static final int RENEW_EVERY = 127;

    static final VarHandle TOP;
    static final VarHandle BOTTOM;
    static final VarHandle BUFFER;
    static final VarHandle SLOT =
            MethodHandles.arrayElementVarHandle(Object[].class).withInvokeExactBehavior();

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TOP = lookup.findVarHandle(WorkDequeFields.Thieves.class, "top", long.class)
                    .withInvokeExactBehavior();
            BOTTOM = lookup.findVarHandle(WorkDequeFields.Owner.class, "bottom", long.class)
                    .withInvokeExactBehavior();
            BUFFER = lookup.findVarHandle(WorkDequeFields.Owner.class, "buffer", Object[].class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int minCapacity;

    /**
     * Makes an empty deque whose indices start at {@code firstIndex}.
     *
     * @param firstIndex 0, or near the wrap in tests
     * @param minCapacity length of the smallest ring, a power of two; {@link #MIN_CAPACITY} but in tests
     */
    WorkDeque(long firstIndex, int minCapacity) {
        this.minCapacity = minCapacity;
        bottom = firstIndex;
        clean = firstIndex;
        top = firstIndex;
        buffer = new Object[minCapacity];
        limit = firstIndex + minCapacity;
    }

    /**
     * Makes an empty deque.
     *
     * @param lifo whether the owner pops the newest job first, instead of the oldest
     * @return the deque
     */
    public static WorkDeque create(boolean lifo) {
        return lifo ? new LifoWorkDeque(0, MIN_CAPACITY) : new FifoWorkDeque(0, MIN_CAPACITY);
    }

    /**
     * Adds a job; owner only.
     *
     * @param job the job
     * @throws OutOfMemoryError if the ring had to grow and could not; the job is not in the deque then
     */
    public final void push(Object job) {
        reserve(1);
        long b = bottom; // plain: the owner is the only writer (I1)
        Object[] ring = buffer; // plain: likewise
        ring[(int) b & (ring.length - 1)] = job; // plain: W1 publishes it
        bottomRelease(b + 1L); // [W1] release, pairs R1: slot first, index second
    }

    /**
     * Adds jobs from an array and clears them there; owner only. The owner will pop them in array order before older
     * jobs (LIFO) or after them (FIFO).
     *
     * @param source holds the jobs
     * @param from index of the first
     * @param count how many; room for them must have been {@link #reserve}d
     */
    public abstract void pushAll(@Nullable Object[] source, int from, int count);

    /**
     * Takes the owner's next job; owner only.
     *
     * @return a job, or null if there is none
     */
    public abstract @Nullable Object pop();

    /**
     * Takes one job of the oldest, for any thread.
     *
     * @return a job, null if there was none, or {@link #RETRY} if another thread was faster
     */
    public abstract @Nullable Object steal();

    /**
     * Takes up to half of the jobs, the oldest: returns the first and pushes the others to the thief's own deque.
     *
     * @param thief the deque of the calling owner
     * @param max the most to take, at least 1
     * @return a job, null if there was none, or {@link #RETRY} if another thread was faster
     */
    public abstract @Nullable Object stealBatch(WorkDeque thief, int max);

    /**
     * Makes room for {@code count} more jobs, so that pushing them cannot fail; owner only.
     *
     * @param count how many
     * @throws OutOfMemoryError if the ring cannot grow; nothing has changed then
     */
    public final void reserve(int count) {
        if (bottom + count - limit > 0) {
            makeRoom(count);
        }
    }

    private void makeRoom(int count) {
        long t = topAcquire(); // [R2] acquire, pairs C1: slots below t are free to be refilled
        clearTaken(t);
        if (bottom - t + count > buffer.length) {
            resize(t, Integer.highestOneBit((int) (bottom - t) + count - 1) << 1);
        } else if (++refills % RENEW_EVERY == 0) {
            renew(t, buffer.length);
        }
        limit = t + buffer.length;
    }

    /** Gives up a ring that a burst has made large, and every job it still holds; owner only, before it parks. */
    public final void trim() {
        long t = topAcquire(); // [R2]
        clearTaken(t);
        if (bottom - t <= 0 && buffer.length > minCapacity) {
            renew(t, minCapacity);
        }
    }

    /**
     * Returns whether the deque seemed empty: exact for the owner, a hint for others. When another thread has pushed
     * and made that push visible with a full fence before the caller's own full fence, the job is not overlooked.
     *
     * @return whether it seemed empty
     */
    public final boolean isEmpty() {
        long t = topAcquire();
        return bottomAcquire() - t <= 0;
    }

    /**
     * Returns about how many jobs are queued.
     *
     * @return at least 0
     */
    public final int size() {
        long t = topAcquire();
        return (int) Math.max(0, Math.min(Integer.MAX_VALUE, bottomAcquire() - t));
    }

    /**
     * Returns the index of the oldest job, which grows when that is taken; the only one is the oldest.
     *
     * @return only to be compared, with indices by difference
     */
    public final long taken() {
        return topAcquire();
    }

    /**
     * Steals everything, one job at a time; for any thread.
     *
     * @param sink receives the jobs, oldest first
     */
    public final void drain(Consumer<Object> sink) {
        Object job = steal();
        while (job != null) {
            if (job != RETRY) {
                sink.accept(job);
            }
            job = steal();
        }
    }

    /**
     * Returns the index that the next push will have; owner only.
     *
     * @return only to be compared by difference, and to be used in {@link #at}
     */
    public final long bottom() {
        return bottom;
    }

    /**
     * Looks at the slot of an index without taking anything; owner only.
     *
     * @param index from {@link #taken} to before {@link #bottom}; outside of these it is another job's slot
     * @return what is there, which somebody may have taken long ago, or may take now
     */
    public final @Nullable Object at(long index) {
        return slotOpaque(buffer, index);
    }

    /**
     * Looks at one of the oldest jobs without taking anything, for any thread.
     *
     * @param place 0 for the oldest
     * @return what is there, which somebody may take at the same time; null if there is nothing
     */
    public final @Nullable Object peek(int place) {
        long t = topAcquire();
        long b = bottomAcquire(); // [R1]
        return b - t <= place ? null : slotOpaque(bufferAcquire(), t + place);
    }

    /**
     * Drops the oldest job if it is of no use any more, for any thread.
     *
     * @param useless tells whether it is, and goes on to be
     * @return the job, or null if none was dropped
     */
    public final @Nullable Object dropOldestIf(Predicate<Object> useless) {
        long t = topAcquire(); // acquire, pairs C1
        VarHandle.fullFence(); // [F2] in LifoWorkDeque
        long b = bottomAcquire(); // [R1]
        if (b - t <= 0) {
            return null;
        }
        Object job = slotOpaque(bufferAcquire(), t); // opaque: may be stale, then the CAS fails
        return job != null && useless.test(job) && casTop(t, t + 1L) ? job : null; // [C1]
    }

    /** Returns the ring's length, for tests of growth and shrinking. */
    final int capacity() {
        return buffer.length;
    }

    /** Owner only: halves a ring of which less than an eighth is in use. */
    final void shrink(long t) {
        clearTaken(t);
        renew(t, buffer.length / 2);
    }

    /** Takes another ring where the present one would do: no reason to fail, with a job in hand, when memory is short. */
    private void renew(long t, int length) {
        try {
            resize(t, length);
        } catch (OutOfMemoryError full) {
            shrinkBelow = 0; // until the ring has grown
        }
    }

    /** Owner only: clears the slots of jobs that thieves have taken, so that they keep nothing reachable. */
    final void clearTaken(long t) {
        Object[] ring = buffer;
        for (long i = t - clean > ring.length ? t - ring.length : clean; i - t < 0; i++) {
            ring[(int) i & (ring.length - 1)] = null;
        }
        clean = t;
    }

    private void resize(long t, int length) {
        Object[] from = buffer;
        Object[] to = new Object[Math.max(length, minCapacity)];
        for (long i = t; i - bottom < 0; i++) {
            to[(int) i & (to.length - 1)] = from[(int) i & (from.length - 1)];
        }
        BUFFER.setRelease((WorkDequeFields.Owner) this, to); // release: a thief that sees the ring sees its slots
        limit = t + to.length;
        shrinkBelow = to.length > minCapacity ? to.length / 8 : 0;
    }

    final long topAcquire() {
        return (long) TOP.getAcquire((WorkDequeFields.Thieves) this);
    }

    final boolean casTop(long expected, long update) {
        return TOP.compareAndSet((WorkDequeFields.Thieves) this, expected, update);
    }

    final long bottomAcquire() {
        return (long) BOTTOM.getAcquire((WorkDequeFields.Owner) this);
    }

    final void bottomRelease(long value) {
        BOTTOM.setRelease((WorkDequeFields.Owner) this, value);
    }

    final @Nullable Object[] bufferAcquire() {
        return (Object[]) BUFFER.getAcquire((WorkDequeFields.Owner) this);
    }

    /** A thief's read of a victim's slot. */
    static @Nullable Object slotOpaque(@Nullable Object[] ring, long index) {
        return (Object) SLOT.getOpaque(ring, (int) index & (ring.length - 1));
    }
}
