// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.Repetition;
import io.corelane.Repetition.AfterFailure;
import io.corelane.ScheduledJob;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A job that the clock queues, once or repeatedly.
 *
 * @param <T> the type of the result
 */
final class TimedJob<T extends @Nullable Object> extends SubmittedJob<T> implements ScheduledJob<T> {
    private static final int MOST_DOUBLINGS = 6;

    final Timer timer = Timer.of(this);
    private final @Nullable Repetition repetition;

    /** Failures in a row; touched by one run at a time. */
    private int failures;

    /** When the next run is due, by {@link System#nanoTime}; read by anyone for {@link #getDelay}. */
    private volatile long dueNanos;

    TimedJob(WorkerPool pool, Callable<T> body, @Nullable Repetition repetition) {
        super(pool, body);
        this.repetition = repetition;
    }

    TimedJob(WorkerPool pool, Runnable body, @Nullable Repetition repetition) {
        super(pool, body);
        this.repetition = repetition;
    }

    long dueNanos() {
        return dueNanos;
    }

    void setDueNanos(long nanos) {
        dueNanos = nanos;
    }

    @Override
    void runQueued() {
        if (!isClaimed()) {
            cancelAfterShutdown();
        }
        super.runQueued();
    }

    @Override
    void runClaimed() {
        cancelAfterShutdown();
        super.runClaimed();
    }

    /** A repeated job that was due before the shutdown was in no heap when that cancelled the others. */
    private void cancelAfterShutdown() {
        if (repetition != null && pool.isShutdown()) {
            boolean ignored = cancel(false);
        }
    }

    @Override
    boolean repeats(@Nullable Throwable failure) {
        return repetition != null && !isDone() && (failure == null || repetition.afterFailure() != AfterFailure.STOP);
    }

    @Override
    void queueAgain(@Nullable Throwable failure) {
        Repetition rule = Objects.requireNonNull(repetition);
        failures = failure == null || rule.afterFailure() != AfterFailure.BACK_OFF
                ? 0
                : Math.min(failures + 1, MOST_DOUBLINGS);
        long period = Timers.nanos(rule.period());
        long pause = period > Timers.LONGEST >> failures ? Timers.LONGEST : period << failures;
        dueNanos = rule.fixedRate() && failures == 0 ? dueNanos + pause : System.nanoTime() + pause;
        pool.timers.addAgain(this);
    }

    @Override
    boolean isReported(Throwable failure) {
        return repetition != null || super.isReported(failure);
    }

    /** A stranger may have run it before it was due. */
    @Override
    void ran() {
        if (timer.isInHeap()) {
            pool.timers.remove(timer);
        }
    }

    @Override
    void cancelled() {
        pool.timers.remove(timer);
    }

    @Override
    boolean mayRunInJoin() {
        return false; // neither before it is due, nor beside its entry in a queue
    }

    @Override
    boolean isTimed() {
        return true;
    }

    @Override
    public boolean isPeriodic() {
        return repetition != null;
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return unit.convert(dueNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
        if (other == this) {
            return 0;
        }
        if (other instanceof TimedJob<?> timed) {
            return Long.signum(dueNanos - timed.dueNanos);
        }
        return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
}
