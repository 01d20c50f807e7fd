// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Calls everything at once, in random order and from 16 threads, on one scheduler after the other, while jobs fail and are
 * cancelled, threads die, and schedulers are shut down in the middle; then looks whether the books are right. The seed fixes
 * what each thread does, but not how they interleave.
 *
 * <p>{@code -Dcorelane.chaos.seconds=600} is the long form; {@code -Dcorelane.chaos.seed} repeats a run.
 */
class ChaosTest {
    private static final long SEED = Long.getLong("corelane.chaos.seed", System.nanoTime());
    private static final long SECONDS = Long.getLong("corelane.chaos.seconds", 10);

    @Test
    void everyTicketIsSettledOnceWhateverIsCalledAndWhoeverDies() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        AtomicBoolean over = new AtomicBoolean();
        Stress.Threads prodder = new Stress.Threads();
        prodder.start("prodder", () -> prod(over));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        int rounds = 0;
        long tickets = 0;
        for (; System.nanoTime() - end < 0; rounds++) {
            ChaosRound round = new ChaosRound(rounds, random.split());
            try {
                round.play();
                tickets += round.check();
            } catch (Throwable failure) {
                throw new AssertionError(
                        "-Dcorelane.chaos.seed=" + SEED + ", round " + rounds + ", " + round + ": "
                                + failure.getMessage(),
                        failure);
            }
        }
        over.set(true);
        prodder.join(() -> "prodder");
        System.out.println("chaos: seed " + SEED + ", " + rounds + " schedulers, " + tickets + " tickets");
    }

    /** Ends parks that nobody else ended, which is when a worker can notice that a wake-up was lost. */
    private static void prod(AtomicBoolean over) {
        Thread[] threads = new Thread[4096];
        for (int i = 0; !over.get(); i++) {
            int count = Thread.enumerate(threads);
            Thread thread = threads[i % Math.max(1, count)];
            if (thread != null && thread.getName().startsWith(ChaosRound.NAME)) {
                LockSupport.unpark(thread);
            }
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(500));
        }
    }
}
