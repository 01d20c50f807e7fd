// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.WorkerStats;
import io.corelane.internal.deque.WorkDeque;
import io.corelane.internal.injector.Mailbox;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One worker: its index, CPU, deque and counters, and the loop that its thread runs. If the thread dies another one
 * continues with the same worker.
 *
 * <p><b>Thread safety:</b> everything is for the worker's thread, but for {@link #stats}.
 */
final class Worker extends WorkerCounters {
    /*
     * The turn of a worker: mailbox (every other turn) -> own deque -> mailbox -> injector, a batch -> peers, a batch ->
     * guests -> search for a while -> announce -> look everywhere once more -> park. Every FAIR_TURNS turns it looks at the
     * injector, and now and then at a peer or at guests, before its own deque, so that a worker that keeps feeding itself
     * starves nobody; in LIFO order it also takes its own oldest job then.
     *
     * Who searches is patient with a lone job of another worker (LoneJob), and goes on for longer while another one feeds
     * itself (Lookout).
     *
     * Jobs that a batch brings into the own deque can be stolen, so they are published like any other: a full fence,
     * then a signal.
     *
     * The search token (see EventCount) is held in `searching`. A thread that dies gives it back, see orphaned.
     */
    static final int FAIR_TURNS = 64;

    private static final int INJECTOR_BATCH = 64;

    /** The most jobs to steal at a time, by distance: the farther the victim, the more each visit costs. */
    private static final int[] STEAL_BATCH = {32, 32, 64, 64};

