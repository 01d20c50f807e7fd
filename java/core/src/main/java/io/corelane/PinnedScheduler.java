// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import io.corelane.affinity.AffinityException;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import io.corelane.affinity.ThreadAffinity;
import io.corelane.internal.parking.EventCount;
import io.corelane.internal.worker.PoolConfig;
import io.corelane.internal.worker.TreeRun;
import io.corelane.internal.worker.WorkerPool;
import io.corelane.topology.CpuLimits;
import io.corelane.topology.CpuSelection;
import io.corelane.topology.CpuTopology;
import io.corelane.topology.PinningException;
import io.corelane.topology.PinningPlan;
import io.corelane.topology.TopologyException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.LongBinaryOperator;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs on worker threads that are each pinned to one logical CPU and steal work from each other.
 *
 * <p>A job submitted from outside goes to the global injector, one submitted by a job of this scheduler to the deque of
 * its worker; any idle worker may take either. An {@code execute}d job that throws is reported to the
 * {@link FailureHandler}; a submitted one to its {@link JobHandle}.
 *
 * <p><b>Thread safety:</b> any thread may call anything. <b>Memory effects:</b> what a thread did before it submits a job
 * is visible to the job; what the job did is visible to whoever learns of its end, and after {@link #awaitTermination}
 * has returned true. <b>Cost:</b> {@code execute} allocates nothing and {@code submit} one object; a submission makes a
 * system call only if a worker has to be woken.
 */
public final class PinnedScheduler implements ScheduledExecutorService, AutoCloseable {
    private final WorkerPool pool;
    private final CpuSet cpus;
    private final @Nullable PinningPlan plan;
    private final int workers;

    private PinnedScheduler(PoolConfig config) {
        this.pool = WorkerPool.start(config);
        this.workers = config.workers();
        PoolConfig.Placement placement = config.placement();
        this.cpus = CpuSet.of(
                placement.cpus().stream().mapToInt(Integer::intValue).distinct().toArray());
        this.plan = placement.plan();
    }

    /**
     * Starts to describe a scheduler.
     *
     * @return a builder with the defaults: one pinned worker per CPU that the process may use
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts a scheduler with the defaults of {@link #builder}.
     *
     * @return the running scheduler
     * @throws io.corelane.affinity.AffinityException if a worker cannot be pinned
     */
    public static PinnedScheduler create() {
        return builder().build();
    }

    /**
     * Runs a job at some time, on some worker. If the injector is full, the {@link OverflowPolicy} says what happens to a
     * job from outside.
     *
     * @param job the job
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of its jobs, or its
     *     injector is full and the policy is to reject
     */
    @Override
    public void execute(Runnable job) {
        Objects.requireNonNull(job, "job");
        pool.intake().execute(job);
    }

    /**
     * Runs a job at some time, on some worker, unless the injector is full. Room that somebody waits for is taken: see
     * {@link OverflowPolicy}.
     *
     * @param job the job
     * @return false if the injector has no room; then the job will not run. Always true without
     *     {@link Builder#injectorCapacity}, and for a job of this scheduler: that goes to the deque of its worker
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of its jobs
     */
    public boolean tryExecute(Runnable job) {
        Objects.requireNonNull(job, "job");
        return pool.intake().tryExecute(job);
    }

    /**
     * Runs a job at some time, on some worker, waiting for room in a full injector for a time, whatever the overflow policy
     * is. A job of this scheduler never waits.
     *
     * @param job the job
     * @param timeout the longest to wait
     * @return false if there was no room in time; then the job will not run
     * @throws InterruptedException if interrupted while waiting
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of its jobs
     */
    public boolean tryExecute(Runnable job, Duration timeout) throws InterruptedException {
        Objects.requireNonNull(job, "job");
        return pool.intake().tryExecute(job, nanos(timeout));
    }

    /**
     * Runs jobs at some time, on some workers: all of them, or none if this throws. They are queued in the order of the
     * collection, and nobody else's job comes between them.
     *
     * <p><b>Cost:</b> one atomic operation and at most one wake-up for all, and a copy of the references.
     *
     * @param jobs the jobs, none of them null
     * @throws NullPointerException if one is null
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of its jobs; if its
     *     injector has no room for all and the overflow policy is to reject, or will never have
     */
    public void executeAll(Collection<? extends Runnable> jobs) {
        Object[] copy = jobs.toArray(new Runnable[0]);
        for (int i = 0; i < copy.length; i++) {
            Objects.requireNonNull(copy[i], () -> "a job of " + copy.length + " is null");
        }
        if (copy.length > 0) {
            pool.intake().executeAll(copy);
        }
    }

    /**
     * Runs a job at some time, on some worker.
     *
     * @param job the job
     * @param <T> the type of its result
     * @return its handle
     * @throws RejectedExecutionException as {@link #execute} does
     */
    @Override
    public <T extends @Nullable Object> JobHandle<T> submit(Callable<T> job) {
        Objects.requireNonNull(job, "job");
        return pool.intake().submit(job);
    }

    /**
     * Runs a job at some time, on some worker.
     *
     * @param job the job
     * @return its handle, whose result is null
     * @throws RejectedExecutionException as {@link #execute} does
     */
    @Override
    public JobHandle<?> submit(Runnable job) {
        Objects.requireNonNull(job, "job");
        return pool.intake().submit(job);
    }

    /**
     * Runs a job at some time, on some worker.
     *
     * @param job the job
     * @param result what its handle returns when the job is done
     * @param <T> the type of the result
     * @return its handle
     * @throws RejectedExecutionException as {@link #execute} does
     */
    @Override
    public <T extends @Nullable Object> JobHandle<T> submit(Runnable job, T result) {
        return submit(Executors.callable(job, result));
    }

    /**
     * Runs a job at some time, on some worker, and cancels it, with an interrupt, if it has not ended in time, whether or
     * not it has started. A submitter that waits for room under {@link OverflowPolicy#BLOCK} waits that long at most.
     *
     * @param job the job
     * @param limit the time, from now
     * @param <T> the type of its result
     * @return its handle
     * @throws RejectedExecutionException as {@link #execute} does, and if there was no room in time
     */
    public <T extends @Nullable Object> JobHandle<T> submitWithin(Callable<T> job, Duration limit) {
        Objects.requireNonNull(job, "job");
        return pool.submitWithin(job, nanos(limit));
    }

    /** Returns the handle of a job that was not submitted, cancelled. */
    <T extends @Nullable Object> JobHandle<T> neverSubmitted(Callable<T> job) {
        return pool.intake().reject(job);
    }

    /** As {@link #submit(Callable)}, but rejected after a time if there is no room, whatever the policy is. */
    <T extends @Nullable Object> JobHandle<T> submitIfRoomIn(Callable<T> job, long nanos) {
        return pool.intake().submit(job, nanos);
    }

    /**
     * Submits all jobs and waits until they have ended. If the wait is interrupted, those that have not ended are
     * cancelled.
     *
     * @param jobs the jobs
     * @param <T> the type of their results
     * @return the handles, in the order of the collection, all ended
     * @throws InterruptedException if interrupted while waiting
     */
    @Override
    public <T extends @Nullable Object> List<Future<T>> invokeAll(Collection<? extends Callable<T>> jobs)
            throws InterruptedException {
        return Invocations.all(this, jobs, Long.MAX_VALUE);
    }

    /**
     * Submits all jobs and waits until they have ended or the time is over; those that have not ended are cancelled.
     *
     * @param jobs the jobs
     * @param timeout the longest to wait
     * @param unit its unit
     * @param <T> the type of their results
     * @return the handles, in the order of the collection, all ended
     * @throws InterruptedException if interrupted while waiting
     */
    @Override
    public <T extends @Nullable Object> List<Future<T>> invokeAll(
            Collection<? extends Callable<T>> jobs, long timeout, TimeUnit unit) throws InterruptedException {
        return Invocations.all(this, jobs, unit.toNanos(timeout));
    }

    /**
     * Submits all jobs and returns the result of one that succeeds; the others are cancelled.
     *
     * @param jobs the jobs, at least one
     * @param <T> the type of their results
     * @return the result
     * @throws InterruptedException if interrupted while waiting
     * @throws ExecutionException if all fail; its cause is one of the failures
     */
    @Override
    public <T extends @Nullable Object> T invokeAny(Collection<? extends Callable<T>> jobs)
            throws InterruptedException, ExecutionException {
        try {
            return Invocations.any(this, jobs, Long.MAX_VALUE);
        } catch (TimeoutException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /**
     * Submits all jobs and returns the result of one that succeeds in time; the others are cancelled.
     *
     * @param jobs the jobs, at least one
     * @param timeout the longest to wait
     * @param unit its unit
     * @param <T> the type of their results
     * @return the result
     * @throws InterruptedException if interrupted while waiting
     * @throws ExecutionException if all fail; its cause is one of the failures
     * @throws TimeoutException if none has succeeded in time
     */
    @Override
    public <T extends @Nullable Object> T invokeAny(Collection<? extends Callable<T>> jobs, long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return Invocations.any(this, jobs, unit.toNanos(timeout));
    }

    /**
     * Runs a job once, after a delay. After a shutdown it still runs when it is due, and the scheduler terminates after it.
     *
     * @param job the job
     * @param delay until it is due; 0 or less for at once
     * @param unit the delay's unit
     * @return its handle
     * @throws RejectedExecutionException if the scheduler was shut down
     */
    @Override
    public ScheduledJob<?> schedule(Runnable job, long delay, TimeUnit unit) {
        Objects.requireNonNull(job, "job");
        return pool.schedule(job, unit.toNanos(delay), null);
    }

    /**
     * Runs a job once, after a delay. After a shutdown it still runs when it is due, and the scheduler terminates after it.
     *
     * @param job the job
     * @param delay until it is due; 0 or less for at once
     * @param unit the delay's unit
     * @param <T> the type of its result
     * @return its handle
     * @throws RejectedExecutionException if the scheduler was shut down
     */
    @Override
    public <T extends @Nullable Object> ScheduledJob<T> schedule(Callable<T> job, long delay, TimeUnit unit) {
        Objects.requireNonNull(job, "job");
        return pool.schedule(job, unit.toNanos(delay));
    }

    /**
     * Runs a job again and again, a period from start to start; it ends when a run throws, which the {@link FailureHandler}
     * learns of, when it is cancelled, or when the scheduler shuts down, which cancels it. See {@link #repeat} for more.
     *
     * @param job the job
     * @param initialDelay until the first run; 0 or less for at once
     * @param period from start to start, more than 0
     * @param unit the unit of both
     * @return its handle
     * @throws IllegalArgumentException if the period is not more than 0
     * @throws RejectedExecutionException if the scheduler was shut down
     */
    @Override
    public ScheduledJob<?> scheduleAtFixedRate(Runnable job, long initialDelay, long period, TimeUnit unit) {
        return repeat(job, Repetition.atFixedRate(duration(period, unit)).startingAfter(duration(initialDelay, unit)));
    }

    /**
     * Runs a job again and again, a delay from the end of a run to the start of the next; it ends as
     * {@link #scheduleAtFixedRate} says.
     *
     * @param job the job
     * @param initialDelay until the first run; 0 or less for at once
     * @param delay from end to start, more than 0
     * @param unit the unit of both
     * @return its handle
     * @throws IllegalArgumentException if the delay is not more than 0
     * @throws RejectedExecutionException if the scheduler was shut down
     */
    @Override
    public ScheduledJob<?> scheduleWithFixedDelay(Runnable job, long initialDelay, long delay, TimeUnit unit) {
        return repeat(
                job, Repetition.withFixedDelay(duration(delay, unit)).startingAfter(duration(initialDelay, unit)));
    }

    /**
     * Runs a job again and again. Two runs never overlap; each takes place on any worker. A failed run is always reported to
     * the {@link FailureHandler}.
     *
     * @param job the job
     * @param repetition when, and what a failed run means
     * @return its handle, which ends when the job is cancelled, fails for good, or the scheduler shuts down
     * @throws RejectedExecutionException if the scheduler was shut down
     */
    public ScheduledJob<?> repeat(Runnable job, Repetition repetition) {
        Objects.requireNonNull(job, "job");
        return pool.schedule(job, nanos(repetition.initialDelay()), repetition);
    }

    /**
     * Returns the lane of a worker: a place for jobs that only this worker runs, in order.
     *
     * @param index 0 to {@link #workers} - 1
     * @return always the same object for the same index
     * @throws IndexOutOfBoundsException if there is no such worker
     */
    public Lane lane(int index) {
        return pool.lanes().lane(index);
    }

    /**
     * Returns the lane that a key belongs to: all jobs of one key then run in order, one at a time.
     *
     * @param key the key; equal keys have the same lane
     * @return a lane
     */
    public Lane laneFor(Object key) {
        return pool.lanes().laneFor(key);
    }

    /**
     * Runs a job once on each worker, through its lane.
     *
     * @param job the job; it may run on several workers at the same time
     * @return the handles, by worker
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is none of its jobs, or was shut
     *     down now; if that happens in the middle, the job runs on some workers
     */
    public List<JobHandle<?>> forEachLane(Runnable job) {
        Objects.requireNonNull(job, "job");
        return pool.lanes().forEach(job);
    }

    /**
     * Runs something that may block. In a job of this scheduler a spare thread serves the worker meanwhile, on its CPU, so
     * that other jobs go on; the blocked thread may use all CPUs of the process. Afterwards the job waits for a worker to
     * become free, and goes on there (a lane's job on its own worker). On any other thread it is a plain call.
     *
     * <p>At most {@link Builder#spareThreads} threads are away from their workers at a time. Beyond that, or if the system
     * has no more threads, the section blocks its worker until it ends; nothing is thrown, and nobody waits for a place. A
     * thread that comes back has to wait for a free worker then, so that sections must not wait for what other jobs do after
     * theirs: if such sections hold all workers, they wait for ever.
     *
     * <p>A job should not hold a lock here that other jobs take outside of such sections. If they come to hold all workers while
     * they wait for the lock, the job gets no worker back, and never releases it. The same goes for a lock that is held across
     * a wait for another job's handle, which may leave its worker as well: to jobs of the worker's lane, to threads that come
     * back, and to any job if every worker waits in a join or the awaited job is another scheduler's.
     *
     * @param section what may block
     * @param <T> the type of its result
     * @return its result
     * @throws Exception if it throws
     */
    public <T extends @Nullable Object> T blocking(Callable<T> section) throws Exception {
        Objects.requireNonNull(section, "section");
        return pool.blocking(section);
    }

    /**
     * Runs a blocker to its end, as {@link ForkJoinPool#managedBlock} does; see {@link #blocking(Callable)}.
     *
     * @param blocker the blocker
     * @throws InterruptedException if it throws that
     */
    public void blocking(ForkJoinPool.ManagedBlocker blocker) throws InterruptedException {
        if (blocker.isReleasable()) {
            return;
        }
        try {
            boolean ignored = pool.blocking(() -> {
                while (!blocker.isReleasable() && !blocker.block()) {
                    // again
                }
                return true;
            });
        } catch (InterruptedException | RuntimeException e) {
            throw e;
        } catch (Exception impossible) {
            throw new AssertionError(impossible);
        }
    }

    /**
     * Returns a factory for threads that may use all CPUs of the process, wherever they are started: a thread inherits the
     * mask of its creator, so one that a job starts would else share the worker's CPU. A thread that may not set its mask
     * runs all the same, with a warning in the log if a worker is pinned.
     *
     * @return a factory of non-daemon threads
     */
    public ThreadFactory unpinnedThreadFactory() {
        return body -> {
            Thread thread = new Thread(() -> {
                pool.useAllCpus("a thread keeps the CPU of the worker that started it");
                body.run();
            });
            thread.setDaemon(false); // whatever the thread is that makes it
            return thread;
        };
    }

    /**
     * Runs a tree of forks on the calling thread, and on all workers that are idle, and returns its result when all of it has
     * ended. Outside, the calling thread runs the root itself and keeps its CPUs; in a job of this scheduler the same holds
     * for the job. What the root throws is thrown here. See {@link AbstractFork}.
     *
     * <p>A tree that ends within some microseconds is not worth waking a worker for. So if trees whose root is of this class
     * were that small, with 32 forks or more, this one is shared only once it has taken longer.
     *
     * <p>To run a tree in the background, or with a time limit, invoke it in a job: {@code scheduler.submitWithin(() ->
     * scheduler.invoke(root), limit)}; cancelling the job cancels the tree.
     *
     * @param root the root
     * @param <T> the type of the result
     * @return what it returns
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of its jobs
     * @throws java.util.concurrent.CancellationException if the job that calls this is cancelled, or the scheduler is shut
     *     down by {@link #shutdownNow}
     */
    public <T extends @Nullable Object> T invoke(Fork<T> root) {
        TreeRun run = pool.beginTree(root.getClass());
        T result;
        try {
            result = root.compute();
        } catch (Throwable failure) {
            throw run.failed(failure);
        }
        run.ended();
        return result;
    }

    /**
     * Runs a tree of forks; see {@link #invoke(Fork)}.
     *
     * @param root the root
     * @return what it returns
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of its jobs
     * @throws java.util.concurrent.CancellationException if the job that calls this is cancelled, or the scheduler is shut
     *     down by {@link #shutdownNow}
     */
    public long invoke(LongFork root) {
        TreeRun run = pool.beginTree(root.getClass());
        long result;
        try {
            result = root.compute();
        } catch (Throwable failure) {
            throw run.failed(failure);
        }
        run.ended();
        return result;
    }

    /**
     * Runs a tree of forks; see {@link #invoke(Fork)}.
     *
     * @param root the root
     * @return what it returns
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of its jobs
     * @throws java.util.concurrent.CancellationException if the job that calls this is cancelled, or the scheduler is shut
     *     down by {@link #shutdownNow}
     */
    public double invoke(DoubleFork root) {
        TreeRun run = pool.beginTree(root.getClass());
        double result;
        try {
            result = root.compute();
        } catch (Throwable failure) {
            throw run.failed(failure);
        }
        run.ended();
        return result;
    }

    /**
     * Runs a tree of forks; see {@link #invoke(Fork)}.
     *
     * @param root the root
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of its jobs
     * @throws java.util.concurrent.CancellationException if the job that calls this is cancelled, or the scheduler is shut
     *     down by {@link #shutdownNow}
     */
    public void invoke(ForkAction root) {
        TreeRun run = pool.beginTree(root.getClass());
        try {
            root.compute();
        } catch (Throwable failure) {
            throw run.failed(failure);
        }
        run.ended();
    }

    /**
     * Runs a body that makes any number of forks, and returns its result when all of them have ended. If the body or a
     * fork fails, the rest is cancelled, and that failure is thrown here, with the failures of others as suppressed ones.
     *
     * <pre>{@code
     * List<Page> pages = scheduler.scope(scope -> {
     *     List<Fork<Page>> forks = urls.stream().map(url -> scope.fork(() -> load(url))).toList();
     *     return forks.stream().map(Fork::join).toList();
     * });
     * }</pre>
     *
     * @param body what makes the forks
     * @param <T> the type of its result
     * @return its result
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of its jobs
     */
    public <T extends @Nullable Object> T scope(Function<ForkScope, ? extends T> body) {
        return runScope(body, Long.MAX_VALUE);
    }

    /**
     * As {@link #scope(Function)}, with a time limit: after that all of it is cancelled, by a {@code CancellationException}
     * from the next fork or join of each part.
     *
     * @param limit the time, from now
     * @param body what makes the forks
     * @param <T> the type of its result
     * @return its result
     * @throws RejectedExecutionException if the scheduler was shut down and the caller is not one of its jobs, or inside a tree
     *     that has outlived the scheduler
     */
    public <T extends @Nullable Object> T scope(Duration limit, Function<ForkScope, ? extends T> body) {
        return runScope(body, nanos(limit));
    }

    private <T extends @Nullable Object> T runScope(Function<ForkScope, ? extends T> body, long limitNanos) {
        Objects.requireNonNull(body, "body");
        TreeRun run = pool.beginScope();
        ForkScope scope = new ForkScope(run);
        T result;
        try {
            if (limitNanos != Long.MAX_VALUE) {
                run.cancelAfter(limitNanos);
            }
            result = body.apply(scope);
            run.joinAll();
            Throwable caught = scope.firstFailure();
            if (caught != null) {
                throw caught; // the body has swallowed it
            }
        } catch (Throwable failure) {
            throw run.failed(scope.causeOr(failure));
        }
        run.ended();
        return result;
    }

    /**
     * Calls a body with each number of a range, on the calling thread and on all workers that are idle, and returns when
     * all calls have ended. The range is split whenever somebody is idle and not otherwise. The first failure is thrown
     * here and ends the loop.
     *
     * @param from the first number
     * @param to one more than the last
     * @param body what to call, at the same time on several threads
     */
    public void parallelFor(long from, long to, LongConsumer body) {
        runLoop(new Loops.Each(from, to, Objects.requireNonNull(body, "body"), null));
    }

    private void runLoop(Range root) {
        TreeRun run = pool.beginScope();
        ForkScope scope = new ForkScope(run);
        root.scope = scope;
        try {
            root.compute();
        } catch (Throwable failure) {
            throw run.failed(scope.causeOr(failure));
        }
        run.ended();
    }

    /**
     * As {@link #parallelFor(long, long, LongConsumer)}, and counts.
     *
     * @param from the first number
     * @param to one more than the last
     * @param body what to call, at the same time on several threads
     * @param done grows by the number of calls that have ended, every some microseconds or more
     */
    public void parallelFor(long from, long to, LongConsumer body, LongAdder done) {
        runLoop(new Loops.Each(from, to, Objects.requireNonNull(body, "body"), Objects.requireNonNull(done, "done")));
    }

    /**
     * Combines the objects that a function makes of the numbers of a range; otherwise as {@link #parallelFor}.
     *
     * @param from the first number
     * @param to one more than the last
     * @param identity what changes nothing when combined
     * @param map makes an object of a number
     * @param combine combines two; in which order it does is open, but each is on the right side of the other
     * @param <T> the type of the objects
     * @return all combined; {@code identity} if the range is empty
     */
    public <T extends @Nullable Object> T parallelReduce(
            long from, long to, T identity, LongFunction<? extends T> map, BinaryOperator<T> combine) {
        Loops.Objects<T> root = new Loops.Objects<>(from, to, identity, map, combine);
        runLoop(root);
        return root.result;
    }

    /**
     * Combines the longs that a function makes of the numbers of a range, without boxing; otherwise as
     * {@link #parallelFor}.
     *
     * @param from the first number
     * @param to one more than the last
     * @param identity what changes nothing when combined
     * @param map makes a long of a number
     * @param combine combines two
     * @return all combined; {@code identity} if the range is empty
     */
    public long parallelReduceLong(
            long from, long to, long identity, LongUnaryOperator map, LongBinaryOperator combine) {
        Loops.Longs root = new Loops.Longs(from, to, identity, map, combine);
        runLoop(root);
        return root.result;
    }

    /**
     * Applies a function to each element of a list; otherwise as {@link #parallelFor}.
     *
     * @param list the list
     * @param function what to apply, at the same time on several threads
     * @param <T> the type of the elements
     * @param <R> the type of the results
     * @return the results, in the order of the elements
     */
    @SuppressWarnings("unchecked") // an array of what the list holds, and of what the function returns
    public <T, R> List<R> parallelMap(List<T> list, Function<? super T, ? extends R> function) {
        Object[] elements = list.toArray();
        Object[] results = new Object[elements.length];
        parallelFor(0, elements.length, i -> results[(int) i] = function.apply((T) elements[(int) i]));
        return (List<R>) Collections.unmodifiableList(Arrays.asList(results));
    }

    /**
     * Sorts an array, on the calling thread and on all workers that are idle.
     *
     * @param array what to sort
     */
    public void parallelSort(long[] array) {
        invoke(new LongSort(array, 0, array.length, 0));
    }

    /**
     * Sorts an array, on the calling thread and on all workers that are idle; equal elements keep their order. Needs room
     * for as many references again.
     *
     * @param array what to sort
     * @param order how
     * @param <T> the type of the elements
     */
    public <T> void parallelSort(T[] array, Comparator<? super T> order) {
        invoke(new ObjectSort<>(array, array.clone(), 0, array.length, Objects.requireNonNull(order, "order")));
    }

    /**
     * Returns the number of workers.
     *
     * @return at least 1
     */
    public int workers() {
        return workers;
    }

    /**
     * Returns the CPUs that the workers are planned for.
     *
     * @return the CPUs, empty if pinning is off
     */
    public CpuSet cpus() {
        return cpus;
    }

    /**
     * Returns which worker was given which CPU, why, and why not others.
     *
     * @return the plan; empty if pinning is off, was refused and only preferred, or the machine's files cannot be read
     */
    public Optional<PinningPlan> plan() {
        return Optional.ofNullable(plan);
    }

    /**
     * Takes a snapshot of what has been done so far.
     *
     * @return the snapshot
     */
    public SchedulerStats stats() {
        return pool.stats();
    }

    /**
     * Takes a look at what every worker does and what waits where: CPU asked and got, state, for how long it has been busy,
     * the stack of what it runs, queue lengths.
     *
     * @return several lines, for people
     */
    public String dump() {
        return pool.dump();
    }

    /**
     * Waits until no job is queued and none runs, without shutting down. Timed jobs that are not due do not count. Called
     * from a job of this scheduler, which would wait for itself, it returns false at once.
     *
     * @param timeout the longest to wait
     * @return whether there was such a moment
     * @throws InterruptedException if interrupted while waiting
     */
    public boolean awaitQuiescence(Duration timeout) throws InterruptedException {
        return pool.awaitQuiescence(nanos(timeout));
    }

    /**
     * Rejects new jobs from outside from now on. What was accepted is run, with what it submits itself, and timed jobs when
     * they are due; repeated jobs are cancelled. Then the workers end.
     */
    @Override
    public void shutdown() {
        pool.shutdown();
    }

    /**
     * Rejects new jobs, interrupts those that run, and takes back those that have not started, wherever they wait: in the
     * injector, deques, lanes or timers. A job in a {@link #blocking blocking} section ends without a worker.
     *
     * @return the jobs that never ran, in no particular order; submitted ones as their handles, which are cancelled
     */
    @Override
    public List<Runnable> shutdownNow() {
        return pool.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return pool.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return pool.isTerminated();
    }

    /**
     * Waits until all jobs have ended after a shutdown and the workers are gone. Called from a job of this scheduler,
     * which would wait for itself, it returns at once. {@link #dump} tells what still runs after a wait that failed.
     *
     * @param timeout the longest to wait
     * @param unit its unit
     * @return whether the scheduler has terminated
     * @throws InterruptedException if interrupted while waiting
     */
    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        Objects.requireNonNull(unit, "unit");
        return pool.awaitTermination(timeout, unit);
    }

    /**
     * Shuts down and waits until all accepted jobs have ended, as {@link ExecutorService} does from JDK 19 on: if the
     * wait is interrupted, the scheduler is shut down at once and the wait goes on. Called from a job of this scheduler
     * it shuts down and returns without waiting.
     */
    @Override
    public void close() {
        shutdown();
        if (pool.isOwnThread()) {
            return;
        }
        boolean interrupted = false;
        boolean terminated = false;
        while (!terminated) {
            try {
                terminated = awaitTermination(1, TimeUnit.DAYS);
            } catch (InterruptedException e) {
                if (!interrupted) {
                    shutdownNow();
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the caller serves a worker, which then stands still while the caller waits. */
    boolean isServing() {
        return pool.isServing();
    }

    private static long nanos(Duration time) {
        if (time.isNegative()) {
            return 0;
        }
        return time.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0 ? Long.MAX_VALUE : time.toNanos();
    }

    private static Duration duration(long time, TimeUnit unit) {
        return Duration.ofNanos(unit.toNanos(time)); // a time that is too long becomes the longest
    }

    @Override
    public String toString() {
        SchedulerStats stats = stats();
        return "PinnedScheduler[" + stats.name() + ", " + stats.workers().size() + " workers, "
                + (isTerminated() ? "terminated" : isShutdown() ? "shut down" : "running") + ", run " + stats.jobsRun()
                + ", failed " + stats.jobsFailed() + ", queued " + stats.queued() + "]";
    }

    /**
     * Describes a scheduler and starts it.
     *
     * <p><b>Thread safety:</b> for one thread; the schedulers it builds are independent of it.
     */
    public static final class Builder {
        private static final AtomicInteger SEQUENCE = new AtomicInteger();

        private @Nullable String name;
        private int workers;
        private @Nullable CpuSelection selection;
        private @Nullable SchedulerListener listener;
        private Pinning pinning = Pinning.REQUIRED;
        private @Nullable IdlePolicy idle;
        private LocalOrder localOrder = LocalOrder.FIFO;
        private int injectorCapacity;
        private OverflowPolicy overflow = OverflowPolicy.REJECT;
        private JoinHelp joinHelp = JoinHelp.OWN;
        private int spareThreads = PoolConfig.DEFAULT_SPARE_THREADS;
        private @Nullable ClassLoader contextClassLoader;
        private boolean contextOfSubmitter;
        private boolean sharing;
        private boolean claimCpus;
        private boolean daemon;
        private @Nullable FailureHandler failureHandler;

        private Builder() {}

        /**
         * Names the scheduler and its threads; the default is {@code corelane} and a number.
         *
         * @param name not empty; the kernel's thread names keep only its first characters
         * @return this
         * @throws IllegalArgumentException if it is empty
         */
        public Builder name(String name) {
            if (name.isEmpty()) {
                throw new IllegalArgumentException("name is empty (expected at least one character)");
            }
            this.name = name;
            return this;
        }

        /**
         * Sets how many workers to start; the default is one for each CPU.
         *
         * @param workers 1 to {@value EventCount#MAX_SLOTS}
         * @return this
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder workers(int workers) {
            if (workers < 1 || workers > EventCount.MAX_SLOTS) {
                throw new IllegalArgumentException(
                        "workers=" + workers + " (expected 1.." + EventCount.MAX_SLOTS + ")");
            }
            this.workers = workers;
            return this;
        }

        /**
         * Sets the CPUs to pin to, worker i to the i-th; the default is what mask, cpuset and CPU quota allow, one per core if
         * that is enough for the workers asked for. They are taken as they are or refused: a CPU outside the process's mask
         * is tried, and the kernel decides.
         *
         * @param cpus not empty
         * @return this
         * @throws IllegalArgumentException if it is empty
         */
        public Builder cpus(CpuSet cpus) {
            if (cpus.isEmpty()) {
                throw new IllegalArgumentException("cpus is empty (expected at least one CPU, or Pinning.OFF)");
            }
            return cpus(CpuSelection.of(cpus));
        }

        /**
         * Sets which CPUs to pin to by a description, as in {@code CpuSelection.parse("one-per-core node:0")}; the default
         * is {@link CpuSelection#allowed}.
         *
         * @param selection which CPUs
         * @return this
         */
        public Builder cpus(CpuSelection selection) {
            this.selection = Objects.requireNonNull(selection, "selection");
            return this;
        }

        /**
         * Sets who learns of pins that somebody else has changed; the default is nobody.
         *
         * @param listener the listener
         * @return this
         */
        public Builder listener(SchedulerListener listener) {
            this.listener = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /**
         * Sets how much a pin matters; the default is {@link Pinning#REQUIRED}.
         *
         * @param pinning how much a pin matters
         * @return this
         */
        public Builder pinning(Pinning pinning) {
            this.pinning = Objects.requireNonNull(pinning, "pinning");
            return this;
        }

        /**
         * Sets what an idle worker does before it parks; the default is a short spin that fits the machine.
         *
         * @param idle the policy
         * @return this
         */
        public Builder idle(IdlePolicy idle) {
            this.idle = Objects.requireNonNull(idle, "idle");
            return this;
        }

        /**
         * Sets the order in which a worker takes the jobs of its own deque; the default is {@link LocalOrder#FIFO}.
         *
         * @param localOrder the order
         * @return this
         */
        public Builder localOrder(LocalOrder localOrder) {
            this.localOrder = Objects.requireNonNull(localOrder, "localOrder");
            return this;
        }

        /**
         * Bounds how many jobs from outside may wait in the injector; the default is any number. When it is full,
         * {@link #overflow} says what happens, and {@code tryExecute} returns false. Jobs that run may submit more without
         * limit; lanes and timers are not bounded, but a timed job that is due and waits takes one of the places.
         *
         * <p><b>Cost:</b> the bound is exact, so all submitters share one queue and workers take from it one by one; the
         * unbounded injector is striped and emptied in batches.
         *
         * @param capacity at least 1
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder injectorCapacity(int capacity) {
            if (capacity < 1) {
                throw new IllegalArgumentException("injectorCapacity=" + capacity + " (expected at least 1)");
            }
            this.injectorCapacity = capacity;
            return this;
        }

        /**
         * Sets what happens to a job from outside when the injector is full; the default is {@link OverflowPolicy#REJECT}. Without
         * {@link #injectorCapacity} it never is.
         *
         * @param overflow the policy
         * @return this
         */
        public Builder overflow(OverflowPolicy overflow) {
            this.overflow = Objects.requireNonNull(overflow, "overflow");
            return this;
        }

        /**
         * Sets what a job that waits for another one may run meanwhile; the default is {@link JoinHelp#OWN}.
         *
         * @param joinHelp what it may run
         * @return this
         */
        public Builder joinHelp(JoinHelp joinHelp) {
            this.joinHelp = Objects.requireNonNull(joinHelp, "joinHelp");
            return this;
        }

        /**
         * Sets how many threads may be away from their workers at a time, in {@link PinnedScheduler#blocking blocking}
         * sections and in joins that need another thread; the default is 256. They are started when they are needed and
         * end after ten idle seconds.
         *
         * @param spareThreads at least 0
         * @return this
         * @throws IllegalArgumentException if it is negative
         */
        public Builder spareThreads(int spareThreads) {
            if (spareThreads < 0) {
                throw new IllegalArgumentException("spareThreads=" + spareThreads + " (expected at least 0)");
            }
            this.spareThreads = spareThreads;
            return this;
        }

        /**
         * Fixes the context class loader of the workers: it is set again after a job that has changed it. The default is
         * the loader of the thread that calls {@link #build}, set once.
         *
         * @param loader the loader
         * @return this
         */
        public Builder contextClassLoader(ClassLoader loader) {
            this.contextClassLoader = Objects.requireNonNull(loader, "loader");
            this.contextOfSubmitter = false;
            return this;
        }

        /**
         * Lets each job see the context class loader of the thread that submitted it. Costs an object for each job.
         *
         * @return this
         */
        public Builder contextClassLoaderOfSubmitter() {
            this.contextClassLoader = null;
            this.contextOfSubmitter = true;
            return this;
        }

        /**
         * Allows more workers than CPUs, so that several are pinned to the same one; the default is to refuse that.
         *
         * @param sharing whether workers may share a CPU
         * @return this
         */
        public Builder sharing(boolean sharing) {
            this.sharing = sharing;
            return this;
        }

        /**
         * Claims the CPUs for this process, so that other processes of the same user that claim theirs, and other schedulers of
         * this one, choose different ones; the default is not to. A claim ends with the scheduler or the process, however
         * that ends. It binds only those who claim. CPUs that others have claimed are left out of the plan, and refused if
         * they were asked for by number.
         *
         * <p>Claims are locks on files below {@code /dev/shm}, or in the directory that the system property
         * {@code corelane.claims.directory} names: containers have to share one to see each other's.
         *
         * @param claimCpus whether to claim
         * @return this
         */
        public Builder claimCpus(boolean claimCpus) {
            this.claimCpus = claimCpus;
            return this;
        }

        /**
         * Sets who learns of failures that no handle tells; the default is the worker thread's uncaught-exception
         * handler.
         *
         * @param failureHandler the handler
         * @return this
         */
        public Builder failureHandler(FailureHandler failureHandler) {
            this.failureHandler = Objects.requireNonNull(failureHandler, "failureHandler");
            return this;
        }

        /**
         * Sets whether the worker threads are daemons, which do not keep the JVM alive; the default is false.
         *
         * @param daemon whether they are daemons
         * @return this
         */
        public Builder daemon(boolean daemon) {
            this.daemon = daemon;
            return this;
        }

        /**
         * Starts the scheduler: all workers, each pinned as asked, or none. The mask of the calling thread stays as it
         * is.
         *
         * @return the running scheduler
         * @throws IllegalArgumentException if there are more workers than CPUs and {@link #sharing} is off, CPUs were
         *     given and pinning is off, or a pin is required and the CPUs cannot be had; see
         *     {@link io.corelane.topology.PinningException}
         * @throws io.corelane.affinity.AffinityException if pins are required and one is refused, or the native library
         *     cannot be loaded
         * @throws IllegalStateException if a thread cannot be started
         */
        public PinnedScheduler build() {
            if (pinning == Pinning.OFF && claimCpus) {
                throw new IllegalArgumentException(
                        "claimCpus=true with Pinning.OFF (expected false, or Pinning.REQUIRED or PREFERRED)");
            }
            if (pinning == Pinning.OFF && selection != null) {
                throw new IllegalArgumentException("cpus=\"" + selection
                        + "\" with Pinning.OFF (expected no CPUs, or Pinning.REQUIRED or PREFERRED)");
            }
            CpuLimits limits = CpuLimits.read();
            String chosenName = name != null ? name : "corelane" + SEQUENCE.incrementAndGet();
            PoolConfig.Placement placement = place(limits, chosenName);
            int planned = placement.cpus().size();
            int count = planned != 0 ? planned : workers != 0 ? workers : limits.defaultWorkers();
            int allowed = limits.allowed().size();
            boolean crowded = count >= allowed;
            ClassLoader fixed = contextClassLoader;
            return new PinnedScheduler(new PoolConfig(
                    chosenName,
                    count,
                    placement,
                    new PoolConfig.Intake(injectorCapacity, overflow),
                    localOrder == LocalOrder.LIFO,
                    new PoolConfig.Idling(
                            idle != null ? idle.spinNanos() : defaultSpinNanos(allowed, crowded), crowded),
                    joinHelp,
                    spareThreads,
                    new PoolConfig.Context(
                            fixed != null ? fixed : Thread.currentThread().getContextClassLoader(),
                            fixed != null,
                            contextOfSubmitter),
                    daemon,
                    failureHandler,
                    listener));
        }

        /**
         * Makes the plan that {@link #build} would follow, without starting or claiming anything: so it takes CPUs that others
         * have claimed for free, and pins as if {@link Pinning#OFF} were not set.
         *
         * @return which worker gets which CPU, and why
         * @throws io.corelane.topology.PinningException if the CPUs cannot be had, or are too few for the workers
         * @throws io.corelane.topology.TopologyException if the machine's files cannot be read
         */
        public PinningPlan plan() {
            return PinningPlan.of(CpuTopology.read(), CpuLimits.read(), selectionOrDefault(), workers, sharing);
        }

        private CpuSelection selectionOrDefault() {
            return selection != null ? selection : CpuSelection.allowed();
        }

        private PoolConfig.Placement place(CpuLimits limits, String holder) {
            if (pinning == Pinning.OFF) {
                return PoolConfig.Placement.unpinned(pinning, base(limits), null);
            }
            try {
                CpuTopology topology = CpuTopology.read();
                if (claimCpus) {
                    return ClaimedPlan.make(topology, limits, selectionOrDefault(), workers, sharing, pinning, holder);
                }
                PinningPlan plan = PinningPlan.of(topology, limits, selectionOrDefault(), workers, sharing);
                return PoolConfig.Placement.of(plan, pinning, null);
            } catch (TopologyException | PinningException refused) {
                if (pinning == Pinning.REQUIRED) {
                    throw refused instanceof TopologyException ? notHere(refused) : refused;
                }
                return PoolConfig.Placement.unpinned(pinning, base(limits), String.valueOf(refused.getMessage()));
            }
        }

        /** For threads without a worker; a mask that the cpuset contradicts is better than none. */
        private static CpuSet base(CpuLimits limits) {
            CpuSet allowed = limits.allowed();
            return allowed.isEmpty() ? limits.mask() : allowed;
        }

        /** Where no thread can be pinned at all, as on another system than Linux, that is the reason to tell. */
        private static RuntimeException notHere(RuntimeException refused) {
            try {
                CpuSet ignored = ThreadAffinity.get();
                return refused;
            } catch (AffinityException never) {
                never.addSuppressed(refused);
                return never;
            }
        }

        /**
         * Where a CPU is left for the submitters, about the time that parking and being woken takes (7 to 40 us were
         * measured on virtual machines): two pools that hand jobs to and fro then stay awake. Where workers share their
         * CPUs with the submitters, just longer than the gap between two submissions.
         */
        private static long defaultSpinNanos(int cpus, boolean crowded) {
            if (cpus == 1) {
                return 0;
            }
            return crowded && cpus <= 2 ? 2_000 : crowded ? 10_000 : 20_000;
        }
    }
}
