// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.internal.deque.WorkDeque;
import io.corelane.internal.fork.ForkHost;
import io.corelane.internal.fork.ForkList;
import io.corelane.internal.fork.ForkMark;
import io.corelane.internal.fork.ForkNode;
import io.corelane.internal.fork.Suppressed;
import io.corelane.internal.stack.StackReserve;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The trees of forks that one thread runs for a pool, a thread of the pool or a guest: shares forks when somebody is short
 * of work, runs what others have shared, and cleans up after failures.
 *
 * <p><b>Thread safety:</b> for its thread, but for {@link #alarmAndWake}.
 */
final class Forking extends ForkHost {
    /*
     * Sharing. While somebody is short of work (pool.hunger) every fork and every join comes to attend. A thread has as
     * many forks on offer, the oldest, as there are threads short of work: the next is shared when one of those has been
     * claimed. A thread that serves a worker puts it into the worker's deque, any other into one of its own, see
     * GuestDeques; then it is a job like any other: published with a full fence, and a sleeper is signalled. Before the
     * thread parks, or leaves its worker, it shares all.
     *
     * The first EAGER_FORKS forks of each run are shared whether or not anybody asks, if there is another worker: so two
     * long branches run at the same time also if the other worker is only about to become idle. A stolen fork begins a
     * run of its own: that it was stolen says that it was worth it.
     *
     * What this does not reach: a later fork that is private below a long leaf, because nobody was short of work when it
     * was forked, while the leaf neither forks nor joins.
     *
     * Short trees. To wake a sleeper costs as much as a tree of a thousand nodes. So a root whose class has small trees
     * (QuickRoots) begins deaf: it looks at its watch now and then, soon at first, because its forks may be long, and at
     * who is short of work once it has taken longer than a wake-up.
     *
     * Runs. A run is the body of a root or of a shared fork; a mark in the list stands below what it forks. When it ends,
     * what it has forked and not joined is joined; when it fails, that is cancelled, and what others run of it is waited
     * for: so a tree has ended as a whole when its root returns or throws.
     *
     * Cancelling from elsewhere. The message is in the mark of the root, or is the state of the job around it. The root's thread
     * is alarmed, and if it has shared anything, all threads of the pool: whoever runs a part looks along the marks that the
     * part came from (ForkJob.whyCancelled). If the job around is suspended, its thread is not known: see alarmSharedTrees.
     *   S1 <> S2  `sharing` is written, then a fork pushed, and who has claimed it reads the message before it begins; who
     *             cancels writes the message, then reads `sharing`: one of the two sees the other
     *
     * Where the stack overflows between the claim of a shared fork and its end, the error goes up to a frame that has
     * room, and what was claimed on the way ends as failed there (settle), as in Joining.
     */
    private static final int FIRST_LOOK = 8;
    private static final int FORKS_PER_LOOK = 128;
    private static final int EAGER_FORKS = 8;
    private static final int MOST_ON_OFFER = 1_024;

    /** The trees that threads run for pools to which they do not belong. */
    private static final Set<Forking> GUESTS = ConcurrentHashMap.newKeySet();

    final WorkerPool pool;
    /** The thread whose trees these are, if it is one of the pool's. */
    final @Nullable WorkerThread own;

    final Thread thread;
    private final ForkHelp help = new ForkHelp(this);

    /** The shared forks that this thread has claimed and not brought to an end, innermost last. */
    private final List<ForkJob> claims = new ArrayList<>();

    /** What was shared and perhaps not claimed yet, oldest first. */
    private final Deque<ForkJob> offers = new ArrayDeque<>();

    /** Where forks go that are shared while the thread serves no worker; null while there are none. */
    private volatile GuestDeques.@Nullable Place place;

    /** Whether other threads may run parts of these trees, also of those that are set aside. */
    private volatile boolean sharing;

    /** How often the runs were set aside. */
    private int asides;

    /** How many forks of the run are yet to be shared unasked. */
    private int eager;
    /** While not 0 the tree is deaf; until when, by {@link System#nanoTime}. */
    private long deafUntil;
    /** After how many forks a deaf tree looks at its watch. */
    private int nextLook;

    Forking(WorkerPool pool, @Nullable WorkerThread own, Thread thread) {
        super(pool.hunger);
        this.pool = pool;
        this.own = own;
        this.thread = thread;
    }

    /** The worker that the thread serves, if it does. */
    @Nullable
    Worker worker() {
        return own == null ? null : own.worker;
    }

    // ---- sharing -------------------------------------------------------------------------------------------------

    @Override
    protected void attend(ForkList list, boolean renewed) {
        if (deafUntil != 0 && renewed) {
            lookAtWatch(list);
        }
        if (renewed || list.isAlarmed()) {
            readMessages(list);
        }
        if (deafUntil != 0 || list.newest() == null) {
            return;
        }
        if (eager > 0) {
            eager -= share(list, eager);
            listenFor(list, eager > 0);
        } else if (hunger().isAny()) {
            offerOne(list);
        }
    }

    /** A run begins. */
    private void beEager() {
        if (pool.workers.length > (worker() == null ? 0 : 1)) {
            eager = EAGER_FORKS;
            listenFor(list(), true);
        }
    }

    private void listenFor(ForkList list, boolean every) {
        if (list.isEager() == every && !list.isAlarmed()) {
            return;
        }
        if (every) {
            list.beEager();
        } else {
            list.silence();
        }
        readMessages(list);
    }

    /** Begins a tree that is expected to end soon. */
    void beDeafFor(long nanos) {
        deafUntil = System.nanoTime() + nanos;
        deafUntil = deafUntil == 0 ? 1 : deafUntil;
        nextLook = FIRST_LOOK;
        list().deafFor(nextLook);
        readMessages(list());
    }

    /** Begins any other tree. */
    void listen() {
        readMessages(list());
        beEager();
    }

    /** A tree has ended; returns whether it was quick, if it was expected to be. */
    boolean hearAgain() {
        if (deafUntil == 0) {
            return false;
        }
        boolean inTime = System.nanoTime() - deafUntil < 0;
        deafUntil = 0;
        list().silence();
        return inTime;
    }

    private void lookAtWatch(ForkList list) {
        if (System.nanoTime() - deafUntil < 0) {
            nextLook = Math.min(2 * nextLook, FORKS_PER_LOOK);
            list.deafFor(nextLook);
        } else {
            deafUntil = 0;
            list.silence();
            beEager();
        }
    }

    @Override
    protected boolean wantsFork(ForkList list) {
        if (list.isAlarmed()) {
            readMessages(list);
        }
        return deafUntil == 0 && (eager > 0 || isOfferShort());
    }

    private void offerOne(ForkList list) {
        if (isOfferShort()) {
            int ignored = share(list, 1);
        }
    }

    private boolean isOfferShort() {
        while (!offers.isEmpty() && !offers.getLast().isUnclaimed()) {
            offers.removeLast();
        }
        while (!offers.isEmpty() && !offers.getFirst().isUnclaimed()) {
            offers.removeFirst();
        }
        return offers.size() < hunger().count();
    }

    /** Shares every private fork, before this thread stops for a time. */
    void shareAll() {
        ForkList list = list();
        if (list.newest() != null) {
            int ignored = share(list, Integer.MAX_VALUE);
        }
    }

    /**
     * Without memory or stack, without a deque, or in a pool that others shut down, forks stay private: that costs time and
     * nothing else.
     */
    private int share(ForkList list, int atLeast) {
        int shared = 0;
        ForkJob first = null;
        try {
            StackReserve.require();
            WorkDeque deque = dequeForForks();
            if (deque == null) {
                eager = 0; // not again at each fork
                return 0;
            }
            boolean ignored = isOfferShort(); // forgets what was claimed
            ClassLoader loader = pool.config.context().ofSubmitter() ? thread.getContextClassLoader() : null;
            for (ForkNode node : list.oldestPrivate(atLeast)) {
                ForkJob job = new ForkJob(this, node, ForkList.markOf(node), loader);
                beginSharing();
                deque.push(job);
                ForkList.setShare(node, job);
                first = first == null ? job : first;
                shared++;
                offers.addLast(job);
            }
        } catch (OutOfMemoryError | StackOverflowError stillPrivate) {
            // the fork that was not queued is private
        }
        if (first != null) {
            try {
                countShared(shared);
                wakeSomebody(first);
            } catch (OutOfMemoryError | StackOverflowError notNow) {
                // who is awake may find it, or else its parent runs it
            }
        }
        return shared;
    }

    /** Before a fork of this thread can be seen by others. */
    void beginSharing() {
        if (!sharing) {
            sharing = true; // [S1] volatile
        }
    }

    boolean isSharing() {
        return sharing; // [S2] volatile, after the message
    }

    /** The deque to share in, without stale entries at its old end; null if there is none. */
    private @Nullable WorkDeque dequeForForks() {
        Worker worker = worker();
        WorkDeque deque = worker != null ? worker.deque : guestDeque();
        if (deque == null || (worker == null && deque.size() > MOST_ON_OFFER)) {
            return null;
        }
        boolean dropped = true;
        while (dropped) {
            dropped = deque.dropOldestIf(ForkJob::isStale) != null;
        }
        return deque;
    }

    private @Nullable WorkDeque guestDeque() {
        if (own == null && pool.isShutdown()) {
            return null;
        }
        if (place == null) {
            place = pool.guestDeques.enter();
        }
        return placed(place);
    }

    private static @Nullable WorkDeque placed(GuestDeques.@Nullable Place place) {
        return place == null ? null : place.deque;
    }

    /** The deque in which this thread shares; for any thread, which may be told of one that is out of use. */
    @Nullable
    WorkDeque deque() {
        Worker worker = worker();
        return worker != null ? worker.deque : placed(place);
    }

    /** The last of the runs has ended, but for those that are set aside: nothing of what was shared is unclaimed. */
    void leave() {
        if (asides == 0 && sharing) {
            sharing = false;
        }
        if (asides == 0) {
            offers.clear(); // with the class loaders of what was forked
        }
        GuestDeques.Place ended = place;
        if (ended != null) {
            pool.guestDeques.leave(ended);
            place = null;
        }
    }

    /** Sets the place aside with the runs to which it belongs, see {@link ForkList#setAside}. */
    GuestDeques.@Nullable Place setPlaceAside() {
        GuestDeques.Place aside = place;
        place = null;
        asides++;
        return aside;
    }

    /** Undoes {@link #setPlaceAside}, after {@link ForkList#restore}. */
    void restorePlace(GuestDeques.@Nullable Place aside) {
        leave();
        place = aside;
        asides--;
        if (asides == 0 && sharing && list().newest() == null) {
            sharing = false;
        }
    }

    private void countShared(int forks) {
        Worker worker = worker();
        if (worker == null) {
            pool.counters.forksShared.add(forks);
        } else {
            worker.countShared(forks);
        }
    }

    /** A worker, or else the parent of what these forks are a part of. */
    private void wakeSomebody(ForkJob shared) {
        VarHandle.fullFence(); // between the publication and the look for sleepers: A1 in EventCount, H1 in ForkJob
        if (pool.trySignal()) {
            return;
        }
        for (ForkJob job = shared.origin; job != null; job = job.origin) {
            Thread parent = job.takeHungry();
            if (parent != null) {
                LockSupport.unpark(parent);
                return;
            }
        }
    }

    // ---- running what was shared ---------------------------------------------------------------------------------

    /** Claims a shared fork and runs it; returns whether it was claimed. Throws only what there is no stack or memory for. */
    boolean runShared(ForkJob job) {
        claims.add(job); // first: wherever the stack may overflow, no claimed fork is forgotten
        if (!job.claimFor(this)) {
            claims.remove(claims.size() - 1);
            return false;
        }
        int settled = claims.size();
        ForkMark mark = null;
        Object result = null;
        Throwable failure = null;
        try {
            mark = list().begin(job);
            readMessages(list()); // [Q2]
            beEager();
            result = job.callBody();
            ForkList.joinAllAbove(mark);
        } catch (Throwable t) {
            failure = t;
            if (mark != null) {
                abandon(mark, t);
            }
        }
        if (mark != null) {
            list().end(mark);
        }
        settle(settled);
        if (list().newest() == null) {
            leave();
        }
        countTaken();
        job.end(failure, result);
        claims.remove(claims.size() - 1);
        return true;
    }

    private void countTaken() {
        Worker worker = worker();
        if (worker == null) {
            pool.counters.forksTaken.increment();
        } else {
            worker.countTaken();
        }
    }

    /** Ends the forks that were claimed and did not come to an end, because the stack was at its. */
    void settle(int settled) {
        while (claims.size() > settled) {
            ForkJob job = claims.get(claims.size() - 1);
            if (!job.ended() && job.runner() == this) {
                job.end(new StackOverflowError("no stack was left to run this fork"), null);
            }
            claims.remove(claims.size() - 1); // now: what breaks off before is done again
        }
    }

    // ---- joining -------------------------------------------------------------------------------------------------

    @Override
    protected @Nullable ForkNode claim(ForkList list, ForkNode node) {
        ForkJob job = (ForkJob) ForkList.shareOf(node);
        if (job != null && job.owner != this) {
            throw new IllegalStateException(
                    node + " was forked by " + job.owner.thread + ", and is joined by " + thread);
        }
        if (job == null || job.claimBack()) {
            list.unlink(node);
            ForkList.setShare(node, null);
            return list.newest();
        }
        help.await(job, node, true);
        list().unlink(node);
        return null;
    }

    @Override
    protected void abandon(ForkNode below, Throwable failure) {
        for (ForkNode node = list().newest(); node != below && node != null; node = ForkList.older(node)) {
            ForkJob job = (ForkJob) ForkList.shareOf(node);
            if (job != null && !job.cancelUnclaimed()) {
                job.requestCancel();
            }
        }
        while (list().newest() != below && list().newest() != null) {
            ForkNode node = list().newest();
            ForkJob job = node == null ? null : (ForkJob) ForkList.shareOf(node);
            if (job != null) { // stays in the list until it has ended: the stack may overflow before
                help.await(job, null, false);
                Throwable other = job.failure();
                if (other != null) {
                    Suppressed.add(failure, other);
                }
            }
            ForkList.setShare(list().unlinkNewest(), null);
        }
    }

    // ---- messages ------------------------------------------------------------------------------------------------

    /** Notes a guest, for as long as its tree runs. */
    void enterAsGuest() {
        boolean ignored = GUESTS.add(this);
    }

    void leaveAsGuest() {
        boolean ignored = GUESTS.remove(this);
    }

    /** Makes the guests of a pool read their messages. */
    static void alarmGuestsOf(WorkerPool pool) {
        for (Forking guest : GUESTS) {
            if (guest.pool == pool) {
                guest.alarmAndWake();
            }
        }
    }

    /**
     * Makes all threads that may run parts of a job's trees read their messages, when nobody knows which thread runs the job:
     * those of its pool, and those of others that guests have shared with. Wakes nobody if nothing is shared.
     */
    static void alarmSharedTrees(WorkerPool pool) {
        if (pool.threads.isAnySharing()) {
            pool.threads.alarm();
            alarmGuestsOf(pool);
        }
        for (Forking guest : GUESTS) {
            if (guest.isSharing()) {
                guest.alarmTrees();
            }
        }
    }

    /** Makes a thread read the messages of all trees that it runs, whatever pools they are of. */
    static void alarmTreesOf(Thread thread) {
        if (thread instanceof WorkerThread own) {
            own.forking.alarmTrees();
        }
        for (Forking guest : GUESTS) {
            if (guest.thread == thread) {
                guest.alarmTrees();
            }
        }
    }

    /** Makes all threads that may run parts of these trees read their messages; for any thread. */
    void alarmTrees() {
        alarmAndWake();
        if (isSharing()) {
            pool.threads.alarm();
            alarmGuestsOf(pool);
        }
    }

    /** Makes the thread read its messages soon, also if it is parked in a join; for any thread. */
    void alarmAndWake() {
        alarm();
        LockSupport.unpark(thread);
    }

    /** The pool stops, or the job whose tree runs here was cancelled; for any thread. */
    private void readMessages(ForkList list) {
        if (list.isAlarmed()) {
            list.silence(); // [A2] before the look
        }
        String why = whyCancelled();
        if (why != null) {
            alarm(); // again, for the runs below and for bodies that go on all the same
            throw new CancellationException(why);
        }
    }

    /** Why the runs of this thread are to stop; null if they are not. */
    @Nullable
    String whyCancelled() {
        if (pool.isStoppedNow()) {
            return "the scheduler was shut down";
        }
        SubmittedJob<?> job = own != null ? own.current : CurrentJob.get();
        if (job != null && job.isCancelled()) {
            return "the job whose tree this is was cancelled";
        }
        for (ForkNode node = list().newest(); node != null; node = ForkList.older(node)) {
            if (node instanceof ForkMark mark) {
                String why = mark.whyCancelled();
                if (why != null) {
                    return why;
                }
                why = mark.origin() instanceof ForkJob run ? run.whyCancelled() : null;
                if (why != null) {
                    return why;
                }
            }
        }
        return null;
    }
}
