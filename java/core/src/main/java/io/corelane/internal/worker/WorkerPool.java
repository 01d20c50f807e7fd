// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.JobHandle;
import io.corelane.Repetition;
import io.corelane.ScheduledJob;
import io.corelane.SchedulerStats;
import io.corelane.affinity.AffinityException;
import io.corelane.affinity.CpuSet;
import io.corelane.internal.deque.WorkDeque;
import io.corelane.internal.fork.ForkList;
import io.corelane.internal.fork.ForkNode;
import io.corelane.internal.fork.Hunger;
import io.corelane.internal.injector.Injector;
import io.corelane.internal.injector.Mailbox;
import io.corelane.internal.parking.EventCount;
import io.corelane.internal.stack.StackReserve;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The workers of one scheduler with what they share, and their life cycle. Their threads are in {@link PoolThreads}; the way
 * in for jobs is {@link Intake} and {@link Lanes}.
 *
 * <p><b>Thread safety:</b> any thread may call anything.
 */
public final class WorkerPool {
    /*
     * Life cycle: RUNNING -> CLOSING -> SHUTDOWN -> STOPPING, or from any to STOPPING; then each thread ends, and with the
     * last one the pool has terminated. CLOSING lasts until all shards are closed: before that the pool must not stop however
     * quiet it is, because a shard that is still open accepts jobs.
     *
     * Accepting and shutting down are one atomic decision, see Intake.
     *
     * Quiescence. Under SHUTDOWN every worker that has announced itself calls stopIfQuiescent, and so does shutdown. The
     * last of them finds no timed job waiting, no thread away from its worker, all queues empty and all slots parked,
     * with the event count's stamp unchanged in between: then nothing can come any more, and the pool stops. A timed job
     * and a thread that comes back show up in the next thing to be looked at before they vanish from the one before.
     *
     * shutdownNow. STOPPING is set first. A worker marks each transfer between queues before it looks at the state (M1),
     * and the collector waits for the marks to go after it has set the state (M2), so that afterwards every job that has
     * not started is among the timers, in an injector shard, a mailbox or a deque, and the collector takes it from there.
     */
    private static final int RUNNING = 0;
    private static final int CLOSING = 1;
    private static final int SHUTDOWN = 2;
    private static final int STOPPING = 3;

    /** If a timer is due nobody tells those who wait for quiescence when it has been seen to. */
    private static final long DUE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    final PoolConfig config;
    final PoolLog log;
    final PoolThreads threads;
    final Worker[] workers;
    /** By worker. */
    final Victims[] victims;

    final EventCount eventCount;
    /** The deque of the last worker whose submission has woken another; plain, because it is a hint. */
    @Nullable
    WorkDeque waker;

    /** Workers that look for work, and threads that wait for forks of others. */
    final Hunger hunger = new Hunger();
    /** Which trees from outside end sooner than a wake-up takes. */
    final QuickRoots quickRoots = new QuickRoots();

    final Counters counters = new Counters();
    final int maxSearchers;
    final Intake intake;
    final Injector injector;
    final Lanes lanes;
    final Timers timers = new Timers(this);
    final Spares spares;

    final GuestDeques guestDeques = new GuestDeques();

    /** How many workers have a thread that is parked in a join. */
    final AtomicInteger waitersInJoins = new AtomicInteger();

    private final AtomicInteger state = new AtomicInteger(RUNNING);
    private final CountDownLatch collected = new CountDownLatch(1);
    /** Threads in {@link #awaitQuiescence}. */
    private final Set<Thread> watchers = ConcurrentHashMap.newKeySet();

    private volatile boolean stoppedNow;
    private volatile CpuSet base;
    private final long startNanos = System.nanoTime();