    private static final int SWEEPS_PER_CLOCK = 4;
    private static final int YIELDS = 8;
    /** So many jobs from one search to the next are a burst. */
    private static final int BURST = 16;

    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /*
     * A lane's jobs wait in the mailbox, which exists once somebody has asked for the lane. They and the other jobs take
     * turns. While a lane's job blocks, `laneHeld` keeps the lane's next job waiting although another thread serves the
     * worker.
     */
    private static final VarHandle LANE_RETURN;
    private static final VarHandle JOIN_WAITER;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            LANE_RETURN = lookup.findVarHandle(Worker.class, "laneReturn", WorkerThread.class)
                    .withInvokeExactBehavior();
            JOIN_WAITER = lookup.findVarHandle(Worker.class, "joinWaiter", Thread.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final WorkDeque deque;
    private final LoneJob loneJob;
    private final Lookout lookout = new Lookout();
    /** The lane's jobs; null until somebody has asked for the lane. */
    volatile @Nullable Mailbox mailbox;
    /** A claimed job that the next thread to serve this worker, one without a job, has to run before anything else. */
    @Nullable
    FreshStack first;
    /** Whether a job of the lane is in the middle of a blocking section. */
    boolean laneHeld;

    final PinHistory pins = new PinHistory();

    private final WorkerPool pool;
    /** The thread whose job belongs to the lane and that wants this worker back. */
    @SuppressWarnings("UnusedVariable") // LANE_RETURN
    private @Nullable WorkerThread laneReturn;
    /** The worker's thread while it is parked in a join. */
    @SuppressWarnings("UnusedVariable") // JOIN_WAITER
    private @Nullable Thread joinWaiter;

    private int turn;
    /** The shard to look at first; goes round, because a worker that keeps finding jobs in one must not forget others. */
    private int nextShard;

    private boolean searching;
    /** How many jobs had ended when this worker's last search began. */
    private long endedBefore;

    private boolean inBurst;
    private @Nullable Worker lastVictim;
    /** Whether the last sweep has stolen the only job of a worker. */
    private boolean stoleLoneJob;

    private final Runnable onStrayWakeUp = this::strayWakeUp;

    Worker(WorkerPool pool, int index, int cpuAsked) {
        super(index, cpuAsked);
        this.pool = pool;
        this.deque = WorkDeque.create(pool.config.lifo());
        this.loneJob = new LoneJob(deque);
        this.nextShard = index;
    }

    /**
     * Runs jobs until the pool has stopped or the calling thread serves this worker no more.
     *
     * @param thread the calling thread
     */
    void runJobs(WorkerThread thread) {
        beginWork(System.nanoTime());
        runFirst(thread);
        while (goesOn(thread)) {
            Object job = nextJob();
            if (job != null) {
                runAlone(thread, job);
                runOwnJobs(thread);
            }
        }
        if (pool.isStopping()) {
            beginIdle(System.nanoTime()); // for good
        }
    }

    /** Returns whether the calling thread is to go on; a thread that wants this worker back gets it before. */
    private boolean goesOn(WorkerThread thread) {
        return thread.worker == this && !pool.isStopping() && !(pool.spares.anyWanting() && giveAway(thread));
    }

    /**
     * Runs jobs of the own deque and lane until there is none or it is time to look elsewhere. It is apart from the rest so
     * that the JIT compiles it by itself: soon, because it is small, and not again whenever a search takes a branch that it
     * has never taken. In one method with nextJob, C2 needed twice the time in the first two seconds of a JVM.
     */
    private void runOwnJobs(WorkerThread thread) {
        for (int left = FAIR_TURNS - 1 - (turn & FAIR_TURNS - 1); left > 0 && goesOn(thread); left--) {
            turn++;
            Object job = ownJob();
            if (job == null) {
                return;
            }
            runAlone(thread, job);
        }
    }

    private void runAlone(WorkerThread thread, Object job) {
        thread.joining.begins(this);
        run(thread, job);
        thread.joining.ended();
    }

    /**
     * Called by the worker's thread when it dies: gives back what others wait for, because it may take long until there
     * is a new thread. That is the mark of a transfer, in which no job was lost; the search token, while which is out
     * nobody is woken; and the announcement to park, which would draw a wake-up.
     */
    void orphaned() {
        endTransfer();
        searching |= pool.eventCount.cancel(index);
        if (searching) {
            boolean ignored = pool.eventCount.endSearch();
            searching = false; // now: this is repeated if it breaks off
        }
        if (pool.isWorkVisible()) {
            pool.signal();
        }
    }

    /** Runs the job that came with the worker, if one did; it was claimed, so nobody else can, not even shutdownNow. */
    private void runFirst(WorkerThread thread) {
        FreshStack fresh = first;
        if (fresh != null) {
            first = null;
            try {
                thread.joining.begins(this);
                if (pool.isStopping()) {
                    thread.interrupt(); // shutdownNow has not met this thread here
                }
                thread.laneDepth = fresh.laneDepth;
                thread.joining.continues = fresh;
                fresh.job.runClaimed();
                thread.joining.ended();
            } finally { // also if this thread dies of it
                thread.laneDepth = 0;
                thread.joining.continues = null;
                if (fresh.laneDepth > 0 && thread.worker == this) {
                    laneHeld = true; // until the lane's job that waits is back
                }
                fresh.end();
            }
            boolean ignored = Thread.interrupted();
            if (pool.config.context().kept()) {
                thread.restoreContext();
            }
        }
    }

    /** Lets a thread that wants this worker back have it; returns whether one took it. */
    private boolean giveAway(WorkerThread thread) {
        if (!pool.spares.wants(this)) {
            return false;
        }
        thread.worker = null;
        if (pool.spares.giveToReturning(this)) {
            return true;
        }
        thread.worker = this;
        return false;
    }

    /** Finds a job; null if the pool stops or a thread wants this worker back. */
    private @Nullable Object nextJob() {
        if ((++turn & FAIR_TURNS - 1) == 0) {
            Object job = fairTurn();
            if (job != null) {
                return job;
            }
        }
        Object job = ownJob();
        if (job == null) {
            job = sweep(false);
            job = job != null ? found(job) : idle();
        }
        return job;
    }

    /** The next job of the own deque or lane; those take turns. */
    private @Nullable Object ownJob() {
        Object job = (turn & 1) == 0 ? pollMailbox() : null;
        return job != null ? job : deque.pop();
    }

    /**
     * Runs a job that nobody has claimed, or skips it if somebody has. Afterwards the thread may serve another worker.
     *
     * @param thread the calling thread
     * @param job from a queue
     */
    void run(WorkerThread thread, Object job) {
        if (job instanceof WaiterStack handle) {
            handle.runQueued();
        } else {
            Throwable failure = null;
            try {
                ((Runnable) job).run();
            } catch (Throwable t) {
                failure = t;
            }
            pool.counters.ended(thread.worker, failure == null, 1);
            if (failure != null) {
                boolean ignored = Thread.interrupted(); // nor does the handler see it
                pool.log.tellFailureHandler(Wrapper.unwrap((Runnable) job), failure);
            }
        }
        boolean ignored = Thread.interrupted(); // the next job does not see it
        if (pool.config.context().kept()) {
            thread.restoreContext();
        }
    }

    /** Looks past the own deque, so that nobody waits for ever behind a worker that feeds itself. */
    private @Nullable Object fairTurn() {
        if ((turn & 8 * FAIR_TURNS - 1) == 0) {
            Object job = (turn & 8 * FAIR_TURNS) == 0 ? pool.guestDeques.steal() : null;
            if (job == null) {
                job = stealFromAnyone();
            }
            if (job != null) {
                publish();
                return job;
            }
        }
        if (pool.config.bounded()) {
            Object job = takeInjected(); // a job that waited in the deque would be one more than the capacity
            if (job != null) {
                return job;
            }
        } else {
            moveInjected();
        }
        return pool.config.lifo() ? oldest() : null;
    }

    /** Appends a batch to the own deque, behind what the same submitters sent before. */
    private void moveInjected() {
        if (pool.injector.isFilled() && beginTransfer()) {
            if (pool.injector.moveTo(deque, nextShard++, INJECTOR_BATCH) > 0) {
                countInjectorBatch();
            }
            endTransfer();
            publish();
        }
    }

    private @Nullable Object stealFromAnyone() {
        return stealFrom(pool.workers[ThreadLocalRandom.current().nextInt(pool.workers.length)]);
    }

    private @Nullable Object takeInjected() {
        if (!pool.injector.isFilled() || !beginTransfer()) {
            return null;
        }
        Object job = pool.injector.take(deque, nextShard++, INJECTOR_BATCH);
        endTransfer();
        if (job != null) {
            countInjectorBatch();
            pool.intake.roomMade();
        }
        return job;
    }

    private @Nullable Object oldest() {
        Object job = deque.steal();
        return job == WorkDeque.RETRY ? null : job;
    }

    /** One look at everything but the own deque; who searches is patient, see {@link LoneJob}. */
    private @Nullable Object sweep(boolean patient) {
        stoleLoneJob = false;
        Object job = pollMailbox();
        if (job == null) {
            job = takeInjected();
        }
        if (job == null) {
            job = stealNearestFirst(patient);
        }
        return job != null ? job : pool.guestDeques.steal();
    }

    /** Any job that is not a lane's, for a thread that waits in a join. */
    @Nullable
    Object anyJob() {
        Object job = deque.pop();
        if (job == null) {
            job = takeInjected();
        }
        if (job == null) {
            job = stealNearestFirst(false);
        }
        if (job != null) {
            publish();
        }
        return job != null ? job : pool.guestDeques.steal();
    }

    /** The lane's next job, unless one of its jobs is in the middle of a blocking section. */
    @Nullable
    Object pollMailbox() {
        Mailbox inbox = mailbox;
        return inbox == null || laneHeld || inbox.isEmpty() || pool.isStopping() ? null : inbox.poll(deque);
    }

    /** Returns whether the lane has a job that could run now. */
    boolean hasMail() {
        Mailbox inbox = mailbox;
        return inbox != null && !laneHeld && !inbox.isEmpty();
    }

    private @Nullable Object stealNearestFirst(boolean patient) {
        Worker last = lastVictim;
        if (last != null) {
            Object job = patient && isPassing(last) ? null : stealFrom(last);
            if (job != null) {
                return job;
            }
            lastVictim = null;
        }
        for (int ring = Victims.CORE; ring < Victims.RINGS; ring++) {
            Object job = stealFromOneOf(pool.victims[index].upTo(ring), patient);
            if (job != null) {
                return job;
            }
        }
        return null;
    }

    private @Nullable Object stealFromOneOf(Worker[] victims, boolean patient) {
        int start = victims.length < 2 ? 0 : ThreadLocalRandom.current().nextInt(victims.length);
        for (int i = 0; i < victims.length; i++) {
            Worker victim = victims[start + i < victims.length ? start + i : start + i - victims.length];
            Object job = patient && isPassing(victim) ? null : stealFrom(victim);
            if (job != null) {
                lastVictim = victim;
                return job;
            }
        }
        return null;
    }

    private boolean isPassing(Worker victim) {
        if (!victim.loneJob.isPassing()) {
            return false;
        }
        lookout.leftAlone(victim.deque);
        return true;
    }

    private @Nullable Object stealFrom(Worker victim) {
        if (victim == this || victim.deque.isEmpty() || !beginTransfer()) {
            return null;
        }
        boolean lone = victim.deque.size() == 1;
        int before = deque.size();
        int distance = pool.victims[index].distanceTo(pool.victims[victim.index]);
        Object job = victim.deque.stealBatch(deque, STEAL_BATCH[distance]);
        if (job == WorkDeque.RETRY) {
            job = victim.deque.stealBatch(deque, STEAL_BATCH[distance]);
        }
        endTransfer();
        if (job == null || job == WorkDeque.RETRY) {
            return null;
        }
        countSteal(1 + Math.max(0, deque.size() - before), distance);
        stoleLoneJob = lone;
        return job;
    }

    /** After jobs have come into the own deque: wakes a worker for them if one is parked and nobody searches. */
    private void publish() {
        if (!deque.isEmpty()) {
            VarHandle
                    .fullFence(); // between the deque's release store and the look for sleepers, pairs A1 in EventCount
            pool.signal();
        }
    }

    /** A search has succeeded: gives the token back, and wakes the next if there is more. */
    private Object found(Object job) {
        if (!stoleLoneJob) {
            lookout.foundOther();
        }
        if (searching) {
            endSearch();
        } else {
            publish();
        }
        return job;
    }

    /** Gives the token back, if this worker holds one; the last to do so wakes another worker for what is there. */
    private void endSearch() {
        if (searching) {
            searching = false;
            if (pool.eventCount.endSearch() && pool.isWorkVisible()) {
                pool.signal();
            }
        }
    }

    /** Searches for a while and parks until there is a job; null if the pool stops or this worker is wanted. */
    private @Nullable Object idle() {
        beginIdle(System.nanoTime());
        long ended = runAcquire() + failedAcquire();
        inBurst = ended - endedBefore >= BURST;
        endedBefore = ended;
        pool.hunger.begin();
        try {
            while (true) {
                Object job = search(System.nanoTime());
                if (job != null) {
                    return found(job);
                }
                if (pool.spares.wants(this)) {
                    endSearch();
                    return null;
                }
                park();
                if (pool.isStopping() || pool.spares.wants(this)) {
                    endSearch();
                    return null;
                }
                job = sweep(true);
                if (job != null) {
                    return found(job);
                }
            }
        } finally {
            pool.hunger.end();
            endIdle(System.nanoTime());
        }
    }

    private @Nullable Object search(long since) {
        long spinNanos = pool.config.idling().spinNanos();
        boolean parks = !pool.config.idling().neverParks(); // who never does needs no token to promise a look
        searching = searching || (spinNanos > 0 && parks && pool.eventCount.beginSearch(pool.maxSearchers));
        int sweeps = SWEEPS_PER_CLOCK;
        while ((searching || !parks) && spinNanos > 0 && !pool.isStopping() && !pool.spares.wants(this)) {
            for (int i = 0; i < sweeps; i++) {
                Object job = sweep(true);
                if (job != null) {
                    return job;
                }
                Thread.onSpinWait();
            }
            long now = System.nanoTime();
            boolean over = now - since >= spinNanos;
            if ((over && !lookout.goesOn(now, since)) || pool.isShutdown() || pool.isWatched()) {
                break; // who waits for the end or for quiescence learns of it from workers that park
            }
            if (over) {
                sweeps = 1;
                Lookout.pause(now);
            }
        }
        return inBurst && pool.config.idling().crowded() && spinNanos > 0 ? searchYielding() : null;
    }

    /**
     * Where workers share their CPUs with submitters, lets those go on for a few slices before parking. Holds no token:
     * a worker that waits for its CPU must not keep others from being woken. In a burst only: the kernel takes a yield for
     * a turn that was had, so that after its next wake-up the thread waits for others' turns, milliseconds where a CPU is
     * wanted by more than one.
     */
    @SuppressWarnings("ThreadPriorityCheck") // the point is to let the kernel run a submitter on this CPU
    private @Nullable Object searchYielding() {
        endSearch();
        for (int i = 0; i < YIELDS && !pool.isStopping(); i++) {
            Thread.yield();
            Object job = sweep(true);
            if (job != null) {
                return job;
            }
        }
        return null;
    }

    /**
     * Announces, looks everywhere once more, and parks unless the pool has stopped, only this worker can help, or nobody
     * waits any more for one that never parks by itself.
     */
    private void park() {
        deque.trim();
        boolean held = searching;
        searching = false;
        pool.eventCount.announce(index, held);
        pool.onAnnounced();
        if (pool.isWorkVisible()) { // after the announcement, like all looks here
            pool.eventCount.signal(); // wakes the last to park: this worker, most likely
        }
        boolean wanted = hasMail() || pool.spares.wants(this); // by who needs this worker; the rest is for any
        if (pool.isStopping() || wanted || !pool.mustPark()) {
            searching = pool.eventCount.cancel(index);
            return;
        }
        countPark();
        searching = pool.eventCount.await(index, onStrayWakeUp);
        inBurst = false;
        countWakeUp();
        lookout.woken(pool.takeWaker(), System.nanoTime());
    }

    /**
     * This worker's park ended though nobody woke it: by an interrupt for a job that had ended, or by somebody's unpark.
     * If there is work, nobody looks for it and it stays like that for a second, a wake-up was lost. That is counted,
     * and mended. Shorter than that a submitter may be about to wake somebody.
     */
    private void strayWakeUp() {
        long since = System.nanoTime();
        while (pool.eventCount.isParked(index) && pool.eventCount.searching() == 0 && pool.isWorkVisible()) {
            if (System.nanoTime() - since > LATE_NANOS) {
                countLateFind();
                pool.signal();
                return;
            }
            LockSupport.parkNanos(this, LATE_NANOS / 1000);
        }
    }

    /**
     * Submits a job from a job that runs on this worker. It is counted before: in a full heap the JVM may fail to link a
     * call that is made for the first time, and after the push there must be none of those, or a refused job would run.
     */
    void submit(Object job) {
        countSubmitted(1);
        try {
            deque.push(job);
        } catch (Throwable refused) {
            countSubmitted(-1);
            throw refused;
        }
        VarHandle.fullFence(); // between the deque's release store and the look for sleepers, pairs A1 in EventCount
        if (pool.trySignal()) {
            pool.waker = deque;
        }
    }

    /** Submits jobs, in order, from a job that runs on this worker; clears the array. */
    void submitAll(Object[] jobs) {
        deque.reserve(jobs.length);
        countSubmitted(jobs.length);
        try {
            deque.pushAll(jobs, 0, jobs.length);
        } catch (Throwable refused) {
            countSubmitted(-jobs.length);
            throw refused;
        }
        VarHandle.fullFence(); // between the deque's release store and the look for sleepers, pairs A1 in EventCount
        pool.signal();
    }

    @Override
    public String toString() {
        return "worker " + index;
    }

    WorkerStats stats(long startNanos) {
        WorkerThread thread = pool.threads.of(index);
        Mailbox inbox = mailbox;
        return snapshot(thread.getName(), deque.size(), inbox == null ? 0 : inbox.size(), pins.stats(), startNanos);
    }

    @Nullable
    WorkerThread laneReturn() {
        return (WorkerThread) LANE_RETURN.getVolatile(this);
    }

    void setLaneReturn(WorkerThread thread) {
        LANE_RETURN.setVolatile(this, thread);
    }

    boolean clearLaneReturn(WorkerThread thread) {
        return LANE_RETURN.compareAndSet(this, thread, (WorkerThread) null);
    }

    /** Says which thread waits in a join and would leave this worker to those who need it; null for none. */
    void waitsInJoin(@Nullable Thread thread) {
        JOIN_WAITER.setVolatile(this, thread);
        pool.waitersInJoins.addAndGet(thread == null ? -1 : 1); // [R2] in Spares: before the look for work
    }

    /** Wakes the worker's thread if it waits in a join, so that it sees who needs the worker. */
    void wakeWaiterInJoin() {
        LockSupport.unpark((Thread) JOIN_WAITER.getVolatile(this));
    }

    /**
     * Marks that jobs are about to move from a queue into this worker's deque, where for a moment nobody sees them.
     * shutdownNow waits for the mark to go before it collects what has not run.
     *
     * @return false if the pool is stopping; then nothing may be moved
     */
    boolean beginTransfer() {
        transferVolatile(true); // [M1] volatile, pairs M2 in WorkerPool.collect: mark first, then read stopping
        if (pool.isStopping()) {
            endTransfer();
            return false;
        }
        return true;
    }

    void endTransfer() {
        transferRelease(false);
    }
}
