// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.fork;

/** Field layout of {@link Hunger}: the count has its lines for itself, as every busy worker reads it all the time. */
@SuppressWarnings("unused") // the pads are there to take room
final class HungerFields {
    private HungerFields() {}

    abstract static class Head {
        long h0, h1, h2, h3, h4, h5, h6, h7, h8, h9, ha, hb, hc, hd, he;
    }

    abstract static class Count extends Head {
        int count;
    }

    abstract static class Tail extends Count {
        long t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, ta, tb, tc, td, te;
    }
}
