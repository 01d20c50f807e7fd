// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.FailureHandler;
import io.corelane.JobHandle;
import io.corelane.SchedulerStats;
import io.corelane.WorkerStats;
import io.corelane.affinity.CpuSet;
import io.corelane.internal.injector.Injector;
import io.corelane.internal.parking.EventCount;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The workers of one scheduler with what they share: the way in for jobs, the life cycle, and the replacement of dead
 * threads.
 *
 * <p><b>Thread safety:</b> any thread may call anything.
 */
public final class WorkerPool {
    /*
     * Life cycle: RUNNING -> CLOSING -> SHUTDOWN -> STOPPING, or from any to STOPPING; then each thread ends and the last
     * one opens `terminated`. CLOSING lasts until all shards are closed: before that the pool must not stop however quiet
     * it is, because a shard that is still open accepts jobs.
     *
     * Accepting and shutting down are one atomic decision: an outside job is accepted by the CAS in its injector shard,
     * which fails once the shard is closed. A job of this scheduler's own jobs is accepted by looking at the state:
     * its worker is awake, so the pool cannot have stopped, unless by shutdownNow (see submitFromWorker).
     *
     * Quiescence. Under SHUTDOWN every worker that has announced itself calls stopIfQuiescent, and so does shutdown. The
     * last of them finds all slots parked and all queues empty, with the event count's stamp unchanged in between: then
     * nothing can come any more, and the pool stops.
     *
     * shutdownNow. STOPPING is set first. A worker marks each transfer between queues before it looks at the state (M1),
     * and the collector waits for the marks to go after it has set the state (M2), so that afterwards every job that has
     * not started is in an injector shard or in a deque, and the collector takes it from there.
     */
    private static final int RUNNING = 0;
    private static final int CLOSING = 1;
    private static final int SHUTDOWN = 2;
    private static final int STOPPING = 3;

    final PoolConfig config;
    final Worker[] workers;
    /** By worker. */
    final Victims[] victims;

    final Injector injector;
    final EventCount eventCount;
    final Counters counters = new Counters();
    final int maxSearchers;

    private final AtomicReferenceArray<WorkerThread> threads;
    private final AtomicInteger state = new AtomicInteger(RUNNING);
    private final AtomicInteger liveThreads;
    private final CountDownLatch collected = new CountDownLatch(1);
    private final CountDownLatch terminated = new CountDownLatch(1);
    private volatile String note = "";
    private final long startNanos = System.nanoTime();

    private WorkerPool(PoolConfig config) {
        this.config = config;
        int count = config.workers();
        injector = config.injectorCapacity() == 0 ? new Injector(count) : Injector.bounded(config.injectorCapacity());
        eventCount = new EventCount(count);
        maxSearchers = config.spinNanos() == Long.MAX_VALUE ? count : Math.max(1, count / 2);
        liveThreads = new AtomicInteger(count);
        threads = new AtomicReferenceArray<>(count);
        workers = new Worker[count];
        CpuSet cpus = config.cpus();
        int[] plan = cpus == null ? new int[0] : cpus.toArray();
        for (int i = 0; i < count; i++) {
            workers[i] = new Worker(this, i, plan.length == 0 ? -1 : plan[i % plan.length]);
        }
        victims = Victims.of(workers, config.neighbours());
    }

    /**
     * Starts a pool: all workers, each pinned as asked, or none.
     *
     * @param config what to start
     * @return the running pool
     * @throws io.corelane.affinity.AffinityException if a pin is required and refused
     * @throws IllegalStateException if a thread cannot be started
     */
    public static WorkerPool start(PoolConfig config) {
        WorkerPool pool = new WorkerPool(config);
        Startup startup = new Startup(config.workers());
        for (Worker worker : pool.workers) {
            pool.startThread(worker, startup);
        }
        Throwable failure = startup.await();
        if (failure != null) {
            pool.abandon();
            throw startFailure(failure);
        }
        return pool;
    }

