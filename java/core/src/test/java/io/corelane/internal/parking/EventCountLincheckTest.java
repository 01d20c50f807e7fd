// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.parking;

import io.corelane.ModelCheck;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A job is queued: a parked worker is woken for it, even if all who are awake are busy. Submitters and workers go the
 * steps of {@code docs/sleep-and-wake.md} on a shipped {@link EventCount}, in orders of their steps that Lincheck tries
 * one by one. A job ends only when all have started, so each needs a worker of its own, and a lost wake-up shows as a
 * run that does not end. In the end all search tokens must be accounted for.
 *
 * <p>The steps of a worker are a copy of those in {@code Worker.idle}, {@code found} and {@code park}, with one counter
 * for all queues: a change there is to be repeated here.
 *
 * <p>What Lincheck cannot see: it runs one step after another on one memory, so an access that is weaker than it has to
 * be, or a missing fence, changes nothing here; {@code SleepAndWakeJcstress} is for that. It lets every park end
 * by itself, as the JDK allows, so a forgotten unpark is not noticed; {@code EventCountTest} notices. The number of orders
 * is limited; most have two or three switches of threads.
 */
class EventCountLincheckTest {
    private static final int LOOPS = 1000; // turns of a loop that count as a hang; a parked worker turns meanwhile

    @ParameterizedTest
    @ValueSource(classes = {One.class, OneSpinning.class})
    void aWorkerThatGoesToSleepIsWokenForAJob(Class<?> pool) {
        check(pool, 300, "submit", "work0");
    }

    @ParameterizedTest
    @ValueSource(classes = {Two.class, TwoSpinning.class})
    void twoJobsOfOneSubmitterGetAWorkerEach(Class<?> pool) {
        check(pool, 450, "submit submit", "work0", "work1");
    }

    @ParameterizedTest
    @ValueSource(classes = {Two.class, TwoSpinning.class})
    void twoSubmittersGetAWorkerEach(Class<?> pool) {
        check(pool, 450, "submit", "submit", "work0", "work1");
    }

    @ParameterizedTest
    @ValueSource(classes = {Two.class, TwoSpinning.class})
    void aWakeByNameTakesNoWakeUpAway(Class<?> pool) {
        check(pool, 450, "submit submit", "wake0 wake1", "work0", "work1");
    }

    private static void check(Class<?> pool, int orders, String... threads) {
        ModelCheck.of(pool, NoResults.class).withLoopBound(LOOPS).run(orders, "", "", threads);
    }

    /** The operations return nothing, so nothing is to be checked of their results. */
    public static class NoResults {
        @Operation
        public void submit() {}

        @Operation
        public void wake(int index) {}

        @Operation
        public void work(int index) {}
    }

    /** One worker that parks at once. */
    public static class One extends Pool {
        public One() {
            super(1, false);
        }
    }

    /** One worker that takes a search token and looks again before it parks. */
    public static class OneSpinning extends Pool {
        public OneSpinning() {
            super(1, true);
        }
    }

    /** Two workers that park at once. */
    public static class Two extends Pool {
        public Two() {
            super(2, false);
        }
    }

    /** Two workers; one at a time takes a search token and looks again before they park. */
    public static class TwoSpinning extends Pool {
        public TwoSpinning() {
            super(2, true);
        }
    }

    /** As many workers as jobs. */
    public abstract static class Pool {
        private final int size;
        private final boolean spinning;
        private final EventCount count;
        private final AtomicInteger queue = new AtomicInteger();
        private final AtomicInteger tokensKept = new AtomicInteger();
        private int started; // guarded by this
        private volatile boolean stopping;

        Pool(int size, boolean spinning) {
            this.size = size;
            this.spinning = spinning;
            count = new EventCount(size, -1); // the version wraps
        }

        @Operation
        public void submit() {
            queue.incrementAndGet();
            count.signal();
        }

        @Operation
        public void wake(@Param(gen = IntGen.class, conf = "0:1") int index) {
            count.wake(index);
        }

        @Operation
        public void work(@Param(gen = IntGen.class, conf = "0:1") int index) throws InterruptedException {
            count.assign(index, Thread.currentThread());
            boolean searching = false;
            while (true) {
                boolean job = sweep();
                if (!job && spinning) {
                    searching = searching || count.beginSearch(1);
                    job = searching && sweep();
                }
                if (job) {
                    found(searching);
                    run();
                    stopping = true;
                    count.wakeAll();
                    return;
                }
                count.announce(index, searching);
                if (stopping) {
                    keep(count.cancel(index));
                    return;
                }
                if (queue.get() > 0) {
                    count.signal();
                }
                searching = count.await(index, () -> {});
                if (stopping) {
                    keep(searching);
                    return;
                }
            }
        }

        private boolean sweep() {
            int jobs = queue.get();
            while (jobs > 0) {
                if (queue.compareAndSet(jobs, jobs - 1)) {
                    return true;
                }
                jobs = queue.get();
            }
            return false;
        }

        private void found(boolean searching) {
            if (searching && count.endSearch() && queue.get() > 0) {
                count.signal();
            }
        }

        private synchronized void run() throws InterruptedException {
            started++;
            notifyAll();
            while (started < size) {
                wait();
            }
        }

        private void keep(boolean token) {
            if (token) {
                tokensKept.incrementAndGet();
            }
        }

        @Validate
        public void allJobsHaveRunAndNoTokenIsLost() {
            if (started != size || count.searching() != tokensKept.get()) {
                throw new AssertionError("started=" + started + " (expected " + size + ") searching="
                        + count.searching() + " (expected " + tokensKept + ")");
            }
        }
    }
}
