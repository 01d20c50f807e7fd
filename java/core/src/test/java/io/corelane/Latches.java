// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.util.concurrent.CountDownLatch;

/** How a job of a test waits for a latch, by what an interrupt does to it. */
public final class Latches {
    private Latches() {}

    /** Waits to the end; an interrupt is kept. */
    public static void uninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits; returns false if an interrupt came first. */
    public static boolean isAwaited(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }
}
