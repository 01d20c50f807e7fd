// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.util.concurrent.RunnableScheduledFuture;
import org.jspecify.annotations.Nullable;

/**
 * The handle of a job that starts after a delay, once or again and again. One that repeats ends when it is cancelled, when a
 * run fails and its {@link Repetition} says so, or when the scheduler shuts down.
 *
 * <p><b>Thread safety:</b> any thread may call anything.
 *
 * @param <T> the type of the job's result
 */
public interface ScheduledJob<T extends @Nullable Object> extends JobHandle<T>, RunnableScheduledFuture<T> {
    /**
     * Cancels the job and forgets it: a cancelled timer takes no memory. See {@link JobHandle#cancel}.
     *
     * @param mayInterruptIfRunning whether to interrupt the job if it runs
     * @return false if the job had ended already
     */
    @Override
    boolean cancel(boolean mayInterruptIfRunning);
}
