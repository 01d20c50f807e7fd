// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.fork;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How many threads of a pool are short of work: what a busy one looks at in each fork and join. It changes only when a
 * worker runs out of work or finds some, so while all are busy a look is a load of a line that nobody writes.
 *
 * <p><b>Thread safety:</b> any thread may call anything.
 */
public final class Hunger extends HungerFields.Tail {
    /*
     * Ordering. The look is opaque: it sees a change some time later, and orders nothing. Nothing depends on when: who is
     * short of work has announced itself with the event count as well, and what is shared is published as any job is.
     */

    /** Always says yes: a thread that has this one is to look for messages. */
    static final Hunger ALARM = new Hunger(1);

    /** Always says yes: a run that shares all it forks for the time being. */
    static final Hunger EVERYBODY = new Hunger(1);

    /** Always says no: a tree that shares nothing for the time being. */
    static final Hunger NONE = new Hunger(0);

    private static final VarHandle COUNT;

    static {
        try {
            COUNT = MethodHandles.lookup()
                    .findVarHandle(HungerFields.Count.class, "count", int.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Starts with nobody short of work. */
    public Hunger() {
        this(0);
    }

    private Hunger(int count) {
        this.count = count;
    }

    /** The calling thread is short of work from now on. */
    public void begin() {
        int ignored = (int) COUNT.getAndAdd((HungerFields.Count) this, 1);
    }

    /** Undoes {@link #begin}. */
    public void end() {
        int ignored = (int) COUNT.getAndAdd((HungerFields.Count) this, -1);
    }

    /**
     * Returns whether anybody is short of work; may lag behind.
     *
     * @return whether somebody is
     */
    public boolean isAny() {
        return count() != 0;
    }

    /**
     * Returns how many are short of work; may lag behind.
     *
     * @return at least 0
     */
    public int count() {
        return (int) COUNT.getOpaque((HungerFields.Count) this);
    }
}
