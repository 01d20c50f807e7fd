// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.ForkCounts;
import io.corelane.PinStats;
import io.corelane.StealCounts;
import io.corelane.WorkerStats;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;

/**
 * A worker's counters: written by its thread alone, read by anyone.
 */
abstract class WorkerCounters extends WorkerPad {
    /*
     * Ordering. Each counter is a plain read and a release store of its one writer, acquired by readers: a reader that
     * has seen the effect of a job, over whatever edge, sees that job counted if it was counted before.
     */
    private static final VarHandle RUN = handle("run");
    private static final VarHandle FAILED = handle("failed");
    private static final VarHandle SUBMITTED = handle("submitted");
    private static final VarHandle STOLEN = handle("stolen");
    private static final VarHandle STEALS =
            MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();
    private static final VarHandle INJECTOR_BATCHES = handle("injectorBatches");
    private static final VarHandle PARKS = handle("parks");
    private static final VarHandle LATE_FINDS = handle("lateFinds");
    private static final VarHandle IDLE_NANOS = handle("idleNanos");
    private static final VarHandle IDLE_SINCE = handle("idleSince");
    private static final VarHandle BUSY_SINCE = handle("busySince");
    private static final VarHandle REPLACED = handle("replaced");
    private static final VarHandle HELPED = handle("helped");
    private static final VarHandle WAKE_UPS = handle("wakeUps");
    private static final VarHandle FORKS_SHARED = handle("forksShared");
    private static final VarHandle FORKS_TAKEN = handle("forksTaken");
    private static final VarHandle TRANSFER = handle("transfer");

    static {
        WorkerCounters thrownAway = new WorkerCounters(0, -1) {};
        thrownAway.link();
    }

    final int index;
    final int cpuAsked;
    /** The CPU this worker is pinned to, or -1. */
    volatile int cpu = -1;

    private long run;
    private long failed;
    private long submitted;
    private long stolen;
    /** By distance of the victim, see {@link Victims}. */
    private final long[] steals = new long[Victims.RINGS];

    private long injectorBatches;
    private long parks;
    private long lateFinds;
    private long idleNanos;
    /** When the present search or park began, by {@link System#nanoTime}; 0 while jobs are run. */
    private long idleSince;

    @SuppressWarnings("UnusedVariable") // BUSY_SINCE
    private long busySince;

    private long replaced;
    private long helped;
    private long wakeUps;
    private long forksShared;
    private long forksTaken;

    @SuppressWarnings("UnusedVariable") // TRANSFER
    private long transfer;

    WorkerCounters(int index, int cpuAsked) {
        this.index = index;
        this.cpuAsked = cpuAsked;
    }

