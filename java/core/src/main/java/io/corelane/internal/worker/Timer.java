// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import org.jspecify.annotations.Nullable;

/**
 * An entry of {@link Timers}: something that is due at some time.
 *
 * <p><b>Thread safety:</b> the fields belong to the lock of {@link Timers}, but for the final ones.
 */
final class Timer {
    /** What to queue when it is due; null for a deadline. */
    final @Nullable TimedJob<?> job;
    /** What to cancel when it is due; null for a timed job. */
    final @Nullable SubmittedJob<?> expiring;

    /** By {@link System#nanoTime}. */
    long dueNanos;

    /** Order of arrival, for timers that are due at the same time. */
    long sequence;

    /** Its place in the heap, or -1. */
    int place = -1;

    private Timer(@Nullable TimedJob<?> job, @Nullable SubmittedJob<?> expiring) {
        this.job = job;
        this.expiring = expiring;
    }

    static Timer of(TimedJob<?> job) {
        return new Timer(job, null);
    }

    static Timer expiryOf(SubmittedJob<?> job) {
        return new Timer(null, job);
    }

    /**
     * Whether it waits, without the lock: exact for whoever has the job from whoever inserted it, unless it is taken out just
     * now.
     */
    boolean isInHeap() {
        return place >= 0;
    }

    boolean isBefore(Timer other) {
        long difference = dueNanos - other.dueNanos;
        return difference < 0 || (difference == 0 && sequence - other.sequence < 0);
    }
}
