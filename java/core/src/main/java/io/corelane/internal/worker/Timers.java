// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.affinity.ThreadAffinity;
import io.corelane.internal.stack.StackReserve;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Queues jobs when they are due, and cancels jobs whose time is over.
 *
 * <p><b>Thread safety:</b> any thread may call anything. <b>Cost:</b> adding and removing a timer is logarithmic in their
 * number, under a lock; a wait is one timed park of one thread until the next timer is due.
 */
final class Timers {
    /*
     * One thread, started with the first timer, sleeps until the first timer of the heap is due, moves what is due to the
     * injector, and sleeps again; with an empty heap it sleeps without a limit. It serves no worker and uses all CPUs. Of a
     * mass that is due at once it moves some at a time, and gives the lock away in between: those start at once, and who adds
     * or removes a timer waits for some and not for all.
     *
     * Everything happens under one lock, also the move to the injector: so shutdownNow, which empties the heap under the
     * lock, finds each job either here or in the injector. Deadlines are acted on outside the lock, because a
     * cancellation calls listeners.
     *
     * `jobs` counts the timed jobs, for quiescence: a job is offered to the injector before it is counted down.
     *
     * The tree of a guest, a job that its submitter runs, and one that takes no notice of its interrupt may go on when the
     * pool has ended. While any of them has a deadline the thread goes on as well, though it counts as ended.
     *
     * Times are of System.nanoTime, which no change of the wall clock moves. Delays are at most half of its range, so
     * that differences never overflow.
     */
    static final long LONGEST = Long.MAX_VALUE / 2;

    private static final long SLACK_NANOS = 1;
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** How many timers are seen to before the lock is given away. */
    private static final int BATCH = 64;

    private static final long NEVER = Long.MAX_VALUE;

    private final WorkerPool pool;
    private final TimerHeap heap = new TimerHeap();
    private volatile @Nullable Thread thread;
    private long sequence;
    /** Whether the thread sleeps until {@link #sleepsUntil}, or for ever: a timer that is due later need not wake it. */
    private boolean sleepsUntilDue;

    private long sleepsUntil;
    /** How often a new timer has waked the thread; guarded by this. */
    private int wakeUps;

    private volatile int jobs;

    Timers(WorkerPool pool) {
        this.pool = pool;
    }

    /** Returns how many timed jobs wait for their time. */
    int jobs() {
        return jobs;
    }

    /** Returns how often a new timer has waked the thread. */
    synchronized int wakeUps() {
        return wakeUps;
    }

    /** Returns whether the calling thread is the timers' own, which calls the listeners of jobs whose time is over. */
    boolean isOwnThread() {
        return Thread.currentThread() == thread;
    }

    /** Returns a time in nanoseconds, within the range that timers can count. */
    static long nanos(Duration time) {
        if (time.isNegative()) {
            return 0;
        }
        return time.compareTo(Duration.ofNanos(LONGEST)) >= 0 ? LONGEST : time.toNanos();
    }

    /**
     * Accepts a timed job.
     *
     * @param job not queued yet
     * @param delayNanos until it is due; negative is taken for 0
     * @throws RejectedExecutionException if the pool was shut down, or the thread cannot be started
     */
    void add(TimedJob<?> job, long delayNanos) {
        job.setDueNanos(System.nanoTime() + Math.max(0, Math.min(LONGEST, delayNanos)));
        if (!insert(job.timer, job.dueNanos())) {
            throw pool.intake.rejectedByShutdown(job);
        }
    }

    /**
     * Accepts a repeated job again after a run; cancels it if the pool was shut down, ends it if there is no room for it, unless
     * it waits already because a stranger has run it.
     */
    void addAgain(TimedJob<?> job) {
        boolean accepted;
        try {
            accepted = insert(job.timer, job.dueNanos());
        } catch (Throwable noRoom) { // of memory or stack
            pool.counters.timed.increment(); // for the end that follows
            if (!job.timer.isInHeap()) {
                job.endUnqueued(noRoom);
            }
            return;
        }
        if (!accepted) {
            pool.counters.timed.increment();
            boolean ignored = job.cancel(false);
        } else if (job.isDone()) { // cancelled before it was inserted
            remove(job.timer);
        }
    }

    /**
     * Sees to it that a job is cancelled, with an interrupt, unless it ends within a time; returns false if the pool has ended,
     * so that nobody would.
     */
    boolean cancelAfter(SubmittedJob<?> job, long delayNanos) {
        Timer expiry = Timer.expiryOf(job);
        if (!insert(expiry, System.nanoTime() + Math.max(0, Math.min(LONGEST, delayNanos)))) {
            return false;
        }
        job.addListener(() -> remove(expiry));
        return true;
    }

    private boolean insert(Timer timer, long dueNanos) {
        Thread sleeper;
        StackReserve.require(); // the heap must not be left in between
        synchronized (this) {
            boolean ended = timer.job != null ? pool.isShutdown() : pool.isStopping(); // deadlines hold to the end
            if (ended || !ensureThread()) {
                return false;
            }
            if (heap.remove(timer)) { // a stranger has run a repeated job, which waits already
                jobs--;
            }
            timer.dueNanos = dueNanos;
            timer.sequence = sequence++;
            heap.add(timer);
            if (timer.job != null) {
                jobs++;
                pool.counters.timed.increment();
            }
            boolean sooner = !sleepsUntilDue || dueNanos - sleepsUntil < 0;
            sleeper = timer.place == 0 && sooner ? thread : null;
            wakeUps += sleeper != null ? 1 : 0;
        }
        LockSupport.unpark(sleeper);
        return true;
    }

