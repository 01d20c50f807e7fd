// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.JobHandle;
import io.corelane.Repetition;
import io.corelane.Repetition.AfterFailure;
import io.corelane.SchedulerStats;
import io.corelane.Stress;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a scheduler keeps for its timers. */
@Timeout(240)
class TimersTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private final AtomicInteger told = new AtomicInteger();
    private final WorkerPool pool =
            WorkerPool.start(PoolConfig.unpinned("timers", 1, (job, failure) -> told.incrementAndGet()));

    @AfterEach
    void end() throws Exception {
        pool.shutdownNow();
        assertThat(pool.awaitTermination(60, TimeUnit.SECONDS))
                .as("%s", pool.dump())
                .isTrue();
        SchedulerStats stats = pool.stats();
        assertThat(stats.jobsRun() + stats.jobsFailed() + stats.jobsCancelled() + stats.jobsHandedBack())
                .as("%s", stats)
                .isEqualTo(stats.jobsSubmitted());
    }

    /** An array of the JDK's own executor's for as many takes about as much, with a lambda each. */
    @Test
    void aMillionTimersTakeLittleMemoryAndCancellingThemGivesItBack() {
        int count = 1_000_000;
        Runnable body = () -> {};
        Random random = new Random(1);
        Future<?>[] handles = new Future<?>[count];
        long empty = usedBytes();
        for (int i = 0; i < count; i++) {
            handles[i] = pool.schedule(body, HOUR + random.nextInt(), null);
        }
        assertThat(pool.timers.jobs()).isEqualTo(count);
        long perTimer = (usedBytes() - empty) / count;
        System.out.println("memory of a timer with its handle: " + perTimer + " bytes");
        assertThat(perTimer).isLessThan(160);

        for (int i = count - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            Future<?> swapped = handles[i];
            handles[i] = handles[other];
            handles[other] = swapped;
        }
        for (int i = 0; i < count; i++) {
            assertThat(handles[i].cancel(false)).isTrue();
            handles[i] = null;
        }
        assertThat(pool.timers.jobs()).isZero();
        assertThat(heap().size()).isZero();
        assertThat((Timer[]) ARRAY.get(heap())).hasSize(64).containsOnlyNulls();
        assertThat(usedBytes() - empty).isLessThan(8L * count);
    }

    /** The worker sleeps until it is called, and is called for the first ones when the others are still timers. */
    @Test
    void theFirstOfAMassStartDoNotWaitForTheRest() throws Exception {
        int mass = 100_000;
        int seen = 0;
        long ahead = TimeUnit.SECONDS.toNanos(1);
        for (int round = 0; seen < mass / 2; round++) { // the worker may be slow to come, as may this thread
            assertThat(round).as("rounds").isLessThan(20);
            CountDownLatch ran = new CountDownLatch(mass);
            AtomicInteger stillTimers = new AtomicInteger(-1);
            long due = System.nanoTime() + ahead;
            for (int i = 0; i < mass; i++) {
                pool.schedule(
                        () -> {
                            stillTimers.compareAndSet(-1, pool.timers.jobs());
                            ran.countDown();
                        },
                        due - System.nanoTime(),
                        null);
            }
            boolean inTime = System.nanoTime() - due < 0;
            assertThat(ran.await(60, TimeUnit.SECONDS)).as("%s", pool.dump()).isTrue();
            seen = inTime ? stillTimers.get() : 0;
            ahead *= inTime ? 1 : 2;
        }
    }

    private static long usedBytes() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            used = Math.min(
                    used,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return used;
    }

    @Test
    void manyTimersThatAreDueAtOnceAllFire() {
        int count = Stress.scaled(100_000);
        AtomicInteger runs = new AtomicInteger();
        for (int i = 0; i < count; i++) {
            Future<?> ignored = pool.schedule(runs::incrementAndGet, TimeUnit.MILLISECONDS.toNanos(i % 50), null);
        }
        Stress.awaitProgress(runs::get, count, pool::dump);
        assertThat(runs).hasValue(count);
        assertThat(heap().size()).isZero();
        assertThat(pool.counters.fired.sum()).isEqualTo(count);
    }

    @Test
    void theTimerOfADeadlineIsGoneWhenTheJobHasEnded() throws Exception {
        CountDownLatch hold = new CountDownLatch(1);
        JobHandle<?> first = pool.submitWithin(
                () -> {
                    hold.await();
                    return null;
                },
                HOUR);
        for (int i = 0; i < 1000; i++) {
            JobHandle<?> cancelled = pool.submitWithin(() -> null, HOUR);
            assertThat(heap().size()).isEqualTo(2);
            cancelled.cancel(false);
            assertThat(heap().size()).isEqualTo(1);
        }
        assertThat(pool.timers.jobs()).as("deadlines are no jobs").isZero();
        hold.countDown();
        first.get();
        pool.intake().submit(() -> null).get(); // by now the listener has been called
        assertThat(heap().size()).isZero();
    }

    @Test
    void theTimerOfADeadlineIsGoneWhenTheJobIsRejected() throws Exception {
        CountDownLatch hold = new CountDownLatch(1);
        pool.intake().execute(() -> Stress.await(() -> hold.getCount() == 0, () -> "held"));
        pool.shutdown();
        try {
            JobHandle<?> ignored = pool.submitWithin(() -> null, HOUR);
            throw new AssertionError("accepted");
        } catch (java.util.concurrent.RejectedExecutionException expected) {
            assertThat(heap().size()).isZero();
        } finally {
            hold.countDown();
        }
    }

    /** The job is run by this thread, so that the pause after each run can be read at leisure. */
    @ParameterizedTest
    @EnumSource
    void eachFailureInARowDoublesThePauseUpToSixtyFourPeriodsIfToBackOff(AfterFailure policy) {
        AtomicInteger runs = new AtomicInteger();
        TimedJob<?> job = new TimedJob<>(
                pool,
                () -> {
                    if (runs.getAndIncrement() != 9) {
                        throw new IllegalStateException("expected");
                    }
                },
                Repetition.withFixedDelay(Duration.ofHours(1)).onFailure(policy));
        pool.timers.add(job, HOUR);
        for (int failures = 1; failures <= 12; failures++) {
            long before = System.nanoTime();
            job.run();
            long after = System.nanoTime();
            assertThat(told).hasValue(failures < 10 ? failures : policy == AfterFailure.STOP ? 1 : failures - 1);
            if (policy == AfterFailure.STOP) {
                assertThat(job.isDone()).isTrue();
                job.timer.dueNanos = 0;
                pool.timers.remove(job.timer); // it was run before its time
                return;
            }
            int inARow = failures < 10 ? failures : failures - 10;
            long pause = policy == AfterFailure.CONTINUE ? HOUR : HOUR << Math.min(6, inARow);
            assertThat(job.dueNanos() - before).as("run %d", failures).isGreaterThanOrEqualTo(pause);
            assertThat(job.dueNanos() - after).as("run %d", failures).isLessThanOrEqualTo(pause);
            assertThat(heap().size()).isEqualTo(1);
        }
    }

    @Test
    void theLongestPausesDoNotOverflow() {
        for (Duration period :
                new Duration[] {Duration.ofNanos(Timers.LONGEST / 64 + 1), Duration.ofSeconds(Long.MAX_VALUE)}) {
            TimedJob<?> job = new TimedJob<>(
                    pool,
                    () -> {
                        throw new IllegalStateException("expected");
                    },
                    Repetition.atFixedRate(period).onFailure(AfterFailure.BACK_OFF));
            pool.timers.add(job, Long.MAX_VALUE);
            for (int i = 0; i < 10; i++) {
                job.run();
                assertThat(job.dueNanos() - System.nanoTime())
                        .isGreaterThan(Timers.LONGEST / 64)
                        .isLessThanOrEqualTo(Timers.LONGEST);
            }
        }
    }

    @Test
    void onlyATimerThatIsDueBeforeAllOthersWakesTheThread() {
        JobHandle<?> first = pool.schedule(() -> {}, 2 * HOUR, null);
        awaitAsleep();
        int before = pool.timers.wakeUps();
        for (int i = 0; i < 1000; i++) {
            boolean ignored = pool.schedule(() -> {}, 2 * HOUR + i, null).isDone();
        }
        assertThat(pool.timers.wakeUps()).as("later ones").isEqualTo(before);
        boolean cancelled = first.cancel(false);
        boolean ignored = pool.schedule(() -> {}, 3 * HOUR, null).isDone();
        assertThat(cancelled).isTrue();
        assertThat(pool.timers.wakeUps()).as("a cancellation, and one later").isEqualTo(before);
        JobHandle<?> soon = pool.schedule(() -> {}, HOUR, null);
        assertThat(pool.timers.wakeUps()).as("an earlier one").isEqualTo(before + 1);
        JobHandle<String> atOnce = pool.schedule(() -> "ran", 0);
        assertThat(pool.timers.wakeUps()).as("one that is due").isEqualTo(before + 2);
        assertThat(atOnce.join()).isEqualTo("ran");
        assertThat(soon.isDone()).isFalse();
    }

    /** Waits until the thread sleeps until the first timer is due. */
    private static void awaitAsleep() {
        Stress.await(
                () -> Thread.getAllStackTraces().keySet().stream()
                        .anyMatch(thread -> thread.getName().equals("timers-timer")
                                && thread.getState() == Thread.State.TIMED_WAITING),
                () -> "the thread does not sleep");
    }

    @Test
    void aStrayWakeUpOfTheTimerThreadDoesNothing() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        Future<?> handle = pool.schedule(runs::incrementAndGet, HOUR, null);
        Thread timerThread = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("timers-timer"))
                .findFirst()
                .orElseThrow();
        for (int i = 0; i < 100; i++) {
            LockSupport.unpark(timerThread);
            timerThread.interrupt();
        }
        pool.schedule(() -> {}, 0, null).get();
        assertThat(runs).hasValue(0);
        handle.cancel(false);
    }

    private TimerHeap heap() {
        return (TimerHeap) HEAP.get(pool.timers);
    }

    private static final VarHandle HEAP;
    private static final VarHandle ARRAY;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HEAP = MethodHandles.privateLookupIn(Timers.class, lookup)
                    .findVarHandle(Timers.class, "heap", TimerHeap.class);
            ARRAY = MethodHandles.privateLookupIn(TimerHeap.class, lookup)
                    .findVarHandle(TimerHeap.class, "heap", Timer[].class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
