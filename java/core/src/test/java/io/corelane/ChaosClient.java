// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** A thread of the chaos run that makes random calls, and is interrupted at random times. */
final class ChaosClient extends Thread {
    /** A chain of 300 jobs may run on this stack, one inside the other, if the policy is that callers run them. */
    private static final long STACK_BYTES = 64L << 20;

    final AtomicInteger calls = new AtomicInteger();

    private final ChaosRound round;
    private final ChaosCalls chaos;
    private final int total;

    private boolean interruptible; // guarded by this

    ChaosClient(ChaosRound round, SplittableRandom random, int total) {
        super(null, null, "client", STACK_BYTES);
        this.round = round;
        this.chaos = new ChaosCalls(round, random, 0, false);
        this.total = total;
        setDaemon(true);
    }

    @Override
    public void run() {
        while (calls.get() < total) {
            setInterruptible(true);
            chaos.any();
            setInterruptible(false);
            calls.incrementAndGet();
            round.progress.incrementAndGet();
        }
    }

    /** Says whether an interrupt may come from now on; one that has come before is forgotten. */
    synchronized void setInterruptible(boolean now) {
        interruptible = now;
        boolean ignored = Thread.interrupted();
    }

    /** Interrupts the call that this thread makes, if it makes one that may be interrupted; cancelled jobs of it do so, too. */
    @Override
    public synchronized void interrupt() {
        if (interruptible) {
            super.interrupt();
        }
    }
}
