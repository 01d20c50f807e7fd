// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.internal.deque.WorkDeque;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Tells whether the only job of a deque has just come, so that its owner will most likely take it at once.
 *
 * <p><b>Thread safety:</b> any thread may call anything.
 */
final class LoneJob extends LoneJobFields.Tail {
    /*
     * In a chain, where each job ends by submitting the next, a thief that looks again and again would now and then catch
     * the job between its push and its pop. That carries the chain to another CPU, where everything it needs has to follow,
     * and the worker that was robbed becomes the next thief. So who searches takes a lone job only if it has been
     * there for SETTLED_NANOS since somebody first saw it. A worker that has just run a job does not wait for that:
     * it was busy, so it did not look often, and where each job begins by submitting the next the wait would cost both.
     * Forks are there for others to take, and taken at once.
     *
     * All accesses are opaque: a wrong answer takes a job too early, or a moment later. Nobody parks because of it: the look
     * before that is at the deques themselves, so it finds the job, and is followed by another search.
     *
     * Source: Go's thieves leave runnext alone for 3 us (runqgrab in runtime/proc.go). We differ: the thief does not sleep
     * meanwhile, and looks at other deques.
     */
    private static final long SETTLED_NANOS = 200;

    private static final VarHandle TAKEN;
    private static final VarHandle SINCE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TAKEN = lookup.findVarHandle(LoneJobFields.Seen.class, "taken", long.class)
                    .withInvokeExactBehavior();
            SINCE = lookup.findVarHandle(LoneJobFields.Seen.class, "since", long.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final WorkDeque deque;

    /** Looks at a deque. */
    LoneJob(WorkDeque deque) {
        this.deque = deque;
        taken = deque.taken() - 1;
    }

    /** Returns whether to leave the deque alone for now. */
    boolean isPassing() {
        long takenNow = deque.taken();
        if (deque.size() != 1 || deque.peek(0) instanceof ForkJob) {
            return false;
        }
        long now = System.nanoTime();
        if ((long) TAKEN.getOpaque((LoneJobFields.Seen) this) == takenNow) {
            return now - (long) SINCE.getOpaque((LoneJobFields.Seen) this) < SETTLED_NANOS;
        }
        SINCE.setOpaque((LoneJobFields.Seen) this, now);
        TAKEN.setOpaque((LoneJobFields.Seen) this, takenNow);
        return true;
    }
}