    private static VarHandle handle(String field) {
        try {
            return MethodHandles.lookup()
                    .findVarHandle(WorkerCounters.class, field, long.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Counts everything once, on an object that is thrown away. The JVM links each of these accesses the first time, for
     * which it needs memory; in a full heap a worker with a job in hand would fail at it.
     */
    private void link() {
        countEnd(true, 1);
        countEnd(false, 1);
        countSubmitted(1);
        countSteal(1, Victims.CORE);
        countInjectorBatch();
        countPark();
        countWakeUp();
        countHelped();
        countShared(1);
        countTaken();
        countLateFind();
        beginWork(1);
        beginIdle(1);
        endIdle(1);
        countReplaced();
        transferVolatile(true);
        transferRelease(false);
    }

    final void countEnd(boolean done, int by) {
        if (done) {
            RUN.setRelease(this, run + by);
        } else {
            FAILED.setRelease(this, failed + by);
        }
    }

    /** A negative number takes back what was rejected after all. */
    final void countSubmitted(int jobs) {
        SUBMITTED.setRelease(this, submitted + jobs);
    }

    final void countSteal(int jobs, int distance) {
        STOLEN.setRelease(this, stolen + jobs);
        STEALS.setRelease(steals, distance, steals[distance] + 1);
    }

    private long stealsAcquire(int distance) {
        return (long) STEALS.getAcquire(steals, distance);
    }

    final void countInjectorBatch() {
        INJECTOR_BATCHES.setRelease(this, injectorBatches + 1);
    }

    final void countPark() {
        PARKS.setRelease(this, parks + 1);
    }

    final void countWakeUp() {
        WAKE_UPS.setRelease(this, wakeUps + 1);
    }

    final void countHelped() {
        HELPED.setRelease(this, helped + 1);
    }

    final void countShared(int forks) {
        FORKS_SHARED.setRelease(this, forksShared + forks);
    }

    final void countTaken() {
        FORKS_TAKEN.setRelease(this, forksTaken + 1);
    }

    final void countLateFind() {
        LATE_FINDS.setRelease(this, lateFinds + 1);
    }

    /** Until a worker has been idle for the first time it counts as busy from its start on. */
    final void beginWork(long now) {
        if (busySince == 0) {
            BUSY_SINCE.setRelease(this, now == 0 ? 1 : now);
        }
    }

    final void beginIdle(long now) {
        IDLE_SINCE.setRelease(this, now == 0 ? 1 : now);
    }

    final void endIdle(long now) {
        IDLE_NANOS.setRelease(this, idleNanos + (now - idleSince));
        BUSY_SINCE.setRelease(this, now == 0 ? 1 : now);
        IDLE_SINCE.setRelease(this, 0L);
    }

    private long idleNanosUntil(long now) {
        long since = (long) IDLE_SINCE.getAcquire(this);
        long ended = (long) IDLE_NANOS.getAcquire(this);
        return since == 0 ? ended : ended + Math.max(0, now - since);
    }

    /** Called by the thread that replaces the worker's, which is ordered after the dead one. */
    final void countReplaced() {
        REPLACED.setRelease(this, replaced + 1);
    }

    final void transferVolatile(boolean on) {
        TRANSFER.setVolatile(this, on ? 1L : 0L);
    }

    final void transferRelease(boolean on) {
        TRANSFER.setRelease(this, on ? 1L : 0L);
    }

    final boolean inTransfer() {
        return (long) TRANSFER.getVolatile(this) != 0;
    }

    final long runAcquire() {
        return (long) RUN.getAcquire(this);
    }

    final long failedAcquire() {
        return (long) FAILED.getAcquire(this);
    }

    final long submittedAcquire() {
        return (long) SUBMITTED.getAcquire(this);
    }

    /** Returns since when jobs have been run without a pause, by {@link System#nanoTime}; 0 if idle. */
    final long busySince() {
        return (long) IDLE_SINCE.getAcquire(this) != 0 ? 0 : (long) BUSY_SINCE.getAcquire(this);
    }

    final WorkerStats snapshot(String threadName, int queued, long laneQueued, PinStats pins, long startNanos) {
        long now = System.nanoTime();
        long busyNanos = Math.max(0, now - startNanos - idleNanosUntil(now));
        return new WorkerStats(
                index,
                threadName,
                cpuAsked,
                cpu,
                pins,
                runAcquire(),
                failedAcquire(),
                submittedAcquire(),
                (long) STOLEN.getAcquire(this),
                new StealCounts(
                        stealsAcquire(Victims.CORE),
                        stealsAcquire(Victims.CACHE),
                        stealsAcquire(Victims.NODE),
                        stealsAcquire(Victims.FAR)),
                (long) INJECTOR_BATCHES.getAcquire(this),
                (long) HELPED.getAcquire(this),
                (long) PARKS.getAcquire(this),
                (long) WAKE_UPS.getAcquire(this),
                (long) LATE_FINDS.getAcquire(this),
                (long) REPLACED.getAcquire(this),
                queued,
                laneQueued,
                Duration.ofNanos(busyNanos),
                Math.min(1, (double) busyNanos / Math.max(1, now - startNanos)),
                new ForkCounts((long) FORKS_SHARED.getAcquire(this), (long) FORKS_TAKEN.getAcquire(this)));
    }
}
