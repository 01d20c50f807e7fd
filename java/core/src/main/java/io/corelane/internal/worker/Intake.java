// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.OverflowPolicy;
import io.corelane.internal.injector.Injector;
import io.corelane.internal.injector.Mailbox;
import io.corelane.internal.stack.StackReserve;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The way in for jobs: accepts or rejects.
 *
 * <p><b>Thread safety:</b> any thread may call anything.
 */
public final class Intake {
    /*
     * A job from outside is accepted by the CAS in its injector shard, which fails once the shard is closed. A job of a
     * thread that serves a worker goes to that worker's deque, also after shutdown: it belongs to an accepted one, and
     * while it runs the pool does not stop, unless by shutdownNow (see rejectUncollected). A thread that has left its
     * worker counts as outside.
     *
     * A full injector never stops a worker: only threads that serve none meet the overflow policy.
     */
    private static final long FOR_EVER = Long.MAX_VALUE;

    private final WorkerPool pool;
    private final Injector injector;
    private final OverflowPolicy overflow;
    private final RoomGate gate = new RoomGate();

    Intake(WorkerPool pool, PoolConfig.Intake limits) {
        this.pool = pool;
        this.injector =
                limits.capacity() == 0 ? new Injector(pool.config.workers()) : Injector.bounded(limits.capacity());
        this.overflow = limits.overflow();
    }

    Injector injector() {
        return injector;
    }

    /**
     * Accepts a job, or does with it what the overflow policy says.
     *
     * @param job what to run
     * @throws RejectedExecutionException if the pool was shut down, or the injector is full and the policy is to reject
     */
    public void execute(Runnable job) {
        accept(queueable(job), FOR_EVER);
    }

    /** What stands in the queues for a job that a user has passed; in most cases the job itself. */
    private Runnable queueable(Runnable job) {
        return job instanceof SubmittedJob<?> handle ? new Rerun(handle) : inContext(job);
    }

    /** A handle that somebody passes to execute: its own run is counted by itself, and only once. */
    private static final class Rerun extends Wrapper {
        Rerun(SubmittedJob<?> handle) {
            super(handle);
        }

        @Override
        public void run() {
            body.run();
        }
    }

    private Runnable inContext(Runnable job) {
        return pool.config.context().ofSubmitter() ? new ContextJob(job) : job;
    }

    private void accept(Runnable job, long nanos) {
        Worker own = pool.currentWorker();
        if (own != null) {
            submitFromWorker(own, job);
        } else if (!offer(job)) {
            overflow(job, nanos);
        }
    }

    /** Offers a job from outside, unless others wait already for room. */
    private boolean offer(Runnable job) {
        if (!gate.isCrowded() && tryOffer(job)) {
            return true;
        }
        if (pool.isShutdown()) {
            throw rejectedByShutdown(job);
        }
        return false;
    }

    private boolean tryOffer(Object job) {
        if (injector.offer(job, Thread.currentThread().getId())) {
            pool.signal(); // the offer was a full fence
            return true;
        }
        return false;
    }

    private boolean tryOfferAll(Object[] jobs) {
        if (injector.offerAll(jobs, Thread.currentThread().getId())) {
            pool.signal(); // the offer was a full fence; who is woken wakes the next
            return true;
        }
        return false;
    }

    private void overflow(Runnable job, long nanos) {
        switch (overflow) {
            case REJECT -> throw rejected(full(), job);
            case BLOCK -> awaitRoom(1, () -> tryOffer(job), nanos, job);
            case CALLER_RUNS -> runHere(job);
        }
    }

    private int capacity() {
        return pool.config.intake().capacity();
    }

    private String full() {
        return "the injector is full (capacity " + capacity() + ")";
    }

