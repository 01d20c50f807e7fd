// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.deque;

import org.jspecify.annotations.Nullable;

/**
 * Field layout of {@link WorkDeque}: what the owner writes on every operation and what thieves write are at least 128
 * bytes apart, because caches fetch lines in pairs. The buffer reference stands beside {@code bottom}: it changes
 * rarely, and a thief that needs one needs both. {@code WorkDequeLayoutTest} asserts the distances.
 */
@SuppressWarnings("unused") // the pads are there to take room
final class WorkDequeFields {
    private WorkDequeFields() {}

    abstract static class Head {
        long h0, h1, h2, h3, h4, h5, h6, h7, h8, h9, ha, hb, hc, hd, he;
    }

    abstract static class Owner extends Head {
        /** Index one past the newest job; written by the owner alone. */
        long bottom;
        /** Owner only: all slots below this index hold no job any more. */
        long clean;
        /** Owner only: bottom may grow to this index before top must be read again. */
        long limit;
        /** Owner only: how often limit was reached. */
        long refills;
        /** Owner only: with fewer jobs than this the ring is halved; 0 for the smallest ring. */
        long shrinkBelow;
        /** Power-of-two ring; index i lives in {@code buffer[i & (length - 1)]}. Replaced by the owner alone. */
        @Nullable
        Object[] buffer = new Object[0];
    }

    abstract static class Mid extends Owner {
        long m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, ma, mb, mc, md, me;
    }

    abstract static class Thieves extends Mid {
        /** Index of the oldest job; only grows, by CAS. */
        long top;
    }

    abstract static class Tail extends Thieves {
        long t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, ta, tb, tc, td, te;
    }
}
