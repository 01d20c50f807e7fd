// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

/** Field layout of {@link LoneJob}: idle workers write it while its owner is busy, so it has its lines for itself. */
@SuppressWarnings("unused") // the pads are there to take room
final class LoneJobFields {
    private LoneJobFields() {}

    abstract static class Head {
        long h0, h1, h2, h3, h4, h5, h6, h7, h8, h9, ha, hb, hc, hd, he;
    }

    abstract static class Seen extends Head {
        /** What {@code WorkDeque.taken} was when somebody first saw the lone job that was seen last. */
        long taken;
        /** When that was, by {@link System#nanoTime}. */
        long since;
    }

    abstract static class Tail extends Seen {
        long t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, ta, tb, tc, td, te;
    }
}
