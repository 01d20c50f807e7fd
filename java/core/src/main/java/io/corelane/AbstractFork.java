// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import io.corelane.internal.fork.ForkNode;

/**
 * A part of a job that may run at the same time as the rest of it: what {@link Fork}, {@link LongFork},
 * {@link DoubleFork} and {@link ForkAction} have in common.
 *
 * <p>A fork is an object of a user's class. What {@link PinnedScheduler#invoke(Fork)} runs, and every fork inside that,
 * may make forks and call {@link #fork} on them, do something else, and then {@code join()} each:
 *
 * <pre>{@code
 * final class Fib extends LongFork {
 *     final int n;
 *
 *     Fib(int n) {
 *         this.n = n;
 *     }
 *
 *     @Override
 *     protected long compute() {
 *         if (n < 2) {
 *             return n;
 *         }
 *         Fib left = new Fib(n - 1);
 *         left.fork();
 *         long right = new Fib(n - 2).compute();
 *         return right + left.join();
 *     }
 * }
 *
 * long result = scheduler.invoke(new Fib(40));
 * }</pre>
 *
 * <p>While all workers are busy, a fork is nothing but a mark and a join a plain call: no atomic operation, no fence, no
 * queue. So there is no need for a size below which not to fork. As soon as a worker is idle, the threads that fork offer
 * it their oldest forks. A fork that is followed by a long time without a fork or join is only seen by workers that were
 * idle when it was forked.
 *
 * <p><b>Rules.</b> The thread that forks joins, each fork once, best in the reverse order; then the fork may be forked
 * again. What has not been joined when the surrounding fork returns is joined when one around that is, at the latest when
 * the root returns, and its failure comes out there. (To look for it at each join would cost a tenth of what forks cost.) If
 * the surrounding fork throws instead, what it has forked and not joined is cancelled: parts that have not started never
 * will, parts that run elsewhere get a
 * {@link java.util.concurrent.CancellationException} from their next fork or join, and are waited for. So when
 * {@code invoke} returns or throws, nothing of its tree still runs. A failure goes to the join of the fork that threw it,
 * as it is, and from there up like any exception. If the fork ran on another thread, it carries the trace of the join as
 * a suppressed exception.
 *
 * <p>A thread that waits for a fork of its own runs parts of that fork meanwhile, or forks that it has made after that one and
 * not joined; nothing with {@link JoinHelp#AWAITED}, any job with {@link JoinHelp#ANY}. So, without the latter, it may hold a lock
 * that none of these take. Forks of a lane's job run on any worker.
 *
 * <p><b>Thread safety:</b> {@code fork} and {@code join} are for one thread. <b>Memory effects:</b> what was done before
 * {@code fork()} is visible to the fork, and what the fork did is visible after its join.
 */
@SuppressWarnings("exports") // the links are nobody's business
public abstract sealed class AbstractFork extends ForkNode permits Fork, LongFork, DoubleFork, ForkAction {
    AbstractFork() {}

    /**
     * Lets this run at the same time as what follows, if a worker has time for it. Otherwise the join will run it.
     *
     * @throws IllegalStateException if it is forked already and not joined, or the caller does not run inside
     *     {@code PinnedScheduler.invoke}
     * @throws java.util.concurrent.CancellationException if what the caller runs was cancelled
     */
    public final void fork() {
        push();
    }
}