    private WorkerPool(PoolConfig config) {
        this.config = config;
        log = new PoolLog(config);
        int count = config.workers();
        intake = new Intake(this, config.intake());
        injector = intake.injector();
        lanes = new Lanes(this);
        spares = new Spares(this, config.spareThreads());
        eventCount = new EventCount(count);
        maxSearchers = config.idling().neverParks() ? count : Math.max(1, count / 2);
        threads = new PoolThreads(this, count);
        workers = new Worker[count];
        for (int i = 0; i < count; i++) {
            workers[i] = new Worker(this, i, config.cpuOf(i));
        }
        base = config.placement().base();
        victims = Victims.of(workers, config.placement().topology());
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
        pool.threads.start(startup);
        Throwable failure = startup.await();
        if (failure != null) {
            pool.abandon();
            throw startFailure(failure);
        }
        String refusal = config.placement().refusal();
        if (refusal != null) {
            pool.log.noteUnpinned(refusal);
        }
        if (pool.threads.of(0).pin.isWatchable()) {
            PinWatcher.watch(pool);
        }
        return pool;
    }

    /** Takes the threads of a failed start down again and waits until they are gone. */
    private void abandon() {
        intake.close();
        stop();
        collected.countDown();
        threads.joinAll();
    }

    private static RuntimeException startFailure(Throwable failure) {
        if (failure instanceof RuntimeException exception) {
            exception.addSuppressed(new IllegalStateException("the scheduler was not started"));
            return exception;
        }
        return new IllegalStateException("the scheduler was not started: " + failure, failure);
    }

    /**
     * Returns the way in.
     *
     * @return where jobs are accepted
     */
    public Intake intake() {
        return intake;
    }

    /**
     * Returns the lanes.
     *
     * @return one for each worker
     */
    public Lanes lanes() {
        return lanes;
    }

    /**
     * Accepts a job that is due later.
     *
     * @param body what to call
     * @param delayNanos until then
     * @param <T> the type of the result
     * @return its handle
     * @throws RejectedExecutionException if the pool was shut down
     */
    public <T extends @Nullable Object> ScheduledJob<T> schedule(Callable<T> body, long delayNanos) {
        TimedJob<T> job = new TimedJob<>(this, config.context().ofSubmitter() ? ContextJob.around(body) : body, null);
        timers.add(job, delayNanos);
        return job;
    }

    /**
     * Accepts a job that is due later, once or repeatedly.
     *
     * @param body what to run
     * @param delayNanos until the first time
     * @param repetition how it is repeated, or null to run it once
     * @return its handle
     * @throws RejectedExecutionException if the pool was shut down
     */
    public ScheduledJob<@Nullable Void> schedule(Runnable body, long delayNanos, @Nullable Repetition repetition) {
        TimedJob<@Nullable Void> job =
                new TimedJob<>(this, config.context().ofSubmitter() ? new ContextJob(body) : body, repetition);
        timers.add(job, delayNanos);
        return job;
    }

    /**
     * Accepts a job that is cancelled, with an interrupt, if it has not ended in time.
     *
     * @param body what to call
     * @param nanos the time, from now
     * @param <T> the type of the result
     * @return its handle
     * @throws RejectedExecutionException if the pool was shut down, the injector is full, or the timers' thread cannot be
     *     started
     */
    public <T extends @Nullable Object> JobHandle<T> submitWithin(Callable<T> body, long nanos) {
        return intake.submitWithin(body, nanos);
    }

    /**
     * Runs what may block; on a thread of the pool another thread serves its worker meanwhile.
     *
     * @param section what may block
     * @param <T> the type of its result
     * @return its result
     * @throws Exception if it throws
     */
    public <T extends @Nullable Object> T blocking(Callable<T> section) throws Exception {
        WorkerThread thread = currentThread();
        return thread == null ? section.call() : thread.blocking(section);
    }

    /** Returns the calling thread if it belongs to this pool, whether or not it serves a worker; else null. */
    @Nullable
    WorkerThread currentThread() {
        return Thread.currentThread() instanceof WorkerThread thread && thread.pool == this ? thread : null;
    }

    /** Returns the trees of the calling thread if it belongs to this pool, else null. */
    @Nullable
    Forking currentForking() {
        WorkerThread thread = currentThread();
        return thread == null ? null : thread.forking;
    }

