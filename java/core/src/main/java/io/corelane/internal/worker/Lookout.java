// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.internal.deque.WorkDeque;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether an idle worker goes on searching beyond its policy, because it would only be woken again at once.
 *
 * <p><b>Thread safety:</b> for the worker's thread alone.
 */
final class Lookout {
    /*
     * A chain, where each job ends by submitting the next, wakes a parked worker again and again, and has taken the job itself
     * when that one comes to look. Such a wake-up costs the chain a system call, many times what its job takes. So a worker
     * to which this has happened FRUITLESS times in a row stays awake while the chain goes on, but no longer than
     * LONGEST_NANOS at a time; with its search token it keeps the chain from waking anybody. It looks at the deques only
     * every PAUSE_NANOS, because each look takes lines from the chain's CPU.
     *
     * Only for chains that are faster than a job in FAST_NANOS: with those, waking, looking and parking take the CPU anyway.
     * Slower ones pay for the wake-ups, and the CPU is left to others.
     *
     * A wake-up that led to a lone job counts as fruitless too: most likely the chain was carried over, and its former worker
     * is about to do the same.
     */
    static final int FRUITLESS = 2;
    static final long LONGEST_NANOS = 300_000;
    static final long FAST_NANOS = 2_000;
    private static final long PAUSE_NANOS = 3_000;

    private int fruitless;
    /** The deque of whoever has woken this worker, or whose lone job it has left alone. */
    private @Nullable WorkDeque chain;

    private @Nullable WorkDeque passed;
    private long takenBefore;
    private long lookedAt;

    /** Something was found that is no part of a chain. */
    void foundOther() {
        fruitless = 0;
        chain = null;
        passed = null;
    }

    /** A lone job was left alone. */
    void leftAlone(WorkDeque deque) {
        passed = deque;
    }

    /**
     * The worker was woken.
     *
     * @param by the deque for whose job; null if it was for another reason
     * @param now the time, by {@link System#nanoTime}
     */
    void woken(@Nullable WorkDeque by, long now) {
        chain = by != null ? by : passed;
        passed = null;
        fruitless = chain == null ? 0 : fruitless + 1;
        takenBefore = chain == null ? 0 : chain.taken();
        lookedAt = now;
    }

    /**
     * Returns whether to search a little longer.
     *
     * @param now the time
     * @param since when the search began
     */
    boolean goesOn(long now, long since) {
        WorkDeque deque = chain;
        if (deque == null || fruitless < FRUITLESS || now - since > LONGEST_NANOS) {
            return false;
        }
        long taken = deque.taken() - takenBefore;
        long nanos = now - lookedAt;
        takenBefore += taken;
        lookedAt = now;
        return taken * FAST_NANOS >= nanos;
    }

    /** Waits before the next look. */
    static void pause(long since) {
        while (System.nanoTime() - since < PAUSE_NANOS) {
            Thread.onSpinWait();
        }
    }
}
