// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import org.jspecify.annotations.Nullable;

/** For programs that run in a JVM of their own with a small heap: takes all memory there is. */
final class FullHeap {
    private static Object @Nullable [] hoard;

    private FullHeap() {}

    /** Runs a program; says so if it succeeds, else exits with 1. */
    static void run(Stress.Body program) {
        try {
            program.run();
            System.out.println("all is as it should be");
        } catch (Throwable failure) {
            empty();
            failure.printStackTrace();
            System.exit(1);
        }
    }

    /** Takes arrays of a length until there is no room for another. */
    static void fill(int length) {
        try {
            while (true) {
                Object[] more = new Object[length];
                more[0] = hoard;
                hoard = more;
            }
        } catch (OutOfMemoryError noMore) {
            // as asked
        }
    }

    /** Gives the last arrays back. */
    static void giveBack(int arrays) {
        for (int i = 0; i < arrays && hoard != null; i++) {
            hoard = (Object[]) hoard[0];
        }
    }

    /** Gives everything back. */
    static void empty() {
        hoard = null;
        awaitRoom();
    }

    /** Waits until the JVM gives memory again: after much time in collections JDK 25 refuses it for a moment although there is some. */
    static void awaitRoom() {
        boolean refused = true;
        while (refused) {
            try {
                System.gc();
                refused = new byte[1 << 16].length == 0;
            } catch (OutOfMemoryError notYet) {
                Thread.onSpinWait();
            }
        }
    }
}
