// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One job of the chaos run, and what became of it. */
final class ChaosTicket implements Runnable {
    /** What the submission said. */
    enum Entry {
        /** It has not returned. */
        OPEN,
        /** The job was accepted. */
        ACCEPTED,
        /** The job was rejected: it must not run. */
        REFUSED,
        /** It failed in the middle of several jobs: this one may have been accepted. */
        UNKNOWN
    }

    /** What to do when run. */
    interface Body {
        /** Runs. */
        int call() throws Exception;
    }

    /** The message of what jobs throw on purpose. */
    static final String CHAOS = "chaos";

    final AtomicInteger runs = new AtomicInteger();
    /** How often the failure handler learned of it. */
    final AtomicInteger told = new AtomicInteger();

    final AtomicInteger handedBack = new AtomicInteger();
    volatile Entry entry = Entry.OPEN;
    /** Null if it was submitted without one. */
    volatile @Nullable JobHandle<?> handle;

    volatile boolean failed;
    /** How often it may run: 1, or more for a job that repeats or is sent to each lane. */
    int mostRuns = 1;
    /** Whether it has no handle that anybody could cancel. */
    boolean executed;
    /** Whether its handle was passed to execute as well, which is another job, and may be handed back as well. */
    volatile boolean executedAgain;

    /** The lane it was sent to, or -1. */
    int lane = -1;
    /** Its place among the jobs that one submitter sent to the lane. */
    int place;
    /** The place of the last of those that ran. */
    @Nullable
    AtomicInteger lastPlace;

    private final ChaosRound round;
    private final Body body;

    ChaosTicket(ChaosRound round, Body body) {
        this.round = round;
        this.body = body;
    }

    @Override
    public void run() {
        try {
            int ignored = call();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs the job. */
    Integer call() throws Exception {
        if (runs.incrementAndGet() > mostRuns) {
            round.fault("ran " + runs + " times: " + this);
        }
        round.progress.incrementAndGet();
        round.enter(this);
        try {
            return body.call();
        } catch (Throwable t) {
            failed = true;
            if (t instanceof StackOverflowError) {
                round.overflowed = true; // what tells of it below may overflow again
            }
            if (!CHAOS.equals(t.getMessage())) {
                round.fault("a job threw " + ChaosRound.text(t));
            }
            throw t;
        } finally {
            round.exit(this);
            round.progress.incrementAndGet();
        }
    }

    /** What is wrong with how it ended; empty if nothing is. */
    String complaint() {
        int ran = runs.get();
        JobHandle<?> mine = handle;
        if (mostRuns > 1) {
            return mine == null || mine.isDone() ? "" : "its handle is not done";
        }
        if (ran > 1 || (ran + handedBack.get() > 1 && !executedAgain)) {
            return "settled more than once";
        }
        if (entry == Entry.REFUSED) {
            return ran == 0 && handedBack.get() == 0 ? "" : "refused, but ran or was handed back";
        }
        if (mine != null) {
            return complaint(mine, ran);
        }
        if (executed && entry == Entry.ACCEPTED) {
            if (ran + handedBack.get() != 1) {
                return "neither ran nor was handed back";
            }
            return told.get() == (failed ? 1 : 0) ? "" : "the failure handler was told " + told + " times";
        }
        return entry == Entry.OPEN ? "its submission never ended" : "";
    }

    private String complaint(JobHandle<?> mine, int ran) {
        if (!mine.isDone()) {
            return "its handle is not done";
        }
        if (!mine.isCancelled() && ran != 1) {
            return "its handle says it ran";
        }
        return handedBack.get() == 1 && !executedAgain && !mine.isCancelled() ? "handed back, but not cancelled" : "";
    }

    @Override
    public String toString() {
        return "ticket[" + entry + ", runs " + runs + " of " + mostRuns + ", told " + told + ", handed back "
                + handedBack
                + (failed ? ", failed" : "") + (executed ? ", executed" : "") + (lane < 0 ? "" : ", lane " + lane)
                + ", "
                + handle + "]";
    }
}
