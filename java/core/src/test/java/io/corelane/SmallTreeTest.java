// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Trees whose class of roots has small trees begin unshared; loops and scopes do not, and not inside of those either. */
@Timeout(120)
class SmallTreeTest {
    private static final int FORKS = 64;

    /** Two that can end only together. */
    private static final class Pair {
        final CyclicBarrier both = new CyclicBarrier(2);
        final Set<Thread> threads = ConcurrentHashMap.newKeySet();

        void meet() {
            threads.add(Thread.currentThread());
            try {
                both.await(20, TimeUnit.SECONDS);
            } catch (Exception alone) {
                throw new AssertionError("the other one is not run meanwhile", alone);
            }
        }
    }

    private static final class Nothing extends ForkAction {
        @Override
        protected void compute() {}
    }

    /** Few forks, and then something else. */
    private static final class Small extends ForkAction {
        private final Runnable last;

        Small(Runnable last) {
            this.last = last;
        }

        @Override
        protected void compute() {
            for (int i = 0; i < FORKS; i++) {
                Nothing fork = new Nothing();
                fork.fork();
                fork.join();
            }
            last.run();
        }
    }

    /** In a job: forks that a guest has shared and joined stay in the injector until a worker gets round to them. */
    private static void assertMeetInside(
            Consumer<PinnedScheduler> before, Consumer<Pair> run, PinnedScheduler scheduler) throws Exception {
        Pair pair = new Pair();
        Object ignored = Schedulers.result(scheduler, scheduler.submit(() -> {
            for (int i = 0; i < 20_000; i++) { // until its trees are quick
                before.accept(scheduler);
            }
            run.accept(pair);
        }));
        assertThat(pair.threads).hasSize(2);
        Schedulers.end(scheduler);
    }

    @Test
    void aScopeInsideASmallTreeSharesFromTheStart() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        assertMeetInside(
                here -> here.invoke(new Small(() -> {})),
                pair -> scheduler.invoke(new Small(() -> {
                    Object ignored = scheduler.scope(scope -> {
                        scope.fork(() -> meet(pair));
                        return scope.fork(() -> meet(pair)).join();
                    });
                })),
                scheduler);
    }

    private static String meet(Pair pair) {
        pair.meet();
        return "";
    }

    @Test
    void aLoopInsideASmallTreeIsSplitFromTheStart() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        assertMeetInside(
                here -> here.invoke(new Small(() -> {})),
                pair -> scheduler.invoke(new Small(() -> scheduler.parallelFor(0, 2, i -> pair.meet()))),
                scheduler);
    }

    /** What a loop has forked says nothing of the next one. */
    @Test
    void aLoopIsSplitFromTheStartWhateverTheOneBeforeWas() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        for (int round = 0; round < 20; round++) {
            scheduler.parallelFor(0, 1 << 15, i -> {
                for (int spins = 0; spins < 50; spins++) {
                    Thread.onSpinWait();
                }
            });
            Pair pair = new Pair();
            scheduler.parallelFor(0, 2, i -> pair.meet());
            assertThat(pair.threads).hasSize(2);
        }
        Schedulers.end(scheduler);
    }

    /** The 64 forks of Small and 60 more: fewer than the 128 between two looks at the watch, later on. */
    @Test
    void aTreeThatIsLongThoughItsLikeWereSmallIsSharedSoon() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        assertMeetInside(
                here -> here.invoke(new Small(() -> {})),
                pair -> scheduler.invoke(new Small(() -> {
                    long end = System.nanoTime() + 1_000_000;
                    while (System.nanoTime() - end < 0) {
                        Thread.onSpinWait();
                    }
                    for (int i = 0; i < 60; i++) {
                        Nothing fork = new Nothing();
                        fork.fork();
                        fork.join();
                    }
                    ForkAction other = new ForkAction() {
                        @Override
                        protected void compute() {
                            pair.meet();
                        }
                    };
                    other.fork();
                    pair.meet();
                    other.join();
                })),
                scheduler);
    }

    /** Counted: what is shared unasked shows that the tree did not begin deaf. */
    @Test
    void aTreeOfLongForksIsNotTakenForASmallOne() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        for (int round = 0; round < 10; round++) {
            long before = scheduler.stats().forks().shared();
            scheduler.invoke(new Small(() -> {
                long end = System.nanoTime() + 1_000_000;
                while (System.nanoTime() - end < 0) {
                    Thread.onSpinWait();
                }
            }));
            assertThat(scheduler.stats().forks().shared() - before)
                    .as("round %s", round)
                    .isPositive();
        }
        Schedulers.end(scheduler);
    }
}
