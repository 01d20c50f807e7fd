// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.parking;

import org.jspecify.annotations.Nullable;

/** Field layout of {@link ParkSlot}: the state that wakers write has 128 bytes on both sides for itself. */
@SuppressWarnings("unused") // the pads are there to take room
final class ParkSlotFields {
    private ParkSlotFields() {}

    abstract static class Head {
        long h0, h1, h2, h3, h4, h5, h6, h7, h8, h9, ha, hb, hc, hd, he;
    }

    abstract static class State extends Head {
        /** One of the states of {@link ParkSlot}, plus STACKED. A long, so that it cannot move into a gap. */
        long state;
        /** Index + 1 of the slot below this one on the stack; guarded by the stack's own CAS. */
        long below;
        /** The thread that parks here; replaced when a worker's thread is. */
        volatile @Nullable Thread thread;
    }

    abstract static class Tail extends State {
        long t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, ta, tb, tc, td, te;
    }
}