    private void awaitRoom(int jobs, BooleanSupplier offer, long nanos, Object... rejected) {
        if (jobs > capacity()) {
            throw rejected(jobs + " never fit into it: " + full(), rejected);
        }
        try {
            pool.counters.blocked.increment();
            if (!gate.await(offer, nanos)) {
                throw pool.isShutdown()
                        ? rejectedByShutdown(rejected)
                        : rejected("no room came free within its limit: " + full(), rejected);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw rejected("the submitter was interrupted while it waited for room", rejected);
        }
    }

    private void runHere(Object job) {
        if (job instanceof SubmittedJob<?> handle) {
            pool.counters.byCaller.increment();
            try {
                handle.run();
            } catch (StackOverflowError overflow) { // not the job's own
                handle.settle(overflow); // nobody else has it; if there is no room for this either, nobody misses it
                throw overflow;
            }
            return;
        }
        Throwable failure = null;
        boolean accepted = false;
        Aside aside = Aside.set();
        try {
            pool.counters.byCaller.increment(); // not before: without stack or memory for both, nothing was accepted
            accepted = true;
            ((Runnable) job).run();
        } catch (Throwable t) {
            if (!accepted) {
                throw t;
            }
            failure = t;
        } finally {
            aside.restore();
        }
        pool.counters.ended(null, failure == null, 1);
        if (failure != null) {
            pool.log.tellFailureHandler(Wrapper.unwrap((Runnable) job), failure);
        }
    }

    /**
     * Accepts a job unless the injector is full.
     *
     * @param job what to run
     * @return false if the injector is full
     * @throws RejectedExecutionException if the pool was shut down
     */
    public boolean tryExecute(Runnable job) {
        Runnable accepted = queueable(job);
        Worker own = pool.currentWorker();
        if (own != null) {
            submitFromWorker(own, accepted);
            return true;
        }
        boolean done = offer(accepted);
        if (!done) {
            pool.counters.rejected.increment();
        }
        return done;
    }

    /**
     * Accepts a job, waiting for room for a time.
     *
     * @param job what to run
     * @param nanos the longest to wait
     * @return false if there was no room in time
     * @throws InterruptedException if interrupted while waiting
     * @throws RejectedExecutionException if the pool was shut down
     */
    public boolean tryExecute(Runnable job, long nanos) throws InterruptedException {
        Runnable accepted = queueable(job);
        Worker own = pool.currentWorker();
        if (own != null) {
            submitFromWorker(own, accepted);
            return true;
        }
        if (offer(accepted) || gate.await(() -> tryOffer(accepted), Math.min(nanos, Long.MAX_VALUE - 1))) {
            return true;
        }
        if (pool.isShutdown()) {
            throw rejectedByShutdown(accepted);
        }
        pool.counters.rejected.increment();
        return false;
    }

    /**
     * Accepts all jobs of an array, in order, or none; or does with them what the overflow policy says. The array is the
     * pool's from then on.
     *
     * @param jobs what to run; none is null
     * @throws RejectedExecutionException if the pool was shut down, or the injector has no room for all and the policy
     *     is to reject, or it never will have
     */
    public void executeAll(Object[] jobs) {
        for (int i = 0; i < jobs.length; i++) {
            Runnable accepted = queueable((Runnable) jobs[i]);
            if (accepted != jobs[i]) {
                jobs[i] = accepted;
            }
        }
        Worker own = pool.currentWorker();
        if (own != null) {
            submitAllFromWorker(own, jobs);
            return;
        }
        if (!gate.isCrowded() && tryOfferAll(jobs)) {
            return;
        }
        if (pool.isShutdown()) {
            throw rejectedByShutdown(jobs);
        }
        switch (overflow) {
            case REJECT -> throw rejected("the injector has no room for all (capacity " + capacity() + ")", jobs);
            case BLOCK -> awaitRoom(jobs.length, () -> tryOfferAll(jobs), FOR_EVER, jobs);
            case CALLER_RUNS -> {
                for (Object job : jobs) {
                    runHere(job);
                }
            }
        }
    }

    private void submitFromWorker(Worker worker, Runnable job) {
        if (pool.isStopping()) {
            throw rejectedByShutdown(job);
        }
        worker.submit(job); // ends with a full fence
        rejectUncollected(worker);
    }

    private void submitAllFromWorker(Worker worker, Object[] jobs) {
        if (pool.isStopping()) {
            throw rejectedByShutdown(jobs);
        }
        worker.submitAll(jobs); // ends with a full fence
        rejectUncollected(worker);
    }

    /**
     * After a submission: rejects it if shutdownNow overtook it, which may have looked at this deque before the push.
     * When it has collected, only what was pushed since can still be there, and only this thread pushes: that is the
     * submission, which was published in one step, so all of it is there or nothing.
     */
    private void rejectUncollected(Worker worker) {
        if (!pool.isStopping()) {
            return;
        }
        pool.awaitCollected();
        List<Object> uncollected = new ArrayList<>();
        for (Object job = worker.deque.pop(); job != null; job = worker.deque.pop()) {
            if (!(job instanceof ForkJob)) { // those are for their parents, which will find them unclaimed
                uncollected.add(job);
            }
        }
        if (!uncollected.isEmpty()) {
            worker.countSubmitted(-uncollected.size());
            throw rejectedByShutdown(uncollected.toArray());
        }
    }

    /**
     * Accepts a job or throws.
     *
     * @param body what to call
     * @param <T> the type of the result
     * @return its handle
     * @throws RejectedExecutionException if the pool was shut down
     */
    public <T extends @Nullable Object> SubmittedJob<T> submit(Callable<T> body) {
        SubmittedJob<T> job = handleOf(body);
        accept(job, FOR_EVER);
        return job;
    }

    /**
     * Accepts a job or throws; a submitter that waits for room waits so long at most, and runs no job itself after that.
     *
     * @param body what to call
     * @param nanos the longest to wait
     * @param <T> the type of the result
     * @return its handle
     * @throws RejectedExecutionException if the pool was shut down, or there was no room in time
     */
    public <T extends @Nullable Object> SubmittedJob<T> submit(Callable<T> body, long nanos) {
        SubmittedJob<T> job = handleOf(body);
        if (nanos > 0 || pool.currentWorker() != null) {
            accept(job, nanos);
        } else if (!offer(job)) {
            throw rejected("there is no time left to wait or to run it: " + full(), job);
        }
        return job;
    }

    /**
     * Accepts nothing.
     *
     * @param body what is not called
     * @param <T> the type of its result
     * @return a handle that is cancelled
     */
    public <T extends @Nullable Object> SubmittedJob<T> reject(Callable<T> body) {
        SubmittedJob<T> job = new SubmittedJob<>(pool, body);
        job.reject();
        return job;
    }

    private <T extends @Nullable Object> SubmittedJob<T> handleOf(Callable<T> body) {
        return new SubmittedJob<>(pool, pool.config.context().ofSubmitter() ? ContextJob.around(body) : body);
    }

    /** As {@link #submit(Callable)}; the time counts from now, also while the submitter waits for room or runs the job. */
    <T extends @Nullable Object> SubmittedJob<T> submitWithin(Callable<T> body, long nanos) {
        SubmittedJob<T> job = handleOf(body);
        long begun = System.nanoTime();
        try {
            boolean ignored = pool.timers.cancelAfter(job, nanos); // if nobody would, it is about to be rejected
            StackReserve.require(); // else the stack may end between the acceptance and the wake-up, see below
            accept(job, Math.max(0, nanos - (System.nanoTime() - begun)));
        } catch (Error notAccepted) {
            job.reject();
            throw notAccepted;
        }
        return job;
    }

    /**
     * Accepts a job or throws.
     *
     * @param body what to run
     * @return its handle, whose result is null
     * @throws RejectedExecutionException if the pool was shut down
     */
    public SubmittedJob<@Nullable Void> submit(Runnable body) {
        SubmittedJob<@Nullable Void> job = new SubmittedJob<>(pool, inContext(body));
        accept(job, FOR_EVER);
        return job;
    }

    /**
     * Accepts a lane's job or throws.
     *
     * @param lane the worker
     * @param mailbox its mailbox
     * @param job what to put there
     * @throws RejectedExecutionException if the pool was shut down
     */
    void submitToLane(Worker lane, Mailbox mailbox, Runnable job) {
        StackReserve.require(); // the mark of a transfer has to go again
        Worker own = pool.currentWorker();
        if (own == null) {
            if (!mailbox.offer(job)) {
                throw rejectedByShutdown(job);
            }
        } else if (own.beginTransfer()) { // shutdownNow waits for the end of the mark, and then finds the job
            try {
                mailbox.offerEvenIfClosed(job);
            } finally {
                own.endTransfer();
            }
        } else {
            throw rejectedByShutdown(job);
        }
        pool.wakeFor(lane); // the offer was a full fence
    }

    /** Queues a timed job that is due, although the injector may be closed or full: it was accepted before. */
    void offerTimed(TimedJob<?> job) {
        injector.offerEvenIfClosed(job, Thread.currentThread().getId());
        pool.counters.fired.increment();
    }

    /** Called by a worker that has taken a job from the injector. */
    void roomMade() {
        if (pool.config.bounded()) {
            gate.roomMade();
        }
    }

    /** Rejects everything from outside from now on, and submitters that wait for room. */
    void close() {
        injector.close();
        gate.open();
    }

    RejectedExecutionException rejectedByShutdown(Object... jobs) {
        return rejected(
                "scheduler " + pool.config.name() + (pool.isTerminated() ? " has terminated" : " is shut down"), jobs);
    }

    private RejectedExecutionException rejected(String reason, Object... jobs) {
        String what = jobs.length == 1 ? "job " + describe(jobs[0]) : jobs.length + " jobs";
        RejectedExecutionException rejection = new RejectedExecutionException(what + " rejected: " + reason);
        pool.counters.rejected.add(jobs.length);
        for (Object job : jobs) {
            if (job instanceof SubmittedJob<?> handle) {
                handle.reject();
            }
        }
        return rejection;
    }

    /** What a job says of itself; whatever its {@code toString} throws, the submission is rejected. */
    private static String describe(Object job) {
        try {
            return String.valueOf(job);
        } catch (Throwable itsOwnFault) {
            Object body = job instanceof Runnable runnable ? Wrapper.unwrap(runnable) : job;
            return body.getClass().getName() + "@" + Integer.toHexString(System.identityHashCode(body));
        }
    }
}
