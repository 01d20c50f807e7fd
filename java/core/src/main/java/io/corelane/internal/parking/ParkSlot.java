// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.parking;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One thread's place in an {@link EventCount}: whether it is parked, and who woke it.
 *
 * <p>The low bits hold the phase, {@link #STACKED} tells whether the slot is on the stack of sleepers. Both are in one
 * word, because whoever takes a slot off the stack has to learn in the same step whether its thread is parked.
 */
final class ParkSlot extends ParkSlotFields.Tail {
    /** Its thread is awake. */
    static final long RUNNING = 0;
    /** Its thread has announced that it will park, or is parked. */
    static final long PARKED = 1;
    /** Woken without a search token. */
    static final long WOKEN = 2;
    /** Woken by {@link EventCount#signal}: its thread now holds the search token that the waker took. */
    static final long WOKEN_SEARCHING = 3;

    static final long PHASE = 3;
    static final long STACKED = 4;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup()
                    .findVarHandle(ParkSlotFields.State.class, "state", long.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    long stateVolatile() {
        return (long) STATE.getVolatile((ParkSlotFields.State) this);
    }

    boolean casState(long expected, long update) {
        return STATE.compareAndSet((ParkSlotFields.State) this, expected, update);
    }
}
