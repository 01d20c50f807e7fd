// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import io.corelane.internal.fork.ForkList;

/** A range of indices that is run in chunks, and split in the middle whenever somebody asks for work. */
abstract class Range extends ForkAction {
    /*
     * Lazy binary splitting: while nobody is short of work a range is a loop over two locals. A chunk is as long as takes
     * some microseconds, found by doubling, so that the look at the clock and at who asks is lost in it, and a body that
     * is slow is looked at after each index. Inside a chunk there is a look at who asks every BLOCK indices, because a body
     * may become slow. When somebody asks, the upper half becomes a fork.
     *
     * Source: Tzannes, Caragea, Barua and Vishkin, PPoPP 2010. We differ: the look is at who is idle, not at the own deque.
     */
    private static final long SHORTEST_CHUNK_NANOS = 5_000;
    private static final long LONGEST_CHUNK_NANOS = 20_000;
    private static final long LONGEST_CHUNK = 1 << 16; // a loop that was compiled to nothing may become slow again
    /** So many indices are run between two looks at who asks. */
    private static final long BLOCK = 64;

    private final long from;
    private final long to;
    /** Learns of the first failure; set by who makes this, before it runs. */
    @SuppressWarnings("NullAway.Init")
    ForkScope scope;

    Range(long from, long to) {
        this.from = from;
        this.to = to;
    }

    /** Runs the indices of a chunk, of this range or of a lower part of it. */
    abstract void run(long chunkFrom, long chunkTo);

    /** Makes the upper part of this range. */
    abstract Range upper(long middle, long end);

    /** Called after the upper part has ended, which follows what was run here. */
    void add(Range upper) {}

    @Override
    protected final void compute() {
        try {
            run(from, to, 1);
        } catch (Throwable failure) {
            scope.failed(failure); // the lower parts need not go on until they join this
            throw failure;
        }
    }

    private void run(long start, long end, long firstLength) {
        long at = start;
        long length = firstLength;
        long before = System.nanoTime();
        while (at < end) {
            long left = end - at; // unsigned
            if (left != 1 && ForkList.isForkWanted()) {
                split(at, end, length);
                return;
            }
            long next = Long.compareUnsigned(left, length) > 0 ? at + length : end;
            at = runChunk(at, next);
            long now = System.nanoTime();
            long took = now - before;
            before = now;
            length = took < SHORTEST_CHUNK_NANOS
                    ? Math.min(2 * length, LONGEST_CHUNK)
                    : took > LONGEST_CHUNK_NANOS ? Math.max(1, length / 2) : length;
        }
    }

    /** Runs a chunk, until somebody asks: it may be slower than those by which its length was found. Returns how far it came. */
    private long runChunk(long start, long end) {
        long at = start;
        do {
            long next = end - at > BLOCK ? at + BLOCK : end;
            run(at, next);
            at = next;
        } while (at < end && !ForkList.isForkWanted());
        return at;
    }

    private void split(long start, long end, long length) {
        long middle = start + ((end - start) >>> 1);
        Range upper = upper(middle, end);
        upper.scope = scope;
        upper.fork();
        run(start, middle, length);
        upper.join();
        add(upper);
    }
}
