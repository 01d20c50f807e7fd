// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Forks and their joins. */
@Timeout(300)
class ForkTest {
    /** From outside, or in a job. */
    private static <T> T invoke(PinnedScheduler scheduler, boolean inside, Fork<T> root) {
        return inside
                ? Schedulers.result(scheduler, scheduler.submit(() -> scheduler.invoke(root)))
                : scheduler.invoke(root);
    }

    /** A fork of a lambda. */
    private static <T> Fork<T> fork(Supplier<T> body) {
        return new Fork<T>() {
            @Override
            protected T compute() {
                return body.get();
            }
        };
    }

    private static <T> Fork<T> forked(Supplier<T> body) {
        Fork<T> fork = fork(body);
        fork.fork();
        return fork;
    }

    private static final class Fib extends LongFork {
        final int n;

        Fib(int n) {
            this.n = n;
        }

        @Override
        protected long compute() {
            if (n < 2) {
                return n;
            }
            Fib left = new Fib(n - 1);
            left.fork();
            long right = new Fib(n - 2).compute();
            return right + left.join();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, FIFO, false",
        "1, LIFO, true",
        "2, FIFO, true",
        "2, LIFO, false",
        "2, FIFO, false",
        "2, LIFO, true",
        "64, FIFO, true",
        "64, LIFO, false"
    })
    void aTreeHasTheResultOfItsPlainRecursion(int workers, LocalOrder order, boolean inside) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        for (int round = 0; round < Stress.scaled(20); round++) {
            Fib root = new Fib(20);
            long result = inside
                    ? Schedulers.result(scheduler, scheduler.submit(() -> scheduler.invoke(root)))
                    : scheduler.invoke(root);
            assertThat(result).isEqualTo(6765);
        }
        Schedulers.end(scheduler);
    }

    @Test
    void everyKindOfForkReturnsItsResult() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        List<String> ran = Collections.synchronizedList(new ArrayList<>());
        DoubleFork half = new DoubleFork() {
            @Override
            protected double compute() {
                return 0.5;
            }
        };
        ForkAction action = new ForkAction() {
            @Override
            protected void compute() {
                ran.add("action");
            }
        };
        String result = scheduler.invoke(fork(() -> {
            Fork<String> nothing = forked(() -> null);
            half.fork();
            action.fork();
            new Fib(10).fork();
            action.join();
            return half.join() + " " + nothing.join();
        }));
        assertThat(result).isEqualTo("0.5 null");
        assertThat(ran).containsExactly("action");
        assertThat(scheduler.invoke(half)).isEqualTo(0.5);
        scheduler.invoke(action);
        assertThat(ran).hasSize(2);
        Schedulers.end(scheduler);
    }

    /** Each waits for the other: on one thread they would wait for ever. */
    @ParameterizedTest
    @CsvSource({"2, FIFO, true", "2, LIFO, true", "1, FIFO, false", "2, LIFO, false", "64, FIFO, false"})
    void twoLongBranchesRunAtTheSameTimeAtOnce(int workers, LocalOrder order, boolean inside) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        for (int round = 0; round < 50; round++) {
            CyclicBarrier both = new CyclicBarrier(2);
            Set<Thread> threads = invoke(scheduler, inside, fork(() -> {
                Set<Thread> seen = ConcurrentHashMap.newKeySet();
                Fork<Boolean> left = forked(() -> meet(both, seen));
                meet(both, seen);
                left.join();
                return seen;
            }));
            assertThat(threads).hasSize(2);
        }
        Schedulers.end(scheduler);
    }

    private static boolean meet(CyclicBarrier barrier, Set<Thread> seen) {
        seen.add(Thread.currentThread());
        try {
            barrier.await(60, TimeUnit.SECONDS);
            return true;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** All at once: each of eight leaves waits for the seven others. */
    @Schedulers.EachShape
    void asManyBranchesRunAtTheSameTimeAsThereAreThreads(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(8 * workers, order);
        CyclicBarrier all = new CyclicBarrier(8);
        Set<Thread> seen = ConcurrentHashMap.newKeySet();
        Schedulers.result(scheduler, scheduler.submit(() -> scheduler.invoke(fork(() -> spread(3, all, seen)))));
        assertThat(seen).hasSize(8);
        Schedulers.end(scheduler);
    }

    private static boolean spread(int depth, CyclicBarrier all, Set<Thread> seen) {
        if (depth == 0) {
            return meet(all, seen);
        }
        Fork<Boolean> left = forked(() -> spread(depth - 1, all, seen));
        boolean right = spread(depth - 1, all, seen);
        return left.join() && right;
    }

    /** The second worker is busy when the forks are made, and asks later. */
    @Schedulers.EachShape
    void aWorkerThatIsIdleLaterGetsForksThatWerePrivate(int ignored, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2, order);
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch forked = new CountDownLatch(1);
        JobHandle<?> other = scheduler.submit(() -> {
            busy.countDown();
            uninterruptibly(forked);
        });
        Schedulers.await(scheduler, busy);
        CyclicBarrier both = new CyclicBarrier(2);
        Set<Thread> seen = ConcurrentHashMap.newKeySet();
        Schedulers.result(
                scheduler,
                scheduler.submit(() -> scheduler.invoke(fork(() -> {
                    Fork<Boolean> left = forked(() -> meet(both, seen));
                    forked.countDown();
                    other.join();
                    while (scheduler.stats().forks().shared() == 0) {
                        forked(() -> true).join(); // each is a look at who is idle
                    }
                    boolean here = meet(both, seen);
                    return left.join() && here;
                }))));
        assertThat(seen).hasSize(2);
        Schedulers.end(scheduler);
    }

    private static void uninterruptibly(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static <T> T blocking(PinnedScheduler scheduler, Callable<T> section) {
        try {
            return scheduler.blocking(section);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void noForkIsSharedIfThereIsNoOtherWorker() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        long result = Schedulers.result(scheduler, scheduler.submit(() -> scheduler.invoke(new Fib(20))));
        assertThat(result).isEqualTo(6765);
        assertThat(scheduler.stats().forks()).isEqualTo(new ForkCounts(0, 0));
        assertThat(scheduler.stats().jobsRun()).isEqualTo(1);
        Schedulers.end(scheduler);
    }

    @ParameterizedTest
    @ValueSource(strings = {"inOrder", "reverse", "evenFirst"})
    void forksMayBeJoinedInAnyOrder(String order) throws Exception {
        for (int workers : new int[] {1, 2, 64}) {
            PinnedScheduler scheduler = Schedulers.unpinned(workers).build();
            int count = 2_000;
            long sum = Schedulers.result(
                    scheduler,
                    scheduler.submit(() -> scheduler.invoke(fork(() -> {
                        List<Fork<Integer>> forks = new ArrayList<>();
                        for (int i = 0; i < count; i++) {
                            int value = i;
                            forks.add(forked(() -> value));
                        }
                        if (order.equals("reverse")) {
                            Collections.reverse(forks);
                        }
                        long total = 0;
                        for (int i = 0; i < count; i++) {
                            int at = order.equals("evenFirst") ? (2 * i < count ? 2 * i : 2 * i - count + 1) : i;
                            total += forks.get(at).join();
                        }
                        return total;
                    }))));
            assertThat(sum).isEqualTo((long) count * (count - 1) / 2);
            Schedulers.end(scheduler);
        }
    }

    /** Quadratic work would take minutes. */
    @Test
    void aMillionForksOfOneParentAreJoinedInTheOrderOfForking() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        int count = 1_000_000;
        long sum = Schedulers.result(
                scheduler,
                scheduler.submit(() -> scheduler.invoke(fork(() -> {
                    List<Fork<Integer>> forks = new ArrayList<>(count);
                    for (int i = 0; i < count; i++) {
                        int value = i;
                        forks.add(forked(() -> value));
                    }
                    long total = 0;
                    for (Fork<Integer> fork : forks) {
                        total += fork.join();
                    }
                    return total;
                }))));
        assertThat(sum).isEqualTo((long) count * (count - 1) / 2);
        Schedulers.end(scheduler);
    }

    @Schedulers.EachShape
    void whatIsForkedAndNotJoinedHasEndedWhenInvokeReturns(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        for (int round = 0; round < Stress.scaled(200); round++) {
            AtomicInteger ran = new AtomicInteger();
            invoke(scheduler, round % 2 == 0, fork(() -> forget(4, ran)));
            assertThat(ran).hasValue(1 + 4 + 16 + 64 + 256);
        }
        Schedulers.end(scheduler);
    }

    private static boolean forget(int depth, AtomicInteger ran) {
        ran.incrementAndGet();
        for (int i = 0; depth > 0 && i < 4; i++) {
            forked(() -> forget(depth - 1, ran));
        }
        return true;
    }

    @Test
    void aForkMayBeForkedAgainAfterItsJoin() {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        AtomicInteger ran = new AtomicInteger();
        Fork<Integer> again = fork(ran::incrementAndGet);
        int last = scheduler.invoke(fork(() -> {
            int result = 0;
            for (int i = 0; i < 1_000; i++) {
                again.fork();
                result = again.join();
            }
            return result;
        }));
        assertThat(last).isEqualTo(1_000);
        scheduler.close();
    }

    // ---- misuse --------------------------------------------------------------------------------------------------

    @Test
    void aForkOutsideATreeIsRefused() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        assertThatThrownBy(() -> new Fib(3).fork())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("PinnedScheduler.invoke");
        assertThatThrownBy(() -> Schedulers.result(scheduler, scheduler.submit(() -> new Fib(3).fork())))
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThat(scheduler.invoke(new Fib(10))).isEqualTo(55);
        assertThatThrownBy(() -> new Fib(3).fork()).isInstanceOf(IllegalStateException.class);
        Schedulers.end(scheduler);
    }

    @Test
    void aForkIsRefusedWhileItIsForkedAndAJoinUnlessItIs() {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        AtomicInteger refused = new AtomicInteger();
        Fib fib = new Fib(3);
        boolean done = scheduler.invoke(fork(() -> {
            countRefusal(fib::join, refused);
            fib.fork();
            countRefusal(fib::fork, refused);
            long ignored = fib.join();
            countRefusal(fib::join, refused);
            return true;
        }));
        assertThat(done).isTrue();
        assertThat(refused).hasValue(3);
        scheduler.close();
    }

    private static void countRefusal(Runnable call, AtomicInteger refused) {
        try {
            call.run();
        } catch (IllegalStateException expected) {
            refused.incrementAndGet();
        }
    }

    @Test
    void anotherThreadMayNotJoin() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        scheduler.invoke(fork(() -> {
            Fork<Integer> mine = forked(() -> 1);
            Thread stranger = new Thread(() -> {
                try {
                    scheduler.invoke(fork(mine::join));
                } catch (Throwable t) {
                    refusal.set(t);
                }
            });
            stranger.start();
            try {
                stranger.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return mine.join();
        }));
        assertThat(refusal.get()).isInstanceOf(IllegalStateException.class);
        Schedulers.end(scheduler);
    }

    @Test
    void afterAShutdownInvokeIsRefusedOutsideAndAllowedInJobsThatRun() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        CountDownLatch shutdown = new CountDownLatch(1);
        JobHandle<Long> job = scheduler.submit(() -> {
            uninterruptibly(shutdown);
            return scheduler.invoke(new Fib(10));
        });
        scheduler.shutdown();
        assertThatThrownBy(() -> scheduler.invoke(new Fib(10))).isInstanceOf(RejectedExecutionException.class);
        shutdown.countDown();
        assertThat(Schedulers.result(scheduler, job)).isEqualTo(55);
        Schedulers.awaitEnd(scheduler);
    }

    // ---- surroundings --------------------------------------------------------------------------------------------

    @Schedulers.EachShape
    void treesOfSeveralSchedulersNestInEachOther(int workers, LocalOrder order) throws Exception {
        PinnedScheduler one = Schedulers.unpinned(workers, order);
        PinnedScheduler two = Schedulers.unpinned(workers, order);
        for (int round = 0; round < 20; round++) {
            long sum = one.invoke(fork(() -> {
                Fork<Long> left = forked(() -> two.invoke(fork(() -> {
                    Fork<Long> inner = forked(() -> one.invoke(new Fib(15)));
                    return new Fib(15).compute() + inner.join();
                })));
                return one.invoke(new Fib(15)) + left.join();
            }));
            assertThat(sum).isEqualTo(3 * 610);
        }
        Schedulers.end(one);
        Schedulers.end(two);
    }

    /** The list of forks of the first scheduler is renewed, see ForkList, while the thread runs a tree of the second. */
    @Schedulers.EachShape
    void aTreeGoesOnAfterATreeOfAnotherSchedulerWithALargeOneOfItsOwnInside(int workers, LocalOrder order)
            throws Exception {
        PinnedScheduler one = Schedulers.unpinned(workers, order);
        PinnedScheduler two = Schedulers.unpinned(workers, order);
        Fork<Long> root = fork(() -> {
            Fork<Long> left = forked(() -> 1L);
            return two.invoke(fork(() -> one.invoke(new Fib(22)))) + left.join();
        });
        assertThat(Schedulers.result(one, one.submit(() -> one.invoke(root)))).isEqualTo(17_711 + 1);
        assertThat(one.invoke(root)).isEqualTo(17_711 + 1);
        Schedulers.end(one);
        Schedulers.end(two);
    }

    @Schedulers.EachShape
    void jobsSectionsAndForksMix(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        for (int round = 0; round < Stress.scaled(20); round++) {
            long sum = Schedulers.result(
                    scheduler,
                    scheduler.submit(() -> scheduler.invoke(fork(() -> {
                        Fork<Long> left = forked(() -> {
                            JobHandle<Long> job = scheduler.submit(() -> scheduler.invoke(new Fib(12)));
                            Fork<Long> inner = forked(() -> new Fib(12).compute());
                            return section(scheduler) + job.join() + inner.join();
                        });
                        Fork<Long> middle = forked(() -> new Fib(12).compute());
                        long here = section(scheduler);
                        return here + middle.join() + left.join();
                    }))));
            assertThat(sum).isEqualTo(3 * 144 + 2);
        }
        Schedulers.end(scheduler);
    }

    private static long section(PinnedScheduler scheduler) {
        try {
            return scheduler.blocking(() -> 1L);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** The section ends only when the fork has run, on the thread that serves the worker meanwhile. */
    @Schedulers.EachShape
    void aForkRunsWhileItsParentIsInABlockingSection(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        CountDownLatch ran = new CountDownLatch(1);
        boolean done = Schedulers.result(
                scheduler,
                scheduler.submit(() -> scheduler.invoke(fork(() -> {
                    Fork<Boolean> child = forked(() -> {
                        ran.countDown();
                        return true;
                    });
                    try {
                        scheduler.blocking(() -> ran.await(60, TimeUnit.SECONDS));
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                    return child.join();
                }))));
        assertThat(done).isTrue();
        Schedulers.end(scheduler);
    }

    /** The parent waits for a job that ends only when the fork has run. */
    @Test
    void aForkRunsWhileItsParentWaitsForAJob() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(3).build();
        CountDownLatch ran = new CountDownLatch(1);
        JobHandle<?> job = scheduler.submit(() -> uninterruptibly(ran));
        boolean done = Schedulers.result(
                scheduler,
                scheduler.submit(() -> scheduler.invoke(fork(() -> {
                    Fork<Boolean> child = forked(() -> {
                        ran.countDown();
                        return true;
                    });
                    job.join();
                    return child.join();
                }))));
        assertThat(done).isTrue();
        Schedulers.end(scheduler);
    }

    /** Another thread runs the fork, and needs the only worker, whose thread waits for the fork, to come to its end. */
    @ParameterizedTest
    @CsvSource({"worker, 0", "worker, 1", "job, 0", "job, 1", "lane, 0", "lane, 1"})
    void whoWaitsForAForkDoesNotKeepItsWorkerHoweverLongItMaySpin(String needed, int spareTime) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1)
                .idle(spareTime == 0 ? IdlePolicy.busySpin() : IdlePolicy.spinThenPark(Duration.ofDays(1)))
                .build();
        CountDownLatch runsElsewhere = new CountDownLatch(1);
        CountDownLatch parentIsBack = new CountDownLatch(1);
        int result = Schedulers.result(
                scheduler,
                scheduler.submit(() -> scheduler.invoke(fork(() -> {
                    Fork<Integer> child = forked(() -> {
                        runsElsewhere.countDown();
                        return blocking(scheduler, () -> {
                            uninterruptibly(parentIsBack);
                            return switch (needed) {
                                case "job" -> scheduler.submit(() -> 1).get();
                                case "lane" -> scheduler.lane(0).submit(() -> 1).get();
                                default -> 1;
                            };
                        });
                    });
                    blocking(scheduler, () -> {
                        uninterruptibly(runsElsewhere);
                        return 0;
                    });
                    parentIsBack.countDown();
                    return child.join();
                }))));
        assertThat(result).isEqualTo(1);
        Schedulers.end(scheduler);
    }

    @Test
    void aForkThatIsSharedSeesTheContextClassLoaderOfItsParent() throws Exception {
        PinnedScheduler scheduler =
                Schedulers.unpinned(1).contextClassLoaderOfSubmitter().build();
        ClassLoader mine = new ClassLoader(ForkTest.class.getClassLoader()) {};
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(mine);
        try {
            CyclicBarrier both = new CyclicBarrier(2);
            Set<Thread> seen = ConcurrentHashMap.newKeySet();
            ClassLoader found = scheduler.invoke(fork(() -> {
                Fork<ClassLoader> child = forked(() -> {
                    meet(both, seen);
                    return Thread.currentThread().getContextClassLoader();
                });
                meet(both, seen);
                return child.join();
            }));
            assertThat(found).isSameAs(mine);
        } finally {
            thread.setContextClassLoader(before);
        }
        Schedulers.end(scheduler);
    }

    // ---- depth ---------------------------------------------------------------------------------------------------

    private static final class Deep extends LongFork {
        final int n;

        Deep(int n) {
            this.n = n;
        }

        @Override
        protected long compute() {
            if (n == 0) {
                return 0;
            }
            Deep next = new Deep(n - 1);
            next.fork();
            return 1 + next.join();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, true", "2, true", "64, true", "1, false", "2, false"})
    void aHundredThousandNestedForksEndOrOverflow(int workers, boolean inside) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers).build();
        for (int round = 0; round < 3; round++) {
            try {
                long depth = inside
                        ? Schedulers.result(scheduler, scheduler.submit(() -> scheduler.invoke(new Deep(100_000))))
                        : scheduler.invoke(new Deep(100_000));
                assertThat(depth).isEqualTo(100_000);
            } catch (StackOverflowError outside) {
                // clear enough
            } catch (JobFailedException failed) {
                assertThat(failed).hasCauseInstanceOf(StackOverflowError.class);
            }
            long after = inside
                    ? Schedulers.result(scheduler, scheduler.submit(() -> scheduler.invoke(new Fib(15))))
                    : scheduler.invoke(new Fib(15));
            assertThat(after).isEqualTo(610);
        }
        Schedulers.end(scheduler);
    }

    // ---- failures ------------------------------------------------------------------------------------------------

    private static final class Oops extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Oops(String message) {
            super(message);
        }
    }

    private static int oops(String message) {
        throw new Oops(message);
    }

    @Schedulers.EachShape
    void aFailureInAPrivateForkGoesToItsJoinAsItIs(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        assertThatThrownBy(() -> invoke(scheduler, false, fork(() -> {
                    Fork<Integer> bad = forked(() -> oops("here"));
                    return bad.join();
                })))
                .isInstanceOf(Oops.class)
                .hasMessage("here");
        int recovered = invoke(scheduler, true, fork(() -> {
            Fork<Integer> bad = forked(() -> oops("here"));
            try {
                return bad.join();
            } catch (Oops caught) {
                return 7;
            }
        }));
        assertThat(recovered).isEqualTo(7);
        Schedulers.end(scheduler);
    }

    @Test
    void aFailureOnAnotherThreadCarriesBothTraces() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        CyclicBarrier both = new CyclicBarrier(2);
        Set<Thread> seen = ConcurrentHashMap.newKeySet();
        try {
            scheduler.invoke(fork(() -> forksABadOne(both, seen)));
            throw new AssertionError("no failure");
        } catch (Oops failure) {
            assertThat(failure.getStackTrace())
                    .anyMatch(frame -> frame.getMethodName().equals("oops"));
            assertThat(failure.getSuppressed()).hasSize(1);
            assertThat(failure.getSuppressed()[0].getStackTrace())
                    .anyMatch(frame -> frame.getMethodName().equals("forksABadOne"));
        }
        assertThat(seen).hasSize(2);
        Schedulers.end(scheduler);
    }

    private static int forksABadOne(CyclicBarrier both, Set<Thread> seen) {
        Fork<Integer> bad = forked(() -> {
            meet(both, seen);
            return oops("there");
        });
        meet(both, seen);
        return bad.join();
    }

    /** The fork runs elsewhere when its parent fails: it is told, and waited for. */
    @Schedulers.EachShape
    void aFailureCancelsWhatWasForkedAndWaitsForIt(int workers, LocalOrder order) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
        for (int round = 0; round < 20; round++) {
            CyclicBarrier both = new CyclicBarrier(2);
            Set<Thread> seen = ConcurrentHashMap.newKeySet();
            AtomicReference<Throwable> end = new AtomicReference<>();
            AtomicInteger never = new AtomicInteger();
            assertThatThrownBy(() -> scheduler.invoke(fork(() -> {
                        forked(() -> {
                            meet(both, seen);
                            try {
                                while (true) {
                                    forked(() -> 1).join();
                                }
                            } catch (Throwable t) {
                                end.set(t);
                                throw t;
                            }
                        });
                        meet(both, seen);
                        forked(() -> forked(never::incrementAndGet).join());
                        return oops("parent");
                    })))
                    .isInstanceOf(Oops.class)
                    .hasMessage("parent")
                    .hasNoSuppressedExceptions();
            assertThat(end.get()).isInstanceOf(CancellationException.class);
            assertThat(never.get()).isLessThanOrEqualTo(1);
        }
        Schedulers.end(scheduler);
    }

    @Test
    void theFailuresOfOtherForksAreSuppressed() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        CyclicBarrier three = new CyclicBarrier(3);
        CyclicBarrier again = new CyclicBarrier(3);
        Set<Thread> seen = ConcurrentHashMap.newKeySet();
        assertThatThrownBy(() -> scheduler.invoke(fork(() -> {
                    for (String name : List.of("one", "two")) {
                        forked(() -> {
                            meet(three, seen);
                            meet(again, seen);
                            return oops(name);
                        });
                    }
                    meet(three, seen);
                    meet(again, seen);
                    return oops("parent");
                })))
                .isInstanceOf(Oops.class)
                .hasMessage("parent")
                .satisfies(failure -> assertThat(failure.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .containsExactlyInAnyOrder("one", "two"));
        Schedulers.end(scheduler);
    }

    // ---- cancellation --------------------------------------------------------------------------------------------

    /** Both threads of the tree fork and join for ever. */
    @ParameterizedTest
    @CsvSource({"1, false", "2, false", "2, true", "64, true"})
    void cancellingTheJobCancelsItsTree(int workers, boolean byLimit) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers).build();
        AtomicInteger depthReached = new AtomicInteger();
        CountDownLatch started = new CountDownLatch(1);
        AtomicInteger inside = new AtomicInteger();
        java.util.concurrent.Callable<Integer> tree = () -> scheduler.invoke(fork(() -> {
            inside.incrementAndGet();
            try {
                return endless(4, started, depthReached);
            } finally {
                inside.decrementAndGet();
            }
        }));
        JobHandle<Integer> job = byLimit ? scheduler.submitWithin(tree, Duration.ofMillis(20)) : scheduler.submit(tree);
        if (!byLimit) {
            Schedulers.await(scheduler, started);
            assertThat(job.cancel(false)).isTrue();
        }
        assertThat(Schedulers.outcome(scheduler, job)).isInstanceOf(Outcome.Cancelled.class);
        Schedulers.end(scheduler); // so the tree has ended
        assertThat(inside).hasValue(0);
    }

    @SuppressWarnings("InfiniteRecursion") // a deadline ends it
    private static int endless(int depth, CountDownLatch started, AtomicInteger leaves) {
        started.countDown();
        while (depth == 0 && leaves.get() >= 0) {
            leaves.addAndGet(forked(() -> 1).join() - 1);
        }
        Fork<Integer> left = forked(() -> endless(depth - 1, started, leaves));
        return endless(depth - 1, started, leaves) + left.join();
    }

    @ParameterizedTest
    @CsvSource({"1, true", "2, true", "64, true", "1, false", "2, false"})
    void shutdownNowCancelsTreesThatRun(int workers, boolean inside) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers).build();
        CountDownLatch started = new CountDownLatch(1);
        AtomicReference<Throwable> end = new AtomicReference<>();
        Runnable tree = () -> {
            try {
                scheduler.invoke(fork(() -> endless(4, started, new AtomicInteger())));
            } catch (Throwable t) {
                end.set(t);
                throw t;
            }
        };
        Stress.Threads threads = new Stress.Threads();
        if (inside) {
            scheduler.submit(tree);
        } else {
            threads.start("guest", () -> {
                try {
                    tree.run();
                } catch (CancellationException expected) {
                    // noted above
                }
            });
        }
        Schedulers.await(scheduler, started);
        assertThat(scheduler.shutdownNow()).isEmpty();
        threads.join(scheduler::dump);
        Schedulers.awaitEnd(scheduler);
        assertThat(end.get()).isInstanceOf(CancellationException.class);
    }

    @Schedulers.EachShape
    void aShutdownLetsATreeThatRunsEnd(int workers, LocalOrder order) throws Exception {
        for (int round = 0; round < 20; round++) {
            PinnedScheduler scheduler = Schedulers.unpinned(workers, order);
            CountDownLatch started = new CountDownLatch(1);
            JobHandle<Long> job = scheduler.submit(() -> {
                started.countDown();
                return scheduler.invoke(new Fib(20));
            });
            Schedulers.await(scheduler, started);
            scheduler.shutdown();
            assertThat(Schedulers.result(scheduler, job)).isEqualTo(6765);
            Schedulers.awaitEnd(scheduler);
        }
    }

    /** Each tree leaves stale entries behind that nobody takes. */
    @Test
    void treesFromOutsideQueueNothingWhileAllWorkersAreBusy() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).build();
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        JobHandle<?> job = scheduler.submit(() -> {
            busy.countDown();
            uninterruptibly(gate);
        });
        Schedulers.await(scheduler, busy);
        for (int i = 0; i < 10_000; i++) {
            assertThat(scheduler.invoke(new Fib(5))).isEqualTo(5);
        }
        assertThat(scheduler.stats().queued()).isZero(); // forks are no jobs
        gate.countDown();
        Schedulers.result(scheduler, job);
        assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(60))).isTrue();
        long before = scheduler.stats().forks().shared();
        assertThat(scheduler.invoke(new Fib(5))).isEqualTo(5);
        assertThat(scheduler.stats().forks().shared()).isGreaterThan(before);
        Schedulers.end(scheduler);
    }

    /** The oldest fork is the largest part of a tree, as a rule. */
    @Test
    void theOldestForkIsSharedFirst() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        for (int round = 0; round < Stress.scaled(20); round++) {
            CountDownLatch busy = new CountDownLatch(1);
            CountDownLatch gate = new CountDownLatch(1);
            List<String> ran = Collections.synchronizedList(new ArrayList<>());
            JobHandle<?> other = scheduler.submit(() -> {
                busy.countDown();
                uninterruptibly(gate);
            });
            JobHandle<String> tree = scheduler.submit(() -> scheduler.invoke(fork(() -> {
                uninterruptibly(busy);
                for (int i = 0; i < 8; i++) {
                    forked(() -> 0).join(); // the first are shared unasked
                }
                List<Fork<Boolean>> forks = new ArrayList<>();
                for (String name : List.of("oldest", "middle", "newest")) {
                    forks.add(forked(() -> ran.add(name)));
                }
                gate.countDown();
                while (ran.isEmpty()) {
                    forked(() -> 0).join();
                }
                String first = ran.get(0);
                for (int i = 2; i >= 0; i--) {
                    forks.get(i).join();
                }
                return first;
            })));
            assertThat(Schedulers.result(scheduler, tree)).isEqualTo("oldest");
            Schedulers.result(scheduler, other);
        }
        Schedulers.end(scheduler);
    }

    // ---- guests ----------------------------------------------------------------------------------------------------

    /** Each round the worker is somewhere between its last job and its park when the guest forks. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aForkOfAGuestFindsAWorkerThatIsAboutToPark(int workers) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers).build();
        Stress.Threads threads = new Stress.Threads();
        threads.start("guest", () -> {
            for (int round = 0; round < Stress.scaled(10_000); round++) {
                CountDownLatch taken = new CountDownLatch(1);
                assertThat(scheduler.invoke(fork(() -> {
                            Fork<Integer> part = forked(() -> {
                                taken.countDown();
                                return 1;
                            });
                            uninterruptibly(taken);
                            return part.join();
                        })))
                        .isEqualTo(1);
            }
        });
        threads.join(scheduler::dump);
        Schedulers.end(scheduler);
    }

    /** The only worker's thread waits in a join, and the fork of the awaited job is that of a thread without a worker. */
    @Test
    void aJoinFindsAForkOfAThreadThatIsAwayFromItsWorker() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(1).spareThreads(1).build();
        CountDownLatch joins = new CountDownLatch(1);
        JobHandle<Integer> away = scheduler.submit(() -> scheduler.blocking(() -> {
            uninterruptibly(joins);
            return scheduler.scope(scope -> {
                CountDownLatch started = new CountDownLatch(1);
                Fork<Integer> part = scope.fork(() -> {
                    started.countDown();
                    return 1;
                });
                uninterruptibly(started);
                return part.join();
            });
        }));
        JobHandle<Integer> joining = scheduler.submit(() -> {
            joins.countDown();
            return away.join();
        });
        assertThat(Schedulers.result(scheduler, joining)).isEqualTo(1);
        Schedulers.end(scheduler);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void jobsThatKeepFeedingThemselvesDoNotStarveTheForksOfGuests(int workers) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(workers).build();
        CountDownLatch taken = new CountDownLatch(1);
        for (int i = 0; i < 2 * workers; i++) {
            scheduler.execute(new Runnable() {
                @Override
                public void run() {
                    if (taken.getCount() != 0) {
                        scheduler.execute(this);
                    }
                }
            });
        }
        Stress.Threads threads = new Stress.Threads();
        threads.start("guest", () -> assertThat(scheduler.invoke(fork(() -> {
                    Fork<Integer> part = forked(() -> {
                        taken.countDown();
                        return 1;
                    });
                    uninterruptibly(taken);
                    return part.join();
                })))
                .isEqualTo(1));
        threads.join(scheduler::dump);
        Schedulers.end(scheduler);
    }

    /**
     * A tree shares a fork while its thread is away from its worker, comes back, and runs a job with a tree of its own inside
     * a join, before a worker becomes idle and should find the fork.
     */
    @Test
    void aTreeInsideAJoinDoesNotTakeAwayWhatTheTreeAroundItHasShared() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        for (int round = 0; round < Stress.scaled(20); round++) {
            CountDownLatch busy = new CountDownLatch(2);
            CountDownLatch spareGate = new CountDownLatch(1);
            CountDownLatch otherGate = new CountDownLatch(1);
            CountDownLatch taken = new CountDownLatch(1);
            JobHandle<?> other = scheduler.submit(() -> {
                busy.countDown();
                uninterruptibly(otherGate);
            });
            JobHandle<Integer> outer = scheduler.submit(() -> scheduler.invoke(fork(() -> {
                JobHandle<?> forSpare = scheduler.submit(() -> {
                    busy.countDown();
                    uninterruptibly(spareGate);
                });
                Fork<Integer> part = blocking(scheduler, () -> {
                    uninterruptibly(busy); // nobody is there to take the fork
                    Fork<Integer> away = forked(() -> {
                        taken.countDown();
                        return 1;
                    });
                    spareGate.countDown(); // gives the worker back
                    return away;
                });
                int inner = scheduler
                        .submit(() ->
                                scheduler.invoke(fork(() -> forked(() -> 1).join())))
                        .join();
                otherGate.countDown();
                uninterruptibly(taken);
                forSpare.join();
                return inner + part.join();
            })));
            assertThat(Schedulers.result(scheduler, outer)).isEqualTo(2);
            Schedulers.result(scheduler, other);
        }
        Schedulers.end(scheduler);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aResultThatWasJoinedIsNotKeptUntilTheTreeEnds(boolean inside) throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        Fork<Boolean> root = fork(() -> {
            CountDownLatch taken = new CountDownLatch(1);
            Fork<byte[]> part = forked(() -> {
                taken.countDown();
                return new byte[1 << 20];
            });
            uninterruptibly(taken);
            WeakReference<byte[]> result = new WeakReference<>(part.join());
            for (int i = 0; i < 100 && !result.refersTo(null); i++) {
                System.gc();
            }
            return result.refersTo(null);
        });
        boolean collected = inside
                ? Schedulers.result(scheduler, scheduler.submit(() -> scheduler.invoke(root)))
                : scheduler.invoke(root);
        assertThat(collected).isTrue();
        Schedulers.end(scheduler);
    }

    @Test
    void theTreeOfAGuestOutlivesAShutdownButNotShutdownNow() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        CountDownLatch shutdown = new CountDownLatch(1);
        CountDownLatch invoked = new CountDownLatch(2);
        CountDownLatch stopped = new CountDownLatch(1);
        Stress.Threads goesOn = new Stress.Threads();
        goesOn.start("goes on", () -> assertThat(scheduler.invoke(fork(() -> {
                    invoked.countDown();
                    uninterruptibly(shutdown);
                    return new Fib(22).compute(); // enough forks to look for messages
                })))
                .isEqualTo(17_711));
        Stress.Threads cancelled = new Stress.Threads();
        cancelled.start("is cancelled", () -> assertThatThrownBy(() -> scheduler.invoke(fork(() -> {
                    invoked.countDown();
                    uninterruptibly(stopped);
                    return new Fib(22).compute();
                })))
                .isInstanceOf(CancellationException.class));
        Schedulers.await(scheduler, invoked);
        scheduler.shutdown();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        shutdown.countDown();
        goesOn.join(scheduler::dump);
        assertThat(scheduler.shutdownNow()).isEmpty();
        stopped.countDown();
        cancelled.join(scheduler::dump);
    }

    @Test
    void moreGuestsThanThereArePlacesForTheirForksHaveTheirResults() throws Exception {
        PinnedScheduler scheduler = Schedulers.unpinned(2).build();
        CyclicBarrier all = new CyclicBarrier(100);
        Set<Thread> seen = ConcurrentHashMap.newKeySet();
        Stress.Threads threads = new Stress.Threads();
        for (int i = 0; i < 100; i++) {
            threads.start("guest " + i, () -> assertThat(scheduler.invoke(fork(() -> {
                        Fib left = new Fib(12);
                        left.fork();
                        meet(all, seen);
                        return left.join() + new Fib(13).compute();
                    })))
                    .isEqualTo(144 + 233));
        }
        threads.join(scheduler::dump);
        Schedulers.end(scheduler);
    }
}
