// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.time.Duration;

/**
 * What a worker does between finding nothing to do and parking.
 *
 * <p>A longer spin takes the next job sooner and costs CPU time. A parked worker costs nothing and needs a wake-up of
 * some microseconds. <b>Thread safety:</b> immutable.
 */
public final class IdlePolicy {
    private static final IdlePolicy PARK = new IdlePolicy(0);
    private static final IdlePolicy BUSY_SPIN = new IdlePolicy(Long.MAX_VALUE);

    private final long spinNanos;

    private IdlePolicy(long spinNanos) {
        this.spinNanos = spinNanos;
    }

    /**
     * Parks as soon as a search has found nothing.
     *
     * @return the policy
     */
    public static IdlePolicy park() {
        return PARK;
    }

    /**
     * Searches for a while, then parks. Beside a worker whose short jobs each submit the next, an idle one searches on for up to
     * 0.3 milliseconds while this lasts: to be woken each time would cost both more.
     *
     * @param spin how long to search, not negative; resolution about 0.1 microseconds; 292 years or more is
     *     {@link #busySpin}
     * @return the policy
     * @throws IllegalArgumentException if {@code spin} is negative
     */
    public static IdlePolicy spinThenPark(Duration spin) {
        if (spin.isNegative()) {
            throw new IllegalArgumentException("spin=" + spin + " (expected zero or more)");
        }
        return spin.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0 ? BUSY_SPIN : new IdlePolicy(spin.toNanos());
    }

    /**
     * Never parks an idle worker while the scheduler is open: each takes a whole CPU, all the time. Only while somebody waits
     * in {@link PinnedScheduler#awaitQuiescence} it does. A job that waits in a join parks as under every policy, soon or
     * after a millisecond, because others may need its worker.
     *
     * @return the policy
     */
    public static IdlePolicy busySpin() {
        return BUSY_SPIN;
    }

    /**
     * Returns how long a worker searches before it parks.
     *
     * @return nanoseconds; {@link Long#MAX_VALUE} if it never parks
     */
    public long spinNanos() {
        return spinNanos;
    }

    @Override
    public String toString() {
        if (this == BUSY_SPIN) {
            return "busySpin";
        }
        return this == PARK ? "park" : "spinThenPark(" + Duration.ofNanos(spinNanos) + ")";
    }
}