    private void startThread(Worker worker, Startup startup) {
        WorkerThread thread = new WorkerThread(this, worker, startup);
        threads.set(worker.index, thread);
        eventCount.assign(worker.index, thread);
        try {
            thread.start();
        } catch (Throwable cannotStart) {
            startup.notStarted(new IllegalStateException(
                    "worker " + worker.index + " of " + config.workers() + ": its thread cannot be started ("
                            + cannotStart.getMessage() + ")",
                    cannotStart));
            threadGone();
        }
    }

    /** Takes the threads of a failed start down again and waits until they are gone. */
    private void abandon() {
        injector.close();
        stop();
        collected.countDown();
        boolean interrupted = Thread.interrupted();
        for (int i = 0; i < workers.length; i++) {
            while (threads.get(i).isAlive()) {
                try {
                    threads.get(i).join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static RuntimeException startFailure(Throwable failure) {
        if (failure instanceof RuntimeException exception) {
            exception.addSuppressed(new IllegalStateException("the scheduler was not started"));
            return exception;
        }
        return new IllegalStateException("the scheduler was not started: " + failure, failure);
    }

    // ---- the way in ----------------------------------------------------------------------------------------------

    /**
     * Accepts a job or throws.
     *
     * @param job what to run
     * @throws RejectedExecutionException if the pool was shut down, or the injector is full
     */
    public void execute(Runnable job) {
        if (!accept(job)) {
            throw rejected(job, "the injector is full (capacity " + config.injectorCapacity() + ")");
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
        boolean accepted = accept(job);
        if (!accepted) {
            counters.rejected.increment();
        }
        return accepted;
    }

    /** Accepts a job; returns false if the injector is full, throws if the pool was shut down. */
    private boolean accept(Runnable job) {
        WorkerThread own = currentThread();
        if (own != null) {
            submitFromWorker(own.worker, job);
            return true;
        }
        if (injector.offer(job, Thread.currentThread().getId())) {
            eventCount.signal(); // the offer was a full fence
            return true;
        }
        if (isShutdown()) {
            throw rejectedByShutdown(job);
        }
        return false;
    }

    /**
     * Accepts all jobs of an array, in order, or none. The array is the pool's from then on.
     *
     * @param jobs what to run; none is null
     * @throws RejectedExecutionException if the pool was shut down, or the injector has no room for all
     */
    public void executeAll(Object[] jobs) {
        WorkerThread own = currentThread();
        if (own != null) {
            submitAllFromWorker(own.worker, jobs);
        } else if (injector.offerAll(jobs, Thread.currentThread().getId())) {
            eventCount.signal(); // the offer was a full fence; who is woken wakes the next
        } else if (isShutdown()) {
            throw rejectedByShutdown(jobs);
        } else {
            throw rejected(jobs, "the injector has no room for all (capacity " + config.injectorCapacity() + ")");
        }
    }

    private void submitFromWorker(Worker worker, Runnable job) {
        if (isShutdown()) {
            throw rejectedByShutdown(job);
        }
        worker.submit(job); // ends with a full fence
        rejectUncollected(worker);
    }

    private void submitAllFromWorker(Worker worker, Object[] jobs) {
        if (isShutdown()) {
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
        if (!isStopping()) {
            return;
        }
        awaitCollected();
        List<Object> uncollected = new ArrayList<>();
        for (Object job = worker.deque.pop(); job != null; job = worker.deque.pop()) {
            uncollected.add(job);
        }
        if (!uncollected.isEmpty()) {
            worker.uncountSubmitted(uncollected.size());
            throw rejectedByShutdown(uncollected.toArray());
        }
    }

    private RejectedExecutionException rejectedByShutdown(Object... jobs) {
        return rejected(jobs, "scheduler " + config.name() + (isTerminated() ? " has terminated" : " is shut down"));
    }

    private RejectedExecutionException rejected(Runnable job, String reason) {
        return rejected(new Object[] {job}, reason);
    }

    private RejectedExecutionException rejected(Object[] jobs, String reason) {
        counters.rejected.add(jobs.length);
        for (Object job : jobs) {
            if (job instanceof SubmittedJob<?> handle) {
                handle.reject();
            }
        }
        String what = jobs.length == 1 ? "job " + jobs[0] : jobs.length + " jobs";
        return new RejectedExecutionException(what + " rejected: " + reason);
    }

    /**
     * Makes a handle that is not queued yet.
     *
     * @param body what to call
     * @param <T> the type of the result
     * @return a job that is its own handle
     */
    public <T extends @Nullable Object> RunnableFuture<T> newJob(Callable<T> body) {
        return new SubmittedJob<>(this, body);
    }

    /**
     * Accepts a job or throws.
     *
     * @param body what to call
     * @param <T> the type of the result
     * @return its handle
     * @throws RejectedExecutionException if the pool was shut down
     */
    public <T extends @Nullable Object> JobHandle<T> submit(Callable<T> body) {
        SubmittedJob<T> job = new SubmittedJob<>(this, body);
        execute(job);
        return job;
    }

    /**
     * Accepts a job or throws.
     *
     * @param body what to run
     * @return its handle, whose result is null
     * @throws RejectedExecutionException if the pool was shut down
     */
    public JobHandle<@Nullable Void> submit(Runnable body) {
        SubmittedJob<@Nullable Void> job = new SubmittedJob<>(this, body);
        execute(job);
        return job;
    }

    /** Returns the calling thread if it is a worker of this pool, else null. */
    @Nullable
    WorkerThread currentThread() {
        return Thread.currentThread() instanceof WorkerThread thread && thread.pool == this ? thread : null;
    }

    // ---- what workers ask ----------------------------------------------------------------------------------------

    boolean isWorkVisible() {
        if (!injector.isEmpty()) {
            return true;
        }
        for (Worker worker : workers) {
            if (!worker.deque.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    WorkerThread threadOf(int worker) {
        return threads.get(worker);
    }

    /** Keeps the first reason why a worker runs unpinned; returns whether this was it. */
    synchronized boolean noteUnpinned(String reason) {
        boolean first = note.isEmpty();
        if (first) {
            note = reason;
        }
        return first;
    }

    void tellFailureHandler(Runnable job, Throwable failure) {
        try {
            FailureHandler handler = config.failureHandler();
            if (handler != null) {
                handler.onFailure(job, failure);
            } else {
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
            }
        } catch (Throwable handlerFailure) {
            log(Level.ERROR, "the failure handler of scheduler " + config.name() + " threw", handlerFailure);
        }
    }

    private static void log(Level level, String message, Throwable cause) {
        System.getLogger("io.corelane").log(level, message, cause);
    }

    // ---- life cycle ----------------------------------------------------------------------------------------------

    /** Rejects new jobs; those accepted are run, then the threads end. */
    public void shutdown() {
        if (state.compareAndSet(RUNNING, CLOSING)) { // before the close: a rejected submitter finds the pool shut down
            injector.close();
            state.compareAndSet(CLOSING, SHUTDOWN); // unless shutdownNow came in between
        }
        stopIfQuiescent();
    }

    /**
     * Rejects new jobs, interrupts those that run, and takes back those that have not started.
     *
     * @return the jobs that never ran; their handles are cancelled
     */
    public List<Runnable> shutdownNow() {
        state.compareAndSet(RUNNING, CLOSING); // before the close: a rejected submitter finds the pool shut down
        injector.close();
        if (!stop()) {
            return List.of();
        }
        List<Runnable> unstarted = collectUnstarted();
        collected.countDown();
        for (int i = 0; i < workers.length; i++) {
            if (threads.get(i) != Thread.currentThread()) {
                threads.get(i).interrupt();
            }
        }
        return unstarted;
    }

    /** Sets STOPPING and wakes everyone; returns whether this call did it. */
    private boolean stop() {
        int before = state.getAndSet(STOPPING); // [M2] volatile, before the marks are read
        eventCount.wakeAll();
        return before != STOPPING;
    }

    /** Stops a pool that is shut down and has nothing left to do. */
    void stopIfQuiescent() {
        long stamp = eventCount.stamp();
        if (state.get() == SHUTDOWN
                && !isWorkVisible()
                && eventCount.allParkedSince(stamp)
                && state.compareAndSet(SHUTDOWN, STOPPING)) {
            collected.countDown();
            eventCount.wakeAll();
        }
    }

    private List<Runnable> collectUnstarted() {
        for (Worker worker : workers) {
            while (worker.inTransfer()) { // [M2] volatile, pairs M1
                Thread.onSpinWait();
            }
        }
        List<Runnable> unstarted = new ArrayList<>();
        injector.drain(job -> takeBack(job, unstarted));
        for (Worker worker : workers) {
            worker.deque.drain(job -> takeBack(job, unstarted));
        }
        return unstarted;
    }

    private void takeBack(Object job, List<Runnable> unstarted) {
        if (!(job instanceof SubmittedJob<?> handle) || handle.handBack()) {
            counters.handedBack.increment();
            unstarted.add((Runnable) job);
        }
    }

    private void awaitCollected() {
        boolean interrupted = false;
        while (true) {
            try {
                collected.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Called by a worker's thread as its last act; {@code death} is null if it ended in an orderly way. */
    void threadEnded(WorkerThread thread, @Nullable Throwable death) {
        if (death != null) {
            tellFailureHandler(thread, death);
            if (!isStopping()) {
                replace(thread.worker);
                return;
            }
        }
        threadGone();
    }

    private void threadGone() {
        if (liveThreads.decrementAndGet() == 0) {
            terminated.countDown();
        }
    }

    /** Starts another thread for a worker whose thread died; tries again until the system gives one. */
    private void replace(Worker worker) {
        long pauseNanos = TimeUnit.MILLISECONDS.toNanos(1);
        worker.countReplaced();
        while (!isStopping()) {
            WorkerThread thread = new WorkerThread(this, worker, Startup.ofReplacement());
            try {
                threads.set(worker.index, thread);
                eventCount.assign(worker.index, thread);
                thread.start();
                return;
            } catch (Throwable cannotStart) {
                log(Level.WARNING, "worker " + worker.index + ": no new thread to be had, trying again", cannotStart);
                LockSupport.parkNanos(this, pauseNanos);
                pauseNanos = Math.min(2 * pauseNanos, TimeUnit.SECONDS.toNanos(1));
            }
        }
        threadGone();
    }

    /**
     * Returns whether no new jobs are accepted.
     *
     * @return whether it was shut down
     */
    public boolean isShutdown() {
        return state.get() != RUNNING;
    }

    boolean isStopping() {
        return state.get() == STOPPING;
    }

    /**
     * Returns whether all threads have ended.
     *
     * @return whether it has terminated
     */
    public boolean isTerminated() {
        return terminated.getCount() == 0;
    }

    /**
     * Waits until all threads have ended; from a job of this pool, which cannot wait for itself, returns at once.
     *
     * @param timeout the longest to wait
     * @param unit its unit
     * @return whether the pool has terminated
     * @throws InterruptedException if interrupted while waiting
     */
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        if (currentThread() != null) {
            return isTerminated();
        }
        return terminated.await(timeout, unit);
    }

    /** Returns whether the caller is one of the pool's own threads. */
    public boolean isOwnThread() {
        return currentThread() != null;
    }

    /**
     * Takes a snapshot of the counters.
     *
     * @return the snapshot
     */
    public SchedulerStats stats() {
        long submitted = injector.offered();
        long run = counters.run.sum();
        long failed = counters.failed.sum();
        List<WorkerStats> perWorker = new ArrayList<>(workers.length);
        for (Worker worker : workers) {
            submitted += worker.submittedAcquire();
            run += worker.runAcquire();
            failed += worker.failedAcquire();
            perWorker.add(worker.stats(startNanos));
        }
        return new SchedulerStats(
                config.name(),
                note,
                submitted,
                run,
                failed,
                counters.cancelled.sum(),
                counters.handedBack.sum(),
                counters.rejected.sum(),
                injector.size(),
                List.copyOf(perWorker));
    }
}
