// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.Outcome;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A future that ends as a job does, and cancels it when it is cancelled.
 *
 * @param <T> the type of the result
 */
final class JobFuture<T extends @Nullable Object> extends CompletableFuture<T> {
    private final SubmittedJob<T> job;

    JobFuture(SubmittedJob<T> job) {
        this.job = job;
        job.addListener(this::end);
    }

    /** Ends this future; if the stack is too small for that, once more later, and so only once. */
    private void end() {
        try {
            end(job.outcomeNow());
        } catch (StackOverflowError overflow) {
            if (!isDone()) {
                throw overflow;
            }
        }
    }

    private void end(Outcome<T> outcome) {
        if (outcome instanceof Outcome.Done<T> done) {
            complete(done.value());
        } else if (outcome instanceof Outcome.Failed<T> failed) {
            completeExceptionally(failed.cause());
        } else {
            super.cancel(false);
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) {
            job.cancel(false);
        }
        return cancelled;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>(); // what depends on this future does not cancel the job
    }
}
