// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.fork;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The forks of one thread that are not joined yet, newest first; see {@link ForkNode}.
 *
 * <p><b>Thread safety:</b> for its thread alone, but for {@link #alarm}.
 */
public final class ForkList {
    /*
     * Each fork stores itself in `top`. G1 up to JDK 25 ends a store of a young object into an old one with a full fence
     * and work for its refinement threads, which costs more than all the rest of a fork. So this object stays young: after
     * RENEW_AFTER forks the thread takes a copy, long before the collector would promote it. Under the other collectors
     * that is not needed, and does no harm: 40 bytes for 16,384 forks. In its own allocation buffer the copy also shares
     * no card with another thread's list, whose marks would else fight over a line.
     *
     * Joins out of order look for their fork from the newest on. Those that join in the order of forking would look at
     * all the others each time, so the way is kept in `path`: the next such join finds its fork at the end of that. A
     * fork is unlinked behind its newer neighbour only if that still links to it, so a stale path is harmless.
     */
    static final int RENEW_AFTER = 1 << 14;

    private static final ForkNode[] NO_PATH = {};
    private static final int FEW = 16;
    private static final int WALK_PER_SHARE = 128;

    private static final VarHandle HUNGER;

    static {
        try {
            HUNGER = MethodHandles.lookup()
                    .findVarHandle(ForkList.class, "hunger", Hunger.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final ForkHost host;
    /** The newest fork, or the mark of what runs; null while no tree runs. */
    @Nullable
    ForkNode top;
    /** How many forks until the host attends. */
    int left = RENEW_AFTER;
    /** How many forks there will have been by then. */
    private long forksThen = RENEW_AFTER;
    /** Who is asked whether anybody wants forks. */
    @SuppressWarnings("UnusedVariable") // HUNGER
    private Hunger hunger;

    private ForkNode[] path = NO_PATH;
    private int pathLength;

    ForkList(ForkHost host, Hunger hunger) {
        this.host = host;
        this.hunger = hunger;
    }

    ForkList copy() {
        ForkList copy = new ForkList(host, hungerOpaque());
        copy.top = top;
        copy.forksThen = forks() + RENEW_AFTER;
        return copy;
    }

    /**
     * Returns how often the thread has forked.
     *
     * @return a count that only grows
     */
    public long forks() {
        return forksThen - left;
    }

    /** Returns the list of the calling thread. */
    static ForkList current() {
        Thread thread = Thread.currentThread();
        ForkList list = thread instanceof ForkThread own ? own.forks : Guests.of(thread);
        if (list == null) {
            throw outside();
        }
        return list;
    }

    /**
     * Returns the list of the calling thread.
     *
     * @return null if it has none
     */
    public static @Nullable ForkList currentOrNull() {
        Thread thread = Thread.currentThread();
        return thread instanceof ForkThread own ? own.forks : Guests.of(thread);
    }

    /**
     * Sets the list of the calling thread.
     *
     * @param list the list; null for none
     */
    public static void install(@Nullable ForkList list) {
        Thread thread = Thread.currentThread();
        if (thread instanceof ForkThread own) {
            own.forks = list;
        } else {
            Guests.install(thread, list);
        }
    }

    /**
     * Returns whose list it is.
     *
     * @return the host
     */
    public ForkHost host() {
        return host;
    }

    boolean isAsked() {
        return hungerOpaque().isAny();
    }

    private Hunger hungerOpaque() {
        return (Hunger) HUNGER.getOpaque(this);
    }

    void attend() {
        boolean renewed = left < 0;
        host.attend(renewed ? host.renew(this) : this, renewed);
    }

    /**
     * Returns whether a fork of the calling thread would be shared at once: what can be split is to be split then.
     *
     * @return whether somebody asks for one
     */
    public static boolean isForkWanted() {
        ForkList list = current();
        return list.isAsked() && list.host.wantsFork(list);
    }

    IllegalStateException refusesFork(ForkNode node) {
        return top == null ? outside() : new IllegalStateException(node + " is forked already, and not joined yet");
    }

    private static IllegalStateException outside() {
        return new IllegalStateException("no tree of forks runs on " + Thread.currentThread()
                + " (expected a call inside PinnedScheduler.invoke)");
    }

    // ---- messages ------------------------------------------------------------------------------------------------

    /** Makes the thread attend; for any thread. */
    void alarm() {
        VarHandle.fullFence(); // [A1]
        HUNGER.setOpaque(this, Hunger.ALARM);
    }

    /**
     * Returns whether somebody has left a message.
     *
     * @return whether there was an alarm
     */
    public boolean isAlarmed() {
        return hungerOpaque() == Hunger.ALARM;
    }

    /** Ends an alarm; the caller looks at the messages afterwards. */
    public void silence() {
        HUNGER.setOpaque(this, host.hunger());
        VarHandle.fullFence(); // [A2]
    }

    /**
     * Returns whether the host attends to each fork, unasked.
     *
     * @return whether {@link #beEager} was called last
     */
    public boolean isEager() {
        return hungerOpaque() == Hunger.EVERYBODY;
    }

    /** Lets the host attend to each fork, whether or not anybody asks; the host looks at its messages afterwards. */
    public void beEager() {
        HUNGER.setOpaque(this, Hunger.EVERYBODY);
        VarHandle.fullFence(); // [A2]
    }

    /**
     * Lets nobody ask for a number of forks.
     *
     * @param forks after how many the host attends again
     */
    public void deafFor(int forks) {
        HUNGER.setOpaque(this, Hunger.NONE);
        forksThen = forks() + forks;
        left = forks;
        VarHandle.fullFence(); // [A2]
    }

    // ---- runs ----------------------------------------------------------------------------------------------------

    /**
     * Marks the beginning of a run.
     *
     * @param origin the shared fork that runs, or null for the root of a tree
     * @return to be given to {@link #end}
     */
    public ForkMark begin(@Nullable ForkShare origin) {
        ForkMark mark = new ForkMark(origin, top);
        top = mark;
        return mark;
    }

    /**
     * Ends a run. All that it has forked was unlinked, unless there was no stack left to do so: then it is dropped.
     *
     * @param mark what {@link #begin} returned
     */
    public void end(ForkMark mark) {
        top = mark.older;
        mark.older = null;
        mark.setJob(null); // stale entries of queues know the mark
        if (pathLength != 0) { // what has ended stays reachable for nobody
            path = NO_PATH;
            pathLength = 0;
        }
    }

    /**
     * Sets all forks aside, for something that is no part of a tree.
     *
     * @return to be given to {@link #restore}
     */
    public @Nullable ForkNode setAside() {
        ForkNode aside = top;
        top = null;
        return aside;
    }

    /**
     * Undoes {@link #setAside}.
     *
     * @param aside what it returned
     */
    public void restore(@Nullable ForkNode aside) {
        top = aside;
    }

    /**
     * Joins all that a run has forked and not joined.
     *
     * @param mark the run's mark
     */
    public static void joinAllAbove(ForkMark mark) {
        ForkNode node = current().top;
        while (node != mark) {
            ForkNode newest = known(node);
            ForkNode below = newest.pop();
            if (below == null) {
                below = newest.claim();
            }
            if (below == null) {
                Object ignored = newest.sharedResult();
            } else {
                try {
                    Object ignored = newest.callBoxed();
                } catch (Throwable failure) {
                    throw ForkNode.failed(below, failure);
                }
            }
            node = current().top;
        }
    }

    private static ForkNode known(@Nullable ForkNode node) {
        if (node == null) {
            throw new AssertionError("the mark of the run is gone");
        }
        return node;
    }

    // ---- the links -----------------------------------------------------------------------------------------------

    /**
     * Returns the newest fork, or the mark of what runs.
     *
     * @return null while no tree runs
     */
    public @Nullable ForkNode newest() {
        return top;
    }

    /**
     * Returns the next older one.
     *
     * @param node a fork or mark of a list
     * @return a fork or mark, or null
     */
    public static @Nullable ForkNode older(ForkNode node) {
        return node.older;
    }

    /**
     * Returns what a fork was shared as.
     *
     * @param node a fork
     * @return null if it is private
     */
    public static @Nullable ForkShare shareOf(ForkNode node) {
        return node.shared;
    }

    /**
     * Sets what a fork was shared as.
     *
     * @param node a fork of the calling thread
     * @param share null to make it private again
     */
    public static void setShare(ForkNode node, @Nullable ForkShare share) {
        node.shared = share;
    }

    /**
     * Runs the body of a fork.
     *
     * @param node the fork
     * @return its result
     */
    public static @Nullable Object call(ForkNode node) {
        return node.callBoxed();
    }

    /**
     * Takes the newest fork off the list.
     *
     * @return the fork
     */
    public ForkNode unlinkNewest() {
        ForkNode newest = known(top);
        top = newest.older;
        newest.older = null;
        return newest;
    }

    /**
     * Takes a fork off the list, wherever it is.
     *
     * @param node the fork
     * @throws IllegalStateException if it is not there
     */
    public void unlink(ForkNode node) {
        if (node.older == null) {
            throw new IllegalStateException(node + " is not forked, or was joined already");
        }
        if (top == node) {
            top = node.older;
        } else {
            ForkNode newer = onPath(node) ? path[pathLength - 1] : search(node);
            newer.older = node.older;
        }
        node.older = null;
    }

    /** Whether the path ends in the fork; takes it off the path, so that its newer neighbour is the end. */
    private boolean onPath(ForkNode node) {
        if (pathLength < 2 || path[pathLength - 1] != node || path[pathLength - 2].older != node) {
            return false;
        }
        pathLength--;
        return true;
    }

    private ForkNode search(ForkNode node) {
        List<ForkNode> walked = new ArrayList<>(FEW);
        ForkNode newer = top;
        while (newer != null && newer.older != node) {
            walked.add(newer);
            newer = newer.older;
        }
        if (newer == null) {
            throw new IllegalStateException(node + " was forked by another thread, or is no part of what runs here");
        }
        walked.add(newer);
        path = walked.toArray(new ForkNode[0]);
        pathLength = path.length;
        return newer;
    }

    /**
     * Returns the oldest private forks, more than asked for if it takes a long way to find them, so that it is worth it.
     *
     * @param atLeast how many, if there are so many
     * @return oldest first; none of them a mark
     */
    public List<ForkNode> oldestPrivate(int atLeast) {
        List<ForkNode> found = new ArrayList<>(FEW);
        for (ForkNode node = top; node != null && node.shared == null; node = node.older) {
            if (!(node instanceof ForkMark)) {
                found.add(node);
            }
        }
        Collections.reverse(found);
        return found.subList(0, Math.min(found.size(), Math.max(atLeast, found.size() / WALK_PER_SHARE)));
    }

    /**
     * Returns the mark of the run that has forked a given one, linked to those below up to that of a shared fork.
     *
     * @param node a fork of the calling thread's list
     * @return its mark
     */
    public static @Nullable ForkMark markOf(ForkNode node) {
        ForkMark nearest = nearestMark(node);
        for (ForkMark mark = nearest; mark != null && mark.origin == null; mark = mark.outer()) {
            mark.link();
        }
        return nearest;
    }

    /** Returns the newest mark from a place of a list on. */
    static @Nullable ForkMark nearestMark(@Nullable ForkNode node) {
        ForkNode at = node;
        while (at != null && !(at instanceof ForkMark)) {
            at = at.older;
        }
        return (ForkMark) at;
    }

    /**
     * Returns the shared fork whose run has forked a given one.
     *
     * @param node a fork of this list
     * @return null if it is the root of a tree
     */
    public static @Nullable ForkShare originOf(ForkNode node) {
        ForkMark mark = nearestMark(node);
        return mark == null ? null : mark.origin;
    }

    @Override
    public String toString() {
        List<String> names = new ArrayList<>();
        for (ForkNode node = top; node != null; node = node.older) {
            names.add(node.toString());
        }
        return Arrays.toString(names.toArray());
    }
}
