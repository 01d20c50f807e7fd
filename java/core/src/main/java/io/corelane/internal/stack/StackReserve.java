// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.stack;

/**
 * Makes sure that the calling thread's stack has room for some more frames of the scheduler's own code, before that code
 * begins something that must not end half-way.
 *
 * <p><b>Thread safety:</b> any thread may call this. <b>Cost:</b> some 100 ns.
 */
public final class StackReserve {
    /*
     * A StackOverflowError can come at any call, and does not come at a call from a place of the stack that was reached
     * before. So this goes down further than what follows will, and comes back up: if the error comes, it comes here, where
     * nothing was done yet.
     *
     * How far that is depends on how the JVM runs the method. Interpreted, a frame has room for all local variables.
     * Compiled, it has room for those that live across the call: that is why they are read before it and added up after it.
     * A frame is as large on the path that does not touch them, so nearly all calls take that one; if none took the other,
     * the compiler would leave it out. 32 frames are 8 KiB compiled and 20 KiB interpreted. What follows needs 2 KiB with
     * every frame interpreted, and ten times that where the JVM links a call for the first time: so the first calls look
     * further. That makes an error in what follows unlikely, not impossible.
     */
    private static final int FRAMES = 32;

    private static final int MORE_FRAMES = 128;
    private static final int FIRST_CALLS = 10_000;

    private static final int SPARSE = 1024;

    private static final long[] VALUES = new long[32];

    /** Not exact if threads meet. */
    private static int calls;

    private StackReserve() {}

    /**
     * Makes sure that there is room.
     *
     * @throws StackOverflowError if there is not
     */
    public static void require() {
        int call = calls++;
        long ignored = descend(VALUES, call, call >= 0 && call < FIRST_CALLS ? MORE_FRAMES : FRAMES);
    }

    private static long descend(long[] values, int call, int frames) {
        if (frames == 0) {
            return 0;
        }
        if (call % SPARSE == 0) {
            long v0 = values[0];
            long v1 = values[1];
            long v2 = values[2];
            long v3 = values[3];
            long v4 = values[4];
            long v5 = values[5];
            long v6 = values[6];
            long v7 = values[7];
            long v8 = values[8];
            long v9 = values[9];
            long v10 = values[10];
            long v11 = values[11];
            long v12 = values[12];
            long v13 = values[13];
            long v14 = values[14];
            long v15 = values[15];
            long v16 = values[16];
            long v17 = values[17];
            long v18 = values[18];
            long v19 = values[19];
            long v20 = values[20];
            long v21 = values[21];
            long v22 = values[22];
            long v23 = values[23];
            long v24 = values[24];
            long v25 = values[25];
            long v26 = values[26];
            long v27 = values[27];
            long v28 = values[28];
            long v29 = values[29];
            long v30 = values[30];
            long v31 = values[31];
            long below = descend(values, call, frames - 1);
            return below + v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7 + v8 + v9 + v10 + v11 + v12 + v13 + v14 + v15 + v16
                    + v17 + v18 + v19 + v20 + v21 + v22 + v23 + v24 + v25 + v26 + v27 + v28 + v29 + v30 + v31;
        }
        return descend(values, call, frames - 1);
    }
}
