// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.parking;

import io.corelane.internal.stack.StackReserve;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets threads park until there is work, without a lost wake-up and without a system call in the waker unless a thread
 * really has to be woken.
 *
 * <p>A thread that runs out of work announces itself, looks for work once more, and only then parks. A thread that has
 * published work signals: that costs one load unless someone sleeps and nobody searches already. The last to park is
 * woken first, and at most one woken thread searches at a time. {@code docs/sleep-and-wake.md} of this module has the
 * proof.
 *
 * <p><b>Thread safety:</b> {@link #announce}, {@link #await} and {@link #cancel} are for the thread that owns the slot;
 * the rest is for any thread.
 */
public final class EventCount extends EventCountFields.Tail {
    /*
     * How it works. `control` = version:32 | searching:16 | top:16. `top` is the index + 1 of the slot on top of a
     * Treiber stack of sleepers, `searching` counts search tokens, `version` changes with every push and pop, so that a
     * pop that was overtaken fails its CAS although the same slot is on top again. A slot can be woken without being
     * popped (wake); it then stays on the stack and whoever pops it later finds it awake and goes on to the next.
     *
     * Invariants
     *   I1  searching = tokens held: by threads between beginSearch and endSearch/announce, by wakers inside signal,
     *       and by slots in state WOKEN_SEARCHING
     *   I2  a slot is linked at most once: only its owner pushes it, and only when it is not STACKED
     *   I3  a thread that holds a token looks for work after every write of the thread that it made skip a signal:
     *       before it parks it gives the token back and then looks again
     *
     * Ordering
     *   A1 <> S1  announce: RMW of control, then the look for work. Submitter: publication as an RMW or with a full
     *             fence, then the read of control. Either the submitter sees the sleeper or the sleeper sees the work
     *   T1 -> T2  a waker's CAS of state -> the sleeper's read of state: what was published is visible when it wakes
     *
     * Sources: ctl word and idle stack as in ForkJoinPool; one searcher that wakes the next as in Go's scheduler and
     * tokio; the slot that may be woken while stacked as in kotlinx.coroutines.
     */

    /** The most slots that fit into the control word. */
    public static final int MAX_SLOTS = 0xFFFE;

    private static final long TOP_MASK = 0xFFFF;
    private static final long ONE_SEARCHER = 1L << 16;
    private static final long SEARCHING_MASK = 0xFFFFL << 16;
    private static final long ONE_VERSION = 1L << 32;
    private static final long VERSION_MASK = -ONE_VERSION;

    private static final VarHandle CONTROL;

    static {
        try {
            CONTROL = MethodHandles.lookup()
                    .findVarHandle(EventCountFields.Control.class, "control", long.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ParkSlot[] slots;

    /**
     * Makes an event count with a number of slots, all running.
     *
     * @param slots how many threads may park, 1 to {@link #MAX_SLOTS}
     */
    public EventCount(int slots) {
        this(slots, 0);
    }

    /** Starts with a given version, so that tests see it wrap. */
    EventCount(int slots, int version) {
        if (slots < 1 || slots > MAX_SLOTS) {
            throw new IllegalArgumentException("slots=" + slots + " (expected 1.." + MAX_SLOTS + ")");
        }
        this.slots = new ParkSlot[slots];
        for (int i = 0; i < slots; i++) {
            this.slots[i] = new ParkSlot();
        }
        control = (long) version << 32;
    }

    /**
     * Says which thread parks at a slot.
     *
     * @param slot the slot
     * @param thread the thread that will call {@link #announce} and {@link #await} for it
     */
    public void assign(int slot, Thread thread) {
        slots[slot].thread = thread;
    }

    /**
     * Wakes the thread that parked last, unless none is parked or somebody searches already. The caller has published
     * work before, with a full fence after it.
     *
     * @return whether a thread was woken
     */
    public boolean signal() {
        long c = controlVolatile(); // [S1] volatile, pairs A1
        if ((c & TOP_MASK) == 0 || (c & SEARCHING_MASK) != 0) {
            return false;
        }
        StackReserve.require(); // whoever takes a slot and a token has to pass them on
        return signalSleeper();
    }

    /**
     * Does the same for a caller that has made sure of its stack and must not stop half-way.
     *
     * @return whether a sleeper was woken
     */
    public boolean signalWithinReserve() {
        return signalSleeper();
    }

    private boolean signalSleeper() {
        long c = controlVolatile(); // [S1] volatile, pairs A1
        while ((c & TOP_MASK) != 0 && (c & SEARCHING_MASK) == 0) {
            if (casControl(c, popped(c) + ONE_SEARCHER)) { // the token comes with the slot
                return wakePopped(top(c)) || passTokenOn();
            }
            c = controlVolatile();
        }
        return false;
    }

    /** The popped slot was awake already: gives the token to the next sleeper, or back if there is none. */
    private boolean passTokenOn() {
        while (true) {
            long c = controlVolatile();
            if ((c & TOP_MASK) == 0) {
                if (casControl(c, c - ONE_SEARCHER)) {
                    return false;
                }
            } else if (casControl(c, popped(c)) && wakePopped(top(c))) {
                return true;
            }
        }
    }

    /** Returns the control word without its top slot; the slot cannot change its link while it is on the stack (I2). */
    private long popped(long c) {
        return (c & SEARCHING_MASK) | ((c + ONE_VERSION) & VERSION_MASK) | slots[top(c)].below;
    }

    private boolean wakePopped(int index) {
        ParkSlot slot = slots[index];
        while (true) {
            long s = slot.stateVolatile();
            boolean parked = (s & ParkSlot.PHASE) == ParkSlot.PARKED;
            long next = parked ? ParkSlot.WOKEN_SEARCHING : s & ParkSlot.PHASE;
            if (slot.casState(s, next)) { // [T1] volatile, pairs T2
                if (parked) {
                    unpark(slot);
                }
                return parked;
            }
        }
    }

    /**
     * Wakes the thread of one slot if it is parked; it gets no search token.
     *
     * @param index the slot
     * @return whether it was parked
     */
    public boolean wake(int index) {
        ParkSlot slot = slots[index];
        if ((slot.stateVolatile() & ParkSlot.PHASE) == ParkSlot.PARKED) {
            StackReserve.require();
        }
        return wakeWithinReserve(index);
    }

    /**
     * Does the same for a caller that has made sure of its stack and must not stop half-way.
     *
     * @param index the sleeper
     * @return whether it was parked
     */
    public boolean wakeWithinReserve(int index) {
        ParkSlot slot = slots[index];
        while (true) {
            long s = slot.stateVolatile();
            if ((s & ParkSlot.PHASE) != ParkSlot.PARKED) {
                return false;
            }
            if (slot.casState(s, (s & ParkSlot.STACKED) | ParkSlot.WOKEN)) { // [T1] volatile, pairs T2
                long ignored = (long) CONTROL.getAndAdd((EventCountFields.Control) this, ONE_VERSION); // allParkedSince
                unpark(slot);
                return true;
            }
        }
    }

    /** Wakes every parked thread. */
    public void wakeAll() {
        for (int i = 0; i < slots.length; i++) {
            wake(i);
        }
    }

    private static void unpark(ParkSlot slot) {
        Thread thread = slot.thread;
        if (thread != Thread.currentThread()) { // a sleeper whose last look found work may wake itself
            LockSupport.unpark(thread);
        }
    }

    /**
     * Takes a search token if fewer than {@code max} are out. While one is out no signal wakes anyone.
     *
     * @param max the most tokens at a time
     * @return whether the caller now holds a token
     */
    public boolean beginSearch(int max) {
        while (true) {
            long c = controlVolatile();
            if ((c & SEARCHING_MASK) >>> 16 >= max) {
                return false;
            }
            if (casControl(c, c + ONE_SEARCHER)) {
                return true;
            }
        }
    }

    /**
     * Gives a token back. A caller that has found work, and to whom this returns true, must look whether there is more, and
     * signal if so: others may have relied on it.
     *
     * @return whether it was the last token, and somebody is parked; who parks later looks by itself
     */
    public boolean endSearch() {
        long c = (long) CONTROL.getAndAdd((EventCountFields.Control) this, -ONE_SEARCHER);
        return (c & SEARCHING_MASK) == ONE_SEARCHER && (c & TOP_MASK) != 0;
    }

    /**
     * Announces that the caller is about to park, and gives back its token if it holds one. The caller must look for
     * work once more and call {@link #signal} if there is some; then {@link #await} or {@link #cancel}.
     *
     * @param index the caller's slot
     * @param searching whether the caller holds a token
     */
    public void announce(int index, boolean searching) {
        ParkSlot slot = slots[index];
        long s = slot.stateVolatile();
        while (!slot.casState(s, ParkSlot.PARKED | ParkSlot.STACKED)) {
            s = slot.stateVolatile();
        }
        boolean stacked = (s & ParkSlot.STACKED) != 0;
        long c;
        long next;
        do {
            c = controlVolatile();
            next = c + ONE_VERSION - (searching ? ONE_SEARCHER : 0);
            if (!stacked) {
                slot.below = c & TOP_MASK;
                next = (next & ~TOP_MASK) | (index + 1);
            }
        } while (!casControl(c, next)); // [A1] volatile, pairs S1
    }

    /**
     * Parks after {@link #announce} until the slot is woken. Interrupts do not end it and are cleared: they were meant
     * for a job that has ended.
     *
     * @param index the caller's slot
     * @param onStray run each time the park has ended though nobody woke the slot
     * @return whether the caller now holds a search token
     */
    public boolean await(int index, Runnable onStray) {
        while (isParked(index)) { // [T2]
            LockSupport.park(this);
            boolean ignored = Thread.interrupted();
            if (isParked(index)) {
                onStray.run();
            }
        }
        return cancel(index);
    }

    /**
     * Ends an announcement without parking, or takes note of having been woken.
     *
     * @param index the caller's slot
     * @return whether the caller now holds a search token
     */
    public boolean cancel(int index) {
        ParkSlot slot = slots[index];
        while (true) {
            long s = slot.stateVolatile();
            if (slot.casState(s, (s & ParkSlot.STACKED) | ParkSlot.RUNNING)) {
                return (s & ParkSlot.PHASE) == ParkSlot.WOKEN_SEARCHING;
            }
        }
    }

    /**
     * Returns a stamp for {@link #allParkedSince}.
     *
     * @return the present version
     */
    public long stamp() {
        return controlVolatile() & VERSION_MASK;
    }

    /**
     * Returns whether every slot is parked and none has announced itself or was woken since the stamp.
     *
     * @param stamp from {@link #stamp}
     * @return whether all were parked all the time
     */
    public boolean allParkedSince(long stamp) {
        for (ParkSlot slot : slots) {
            if ((slot.stateVolatile() & ParkSlot.PHASE) != ParkSlot.PARKED) {
                return false;
            }
        }
        return stamp() == stamp;
    }

    /**
     * Returns whether the thread of a slot is parked or about to.
     *
     * @param index the slot
     * @return whether it has announced itself and was not woken
     */
    public boolean isParked(int index) {
        return (slots[index].stateVolatile() & ParkSlot.PHASE) == ParkSlot.PARKED;
    }

    /**
     * Returns the number of search tokens that are out.
     *
     * @return at least 0
     */
    public int searching() {
        return (int) ((controlVolatile() & SEARCHING_MASK) >>> 16);
    }

    private static int top(long c) {
        return (int) (c & TOP_MASK) - 1;
    }

    private long controlVolatile() {
        return (long) CONTROL.getVolatile((EventCountFields.Control) this);
    }

    private boolean casControl(long expected, long update) {
        return CONTROL.compareAndSet((EventCountFields.Control) this, expected, update);
    }
}
