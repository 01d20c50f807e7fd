// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.parking;

/** Field layout of {@link EventCount}: every submitter reads the control word, so nothing else shares its lines. */
@SuppressWarnings("unused") // the pads are there to take room
final class EventCountFields {
    private EventCountFields() {}

    abstract static class Head {
        long h0, h1, h2, h3, h4, h5, h6, h7, h8, h9, ha, hb, hc, hd, he;
    }

    abstract static class Control extends Head {
        long control;
    }

    abstract static class Tail extends Control {
        long t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, ta, tb, tc, td, te;
    }
}
