// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import io.corelane.internal.fork.Sneaky;
import io.corelane.internal.fork.Suppressed;
import io.corelane.internal.worker.TreeRun;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Any number of forks that end before the scope does; see {@link PinnedScheduler#scope}. The first of them to fail cancels
 * the others.
 *
 * <p><b>Thread safety:</b> what the scope runs, and its forks, may call {@link #fork}; each thread joins its own forks.
 */
public final class ForkScope {
    private final TreeRun run;
    private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>();

    ForkScope(TreeRun run) {
        this.run = run;
    }

    /**
     * Makes a fork. It belongs to the innermost fork or scope whose body calls this, and is cancelled with it. It ends before
     * the scope does; if it belongs to a fork that does not join it, maybe after that.
     *
     * @param body what it does
     * @param <T> the type of its result
     * @return the fork; whoever needs its result joins it
     * @throws CancellationException if the scope was cancelled
     */
    public <T extends @Nullable Object> Fork<T> fork(Callable<? extends T> body) {
        Scoped<T> fork = new Scoped<>(this, Objects.requireNonNull(body, "body"));
        if (first.get() instanceof CancellationException why) { // another thread may not have been told
            throw new CancellationException(why.getMessage());
        }
        fork.fork();
        return fork;
    }

    /** Cancels all that runs in the scope, which then throws a {@link CancellationException}. */
    public void cancel() {
        CancellationException why = new CancellationException("the scope was cancelled");
        if (first.compareAndSet(null, why)) {
            run.cancel("the scope was cancelled");
        }
    }

    /** A part has failed: if it is the first, cancels the others. */
    void failed(Throwable failure) {
        if (first.compareAndSet(null, failure)) {
            run.cancel("another fork of the scope has failed");
        }
    }

    /** What the scope is to throw if it fails: the failure that came first, not those that it has caused. */
    Throwable causeOr(Throwable failure) {
        Throwable cause = first.get();
        if (cause == null) {
            return failure;
        }
        Suppressed.add(cause, failure);
        return cause;
    }

    @Nullable
    Throwable firstFailure() {
        return first.get();
    }

    /** A fork that tells its scope of its failure. */
    private static final class Scoped<T extends @Nullable Object> extends Fork<T> {
        private final ForkScope scope;
        private final Callable<? extends T> body;

        Scoped(ForkScope scope, Callable<? extends T> body) {
            this.scope = scope;
            this.body = body;
        }

        @Override
        protected T compute() {
            if (scope.first.get() != null) {
                throw new CancellationException("another fork of the scope has failed");
            }
            try {
                return body.call();
            } catch (Throwable failure) {
                scope.failed(failure);
                throw Sneaky.thrown(failure);
            }
        }
    }
}