    /** Starts the thread if there is none; false if the pool has ended meanwhile. */
    @SuppressWarnings("ThreadPriorityCheck") // the usual one, not that of whoever comes first
    private boolean ensureThread() {
        if (thread != null) {
            return true;
        }
        if (!pool.threads.comes()) {
            return false;
        }
        try {
            Thread created = new Thread(null, this::run, pool.config.name() + "-timer", 0, false); // no thread locals
            created.setPriority(Thread.NORM_PRIORITY);
            created.setDaemon(pool.config.daemon());
            created.setContextClassLoader(pool.config.context().loader());
            created.start();
            thread = created;
        } catch (Throwable cannotStart) {
            pool.threads.gone();
            throw new RejectedExecutionException("the timer thread cannot be started", cannotStart);
        }
        return true;
    }

    /** Forgets a timer; does nothing if it was due or removed before. */
    void remove(Timer timer) {
        boolean last;
        StackReserve.require();
        synchronized (this) {
            if (!heap.remove(timer)) {
                return;
            }
            if (timer.job != null) {
                jobs--;
            }
            last = jobs == 0;
        }
        if (pool.isStopping()) {
            wake(); // it may have waited for this
        } else if (last) {
            pool.onTimersDone();
        }
    }

    /** Whoever looked at the pool's state before has inserted its timer afterwards. */
    synchronized void awaitInserts() {
        // the lock is all
    }

    /** After the pool was shut down: cancels the repeated jobs; the others run when they are due. */
    void cancelRepeated() {
        List<TimedJob<?>> repeated = new ArrayList<>();
        synchronized (this) {
            for (int i = 0; i < heap.size(); i++) {
                TimedJob<?> job = heap.get(i).job;
                if (job != null && job.isPeriodic()) {
                    repeated.add(job);
                }
            }
        }
        repeated.forEach(job -> job.cancel(false));
    }

    /** After the pool was stopped: takes all jobs out. Deadlines stay: what runs may take no notice of its interrupt. */
    List<TimedJob<?>> close() {
        List<TimedJob<?>> waiting = new ArrayList<>();
        synchronized (this) {
            for (int i = 0; i < heap.size(); i++) {
                TimedJob<?> job = heap.get(i).job;
                if (job != null) {
                    waiting.add(job);
                }
            }
            for (TimedJob<?> job : waiting) {
                boolean ignored = heap.remove(job.timer);
            }
            jobs = 0;
        }
        return waiting;
    }

    /** Returns whether something is due that the thread has not seen to yet. */
    synchronized boolean isAnyDue() {
        Timer first = heap.first();
        return first != null && first.dueNanos - System.nanoTime() <= 0;
    }

    /** Lets the thread see that the pool has stopped. */
    synchronized void wake() {
        LockSupport.unpark(thread);
    }

    private void run() {
        useAllCpus();
        try {
            while (!pool.isStopping()) {
                fireAndSleep();
            }
        } finally {
            pool.threads.gone();
        }
        pool.awaitCollected(); // then there is nothing here but deadlines
        while (!isEmpty()) {
            fireAndSleep();
        }
    }

    private synchronized boolean isEmpty() {
        return heap.size() == 0;
    }

    private void fireAndSleep() {
        long wait = fireOrRetry();
        if (wait == NEVER) {
            LockSupport.park(this);
        } else if (wait > 0) {
            LockSupport.parkNanos(this, wait);
        }
        boolean ignored = Thread.interrupted(); // nobody has a reason to
    }

    private void useAllCpus() {
        String late = "timers of scheduler " + pool.config.name() + " may be late";
        pool.useAllCpus(late);
        pool.tryAffinity(late, () -> ThreadAffinity.setTimerSlack(SLACK_NANOS));
    }

    /** Sees to what is due; returns how long to sleep, not at all if not above 0. Without memory timers are late, and go on. */
    private long fireOrRetry() {
        try {
            return fire();
        } catch (Throwable failure) { // fire catches what it can; what is left is memory, or a logger that throws
            try {
                pool.log.timersFailed(failure);
            } catch (Throwable noRoomToTell) {
                // it is told when it happens again and there is room
            }
            return RETRY_NANOS;
        }
    }

    private void warnLate(Throwable noRoom) {
        pool.log.warn("a timer of scheduler " + pool.config.name() + " is late", noRoom);
    }

    private long fire() {
        List<SubmittedJob<?>> expired = new ArrayList<>();
        long wait;
        OutOfMemoryError late = null;
        int fired = 0;
        synchronized (this) {
            long now = System.nanoTime();
            Timer first = heap.first();
            try {
                while (first != null && first.dueNanos - now <= 0 && fired + expired.size() < BATCH) {
                    if (first.job != null) {
                        pool.intake.offerTimed(first.job);
                        fired++;
                    } else if (first.expiring != null) {
                        expired.add(first.expiring);
                    }
                    heap.remove(first);
                    jobs -= first.job != null ? 1 : 0; // after the offer
                    first = heap.first();
                }
                sleepsUntilDue = first != null;
                sleepsUntil = first == null ? 0 : first.dueNanos;
                wait = first == null ? NEVER : first.dueNanos - now;
            } catch (OutOfMemoryError noRoom) {
                late = noRoom;
                wait = RETRY_NANOS;
            }
        }
        for (int i = 0; i < fired; i++) {
            pool.signal();
        }
        for (SubmittedJob<?> job : expired) {
            try {
                boolean ignored = job.cancel(true);
            } catch (OutOfMemoryError noRoom) { // for its listeners: it is cancelled, and the others have to be
                late = noRoom;
            }
        }
        if (late != null) {
            warnLate(late);
            return Math.min(wait, RETRY_NANOS);
        }
        boolean again = fired > 0 || !expired.isEmpty(); // that took time, and a listener that parks eats wake-ups
        return again ? 0 : wait;
    }
}
