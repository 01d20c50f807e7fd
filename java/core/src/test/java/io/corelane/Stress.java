// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Support for stress tests: threads that must end before a deadline, and a scale. The short form runs by default;
 * {@code -Dcorelane.stress=20} makes rounds twenty times as many.
 */
public final class Stress {
    private static final int SCALE = Integer.getInteger("corelane.stress", 1);
    private static final long ROUND_SECONDS = 60;
    private static final int ROUND_SPINS = 200;
    private static final long DEADLINE_SECONDS = ROUND_SECONDS * SCALE;

    private Stress() {}

    /** Returns {@code count} times the scale. */
    public static int scaled(int count) {
        return count * SCALE;
    }

    /** Something that may throw. */
    public interface Body {
        /** Runs. */
        void run() throws Exception;
    }

    /** Waits for a condition; fails with the state and every thread's stack when it does not come. */
    public static void await(Supplier<Boolean> condition, Supplier<String> state) {
        await(condition, DEADLINE_SECONDS, state);
    }

    /** Waits for what takes as long in the long form as in the short one, a minute at most, and leaves its CPU to others. */
    public static void awaitRound(Supplier<Boolean> condition, Supplier<String> state) {
        await(
                () -> {
                    boolean came = condition.get();
                    for (int i = 0; i < ROUND_SPINS && !came; i++) {
                        Thread.onSpinWait();
                        came = condition.get();
                    }
                    if (!came) {
                        Thread.yield();
                    }
                    return came;
                },
                ROUND_SECONDS,
                state);
    }

    private static void await(Supplier<Boolean> condition, long seconds, Supplier<String> state) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!condition.get()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("no progress: " + state.get() + "\n" + stacks());
            }
            Thread.onSpinWait();
        }
    }

    /** Whether this is a long form, with more than the default scale. */
    public static boolean isLong() {
        return SCALE > 1;
    }

    /**
     * Waits until a counter has reached a target. Prints the state and every thread's stack each time there was no
     * progress for a second, and fails after a minute without any.
     */
    public static void awaitProgress(LongSupplier counter, long target, Supplier<String> state) {
        long last = counter.getAsLong();
        long since = System.nanoTime();
        int seconds = 0;
        while (last < target) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
            long now = counter.getAsLong();
            if (now != last) {
                last = now;
                since = System.nanoTime();
                seconds = 0;
            } else if (System.nanoTime() - since > TimeUnit.SECONDS.toNanos(seconds + 1)) {
                seconds++;
                String report = "no progress for " + seconds + " s at " + now + " of " + target + ": " + state.get()
                        + "\n" + stacks();
                if (seconds >= 60) {
                    throw new AssertionError(report);
                }
                System.err.println(report);
            }
        }
    }

    private static String stacks() {
        StringBuilder text = new StringBuilder();
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            text.append(thread.getName()).append(' ').append(thread.getState()).append('\n');
            for (StackTraceElement frame : stack) {
                text.append("    ").append(frame).append('\n');
            }
        });
        return text.toString();
    }

    /** A group of threads that is joined as one; the first failure of any is thrown by {@link #join}. */
    public static final class Threads {
        private final List<Thread> threads = new ArrayList<>();
        private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

        /** Starts a thread. */
        public Thread start(String name, Body body) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            body.run();
                        } catch (Throwable failure) {
                            failures.add(failure);
                        }
                    },
                    name);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
            return thread;
        }

        /** Waits for all; fails with the state and every thread's stack at the deadline. */
        public void join(Supplier<String> state) throws InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
            for (Thread thread : threads) {
                TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, deadline - System.nanoTime()));
                if (thread.isAlive()) {
                    throw new AssertionError(thread.getName() + " does not end: " + state.get() + ", failures "
                            + failures + "\n" + stacks());
                }
            }
            Throwable first = failures.poll();
            if (first != null) {
                AssertionError error = new AssertionError("a thread failed: " + first, first);
                failures.forEach(error::addSuppressed);
                throw error;
            }
        }
    }
}
