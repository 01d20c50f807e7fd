// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.time.Duration;
import java.util.Objects;

/**
 * When a repeated job runs, and what a failed run means for the next ones. A failed run is always reported to the
 * {@link FailureHandler}.
 *
 * <p><b>Thread safety:</b> immutable.
 *
 * @param initialDelay until the first run; negative is taken for none
 * @param period from start to start at a fixed rate, else from end to start; more than 0
 * @param fixedRate whether the period counts from start to start. Runs that are late follow each other at once until the
 *     rate is met again; two runs of a job never overlap
 * @param afterFailure what happens after a run that threw
 */
public record Repetition(Duration initialDelay, Duration period, boolean fixedRate, AfterFailure afterFailure) {
    /** What happens after a run that threw. */
    public enum AfterFailure {
        /** The job ends as failed, as a {@link java.util.concurrent.ScheduledExecutorService} has it. */
        STOP,
        /** The job goes on as if nothing had happened. */
        CONTINUE,
        /** The job goes on, but the pause doubles with each failure in a row, up to 64 periods. */
        BACK_OFF
    }

    /**
     * Checks the parts.
     *
     * @param initialDelay until the first run
     * @param period above 0
     * @param fixedRate whether the period counts from start to start
     * @param afterFailure what happens after a run that threw
     * @throws IllegalArgumentException if the period is not more than 0
     */
    public Repetition {
        Objects.requireNonNull(initialDelay, "initialDelay");
        Objects.requireNonNull(afterFailure, "afterFailure");
        if (period.isZero() || period.isNegative()) {
            throw new IllegalArgumentException("period=" + period + " (expected more than 0)");
        }
    }

    /**
     * Runs start a period apart, the first one at once; ends after a failure.
     *
     * @param period from start to start
     * @return the repetition
     * @throws IllegalArgumentException if it is not more than 0
     */
    public static Repetition atFixedRate(Duration period) {
        return new Repetition(Duration.ZERO, period, true, AfterFailure.STOP);
    }

    /**
     * A run starts a period after the end of the one before, the first one at once; ends after a failure.
     *
     * @param period from end to start
     * @return the repetition
     * @throws IllegalArgumentException if it is not more than 0
     */
    public static Repetition withFixedDelay(Duration period) {
        return new Repetition(Duration.ZERO, period, false, AfterFailure.STOP);
    }

    /**
     * Sets when the first run is due.
     *
     * @param delay from now
     * @return the repetition with that delay
     */
    public Repetition startingAfter(Duration delay) {
        return new Repetition(delay, period, fixedRate, afterFailure);
    }

    /**
     * Sets what a failed run means.
     *
     * @param action what happens then
     * @return the repetition with that policy
     */
    public Repetition onFailure(AfterFailure action) {
        return new Repetition(initialDelay, period, fixedRate, action);
    }
}
