// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.injector;

import org.jspecify.annotations.Nullable;

/**
 * Field layout of {@link InjectorShard}: what producers write on every offer and what the consumer writes on every batch
 * are at least 128 bytes apart, because caches fetch lines in pairs. {@code InjectorShardLayoutTest} asserts it.
 */
@SuppressWarnings("unused") // the pads are there to take room
final class InjectorShardFields {
    private InjectorShardFields() {}

    abstract static class Head {
        long h0, h1, h2, h3, h4, h5, h6, h7, h8, h9, ha, hb, hc, hd, he;
    }

    abstract static class Producers extends Head {
        /** Twice the number of jobs ever offered, plus LINKING; negative once closed. */
        long producerIndex;
        /** producerIndex may grow to this before consumerIndex must be read again; never ahead of the capacity. */
        long limit;
        /** The chunk that holds the slot of the next offer. */
        @Nullable
        Object[] producerChunk = new Object[0];
    }

    abstract static class Mid extends Producers {
        long m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, ma, mb, mc, md, me;
    }

    abstract static class Consumer extends Mid {
        /** Number of jobs ever taken; written under the lock. */
        long consumerIndex;
        /** 1 while a consumer drains, else 0. A long, so that it cannot move into a gap of a superclass. */
        long lock;
        /** Number of chunks ever emptied; touched under the lock only. */
        long emptied;
        /** The chunk that holds the slot of the next job; touched under the lock only. */
        @Nullable
        Object[] consumerChunk = new Object[0];
    }

    abstract static class Tail extends Consumer {
        long t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, ta, tb, tc, td, te;
    }
}