    /**
     * Begins to run a tree of forks on the calling thread, whichever that is.
     *
     * @param root the class of its root
     * @return to be told of the end
     * @throws RejectedExecutionException if the pool was shut down and the caller is not one of its jobs
     */
    public TreeRun beginTree(Class<?> root) {
        return TreeRun.begin(this, root);
    }

    /**
     * As {@link #beginTree}, for a root whose forks may wait for each other, or that forks only when it is asked to: it
     * shares from the start.
     *
     * @return to be told of the end
     */
    public TreeRun beginScope() {
        return TreeRun.begin(this, QuickRoots.NEVER);
    }

    /** Returns the worker that the calling thread serves, or null if it serves none of this pool. */
    @Nullable
    Worker currentWorker() {
        return Thread.currentThread() instanceof WorkerThread thread && thread.pool == this ? thread.worker : null;
    }

    // ---- what workers ask ----------------------------------------------------------------------------------------

    /** Returns whether there is work that any worker could take, or a thread that any worker could be given to. */
    boolean isWorkVisible() {
        return isJobVisible() || guestDeques.isAnyVisible();
    }

    /** Returns whether there is such work but for what guests have shared, which is part of no job. */
    private boolean isJobVisible() {
        if (!injector.isEmpty() || spares.isAnyReturning()) {
            return true;
        }
        for (Worker worker : workers) {
            if (!worker.deque.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the deque of the worker whose submission has woken another since this was called last, if one did. */
    @Nullable
    WorkDeque takeWaker() {
        WorkDeque last = waker;
        waker = null;
        return last;
    }

    /**
     * Wakes a thread for work that any worker can do, unless one is on its way. The caller has published the work before,
     * with a full fence after it.
     */
    void signal() {
        boolean ignored = trySignal();
    }

    /** As {@link #signal}; returns whether an idle worker was woken. */
    boolean trySignal() {
        if (eventCount.signal()) {
            return true;
        }
        if (allWaitInJoins()) { // [R1] as in Spares
            wakeWaitersInJoins();
        }
        return false;
    }

    /** Returns whether every worker's thread waits in a join although there is work. */
    boolean isStuckInJoins() {
        return allWaitInJoins() && isWorkVisible();
    }

    private boolean allWaitInJoins() {
        return waitersInJoins.get() == workers.length;
    }

    /** Wakes the thread of one worker for work that only this worker can do. The caller has published it before. */
    void wakeFor(Worker worker) {
        if (!eventCount.wake(worker.index)) {
            worker.wakeWaiterInJoin();
        }
    }

    /** Does the same for a caller that has made sure of its stack and must not stop half-way. */
    void wakeWithinReserve(Worker worker) {
        if (!eventCount.wakeWithinReserve(worker.index)) {
            worker.wakeWaiterInJoin();
        }
    }

    /** Wakes the threads that wait in joins, whose workers are free for threads that want one. */
    void wakeWaitersInJoins() {
        for (Worker worker : workers) {
            worker.wakeWaiterInJoin();
        }
    }

    /** A worker has announced that it will park. */
    void onAnnounced() {
        if (isShutdown()) {
            stopIfQuiescent();
        }
        if (isWatched()) {
            wakeWatchers();
        }
    }

    /** Returns whether a worker without work has to park in the end: by its policy, or because somebody waits for it. */
    boolean mustPark() {
        return !config.idling().neverParks() || isShutdown() || isWatched();
    }

    /** Returns whether somebody waits for quiescence. */
    boolean isWatched() {
        return !watchers.isEmpty();
    }

    /** Lets those who wait for quiescence look again. */
    void wakeWatchers() {
        watchers.forEach(LockSupport::unpark);
    }

    /** No timed job is left. */
    void onTimersDone() {
        if (isShutdown()) {
            stopIfQuiescent();
        }
    }

    /**
     * Gives the calling thread, which may be born on a pinned one, all CPUs of the process.
     *
     * @param otherwise what comes of it if that is refused, for the log
     */
    public void useAllCpus(String otherwise) {
        tryAffinity(otherwise, () -> BaseMask.apply(base));
    }

    /** Does for the calling thread what it can do without. If nobody could be pinned, that has been said once, and is enough. */
    void tryAffinity(String otherwise, Runnable change) {
        if (config.pinned()) {
            try {
                change.run();
            } catch (AffinityException refused) {
                if (Arrays.stream(workers).anyMatch(worker -> worker.cpu >= 0)) {
                    log.warn(otherwise, refused);
                }
            }
        }
    }

    // ---- life cycle ----------------------------------------------------------------------------------------------

    /** Rejects new jobs; those accepted are run, then the threads end. Repeated jobs are cancelled. */
    public void shutdown() {
        StackReserve.require(); // half a shutdown would never end
        if (state.compareAndSet(RUNNING, CLOSING)) { // before the close: a rejected submitter finds the pool shut down
            intake.close();
            lanes.close();
            timers.awaitInserts(); // who has found the pool open counts its timer before anybody looks at their number
            state.compareAndSet(CLOSING, SHUTDOWN); // unless shutdownNow came in between
            if (isWorkVisible()) {
                signal(); // again: a submitter whose stack overflowed may have queued a job and waked nobody
            }
        }
        timers.cancelRepeated(); // calls listeners: what they wait for, the end above all, must be able to come
        stopIfQuiescent();
    }

    /**
     * Rejects new jobs, interrupts those that run, and takes back those that have not started.
     *
     * @return the jobs that never ran; their handles are cancelled
     */
    public List<Runnable> shutdownNow() {
        StackReserve.require();
        state.compareAndSet(RUNNING, CLOSING); // before the close: a rejected submitter finds the pool shut down
        intake.close();
        lanes.close();
        stoppedNow = true; // before the alarms, here and below
        if (!stop()) {
            Forking.alarmGuestsOf(this);
            return List.of();
        }
        WorkerThread caller = currentThread();
        if (caller != null) {
            caller.stopsPool = true;
        }
        threads.interrupt();
        Forking.alarmGuestsOf(this);
        List<Runnable> unstarted = new ArrayList<>();
        try {
            collect(unstarted);
        } finally {
            collected.countDown();
            unstarted.forEach(WorkerPool::tellHandedBack); // last: a listener may wait for what runs
        }
        return unstarted;
    }

    private static void tellHandedBack(Runnable job) {
        if (job instanceof SubmittedJob<?> handle && handle.isDone()) { // not if it was passed to execute
            handle.wakeWaiters();
        }
    }

    /** Sets STOPPING and wakes everyone; returns whether this call did it. */
    private boolean stop() {
        int before = state.getAndSet(STOPPING); // [M2] volatile, before the marks are read
        wakeEveryone();
        return before != STOPPING;
    }

    private void wakeEveryone() {
        eventCount.wakeAll();
        wakeWaitersInJoins();
        spares.wakeAll();
        timers.wake();
        wakeWatchers();
    }

    /** Stops a pool that is shut down and has nothing left to do. */
    void stopIfQuiescent() {
        long stamp = eventCount.stamp();
        if (state.get() == SHUTDOWN
                && timers.jobs() == 0
                && isQuiescentSince(stamp)
                && state.compareAndSet(SHUTDOWN, STOPPING)) {
            collected.countDown();
            wakeEveryone();
        }
    }

    private boolean isQuiescentSince(long stamp) {
        return spares.away() == 0 && !isJobVisible() && lanes.isEmpty() && eventCount.allParkedSince(stamp);
    }

    /**
     * Waits until no job is queued and none runs; timed jobs that are not due do not count. From a job of this pool, which
     * cannot wait for its own end, returns false at once.
     *
     * @param nanos the longest to wait
     * @return whether there was such a moment
     * @throws InterruptedException if interrupted while waiting
     */
    public boolean awaitQuiescence(long nanos) throws InterruptedException {
        if (isOwnThread()) {
            return false;
        }
        long deadline = System.nanoTime() + Math.min(nanos, Long.MAX_VALUE / 2);
        Thread caller = Thread.currentThread();
        watchers.add(caller); // before the look; a worker announces itself, then looks for watchers
        try {
            while (true) {
                long stamp = eventCount.stamp();
                boolean due = timers.isAnyDue(); // before the queues: what is due shows up there before it is gone here
                if ((!due && isQuiescentSince(stamp)) || isTerminated()) {
                    return true;
                }
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                LockSupport.parkNanos(this, due ? Math.min(left, DUE_PAUSE_NANOS) : left);
            }
        } finally {
            watchers.remove(caller);
            if (!mustPark()) {
                eventCount.wakeAll(); // who parks after this look sees that it need not
            }
        }
    }

    private void collect(List<Runnable> unstarted) {
        for (Worker worker : workers) {
            while (worker.inTransfer()) { // [M2] volatile, pairs M1
                Thread.onSpinWait();
            }
        }
        timers.close().forEach(job -> takeBack(job, unstarted));
        injector.drain(job -> takeBack(job, unstarted));
        for (Worker worker : workers) {
            Mailbox mailbox = worker.mailbox;
            if (mailbox != null) {
                mailbox.drain(job -> takeBack(job, unstarted));
            }
            worker.deque.drain(job -> takeBack(job, unstarted));
        }
    }

    private void takeBack(Object job, List<Runnable> unstarted) {
        if (job instanceof ForkJob) {
            return; // its parent will find it unclaimed
        }
        if (!(job instanceof SubmittedJob<?> handle) || handle.handBack()) {
            counters.handedBack.increment();
            unstarted.add(Wrapper.unwrap((Runnable) job));
        }
    }

    void awaitCollected() {
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

    /**
     * Returns the CPUs of threads that serve no worker.
     *
     * @return what the process might use when the pool was started, or when a change was last seen
     */
    public CpuSet base() {
        return base;
    }

    /** Called by the watcher when what the process may use has changed. */
    void base(CpuSet allowed) {
        if (!allowed.isEmpty()) {
            base = allowed;
        }
    }

    /**
     * Returns whether no new jobs are accepted.
     *
     * @return whether it was shut down
     */
    public boolean isShutdown() {
        return state.get() != RUNNING;
    }

    /** Returns whether {@link #shutdownNow} was called: what runs is to stop. */
    boolean isStoppedNow() {
        return stoppedNow;
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
        return threads.haveEnded();
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
        if (isOwnThread()) {
            return isTerminated();
        }
        return threads.awaitEnd(timeout, unit);
    }

    /** Returns whether the caller is one of the pool's own threads. */
    public boolean isOwnThread() {
        return currentThread() != null || timers.isOwnThread() || runsSharedFork();
    }

    /** Whether the caller, a guest, runs a part of a fork for which another thread waits. */
    private boolean runsSharedFork() {
        ForkList list = ForkList.currentOrNull();
        ForkNode newest =
                list != null && list.host() instanceof Forking here && here.pool == this ? list.newest() : null;
        return newest != null && ForkList.originOf(newest) != null;
    }

    /**
     * Returns whether the caller serves a worker of the pool, which then stands still while the caller waits.
     *
     * @return whether it serves one
     */
    public boolean isServing() {
        return currentWorker() != null;
    }

    /**
     * Takes a snapshot of the counters.
     *
     * @return the snapshot
     */
    public SchedulerStats stats() {
        return Snapshot.of(this, startNanos);
    }

    /**
     * Describes what every thread does.
     *
     * @return several lines
     */
    public String dump() {
        return Dump.of(this);
    }

    /** Returns the names of the state, for {@link Dump}. */
    String stateName() {
        return isTerminated()
                ? "terminated"
                : switch (state.get()) {
                    case RUNNING -> "running";
                    case STOPPING -> "stopping";
                    default -> "shut down";
                };
    }
}
