// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.ThreadAffinity;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * What the machine's single steps cost, in nanoseconds: the ground under every other figure. Two threads are on the first
 * and the last allowed CPU; with one CPU alone the hand-overs are left out.
 */
final class RawCosts {
    private static final int STEPS = 1000;

    private final int millis;
    private final Map<String, Double> costs = new LinkedHashMap<>();

    RawCosts(int millis) {
        this.millis = Math.max(10, millis / 2);
    }

    /** One step, many times. */
    @FunctionalInterface
    private interface Steps {
        void run(int steps);
    }

    Map<String, Double> measure() {
        Fields fields = new Fields();
        note("CAS", fields::cas);
        note("full fence", fields::fence);
        note("clock reading", RawCosts::clock);
        Function getpid = NativeLibrary.getInstance("c").getFunction("getpid");
        note("JNA call (getpid)", steps -> {
            for (int i = 0; i < steps; i++) {
                getpid.invokeInt(new Object[0]);
            }
        });
        CpuSet allowed = ThreadAffinity.get();
        if (allowed.size() > 1) {
            ThreadAffinity.set(CpuSet.of(allowed.first()));
            try (Partner partner = new Partner(allowed.last(), false)) {
                note("cache line to another CPU and back", partner::roundTrips);
            }
            try (Partner partner = new Partner(allowed.last(), true)) {
                note("unpark, run, park and back", partner::roundTrips);
            }
            ThreadAffinity.set(allowed);
        }
        return costs;
    }

    private void note(String name, Steps steps) {
        for (long end = System.nanoTime() + millis * 1_000_000L; System.nanoTime() < end; ) {
            steps.run(STEPS);
        }
        double best = Double.MAX_VALUE;
        for (long end = System.nanoTime() + millis * 1_000_000L; System.nanoTime() < end; ) {
            long start = System.nanoTime();
            steps.run(STEPS);
            best = Math.min(best, (System.nanoTime() - start) / (double) STEPS);
        }
        costs.put(name, best);
    }

    private static void clock(int steps) {
        long last = 0;
        for (int i = 0; i < steps; i++) {
            last = System.nanoTime();
        }
        if (last == 0) {
            throw new IllegalStateException("the clock stands at 0");
        }
    }

    /** Uncontended fields of one thread. */
    private static final class Fields {
        private final AtomicLong value = new AtomicLong();
        private static final VarHandle PLAIN = MethodHandles.arrayElementVarHandle(long[].class);
        private final long[] other = new long[32];

        void cas(int steps) {
            long v = value.get();
            for (int i = 0; i < steps; i++) {
                if (!value.compareAndSet(v, v + 1)) {
                    throw new IllegalStateException("contended");
                }
                v++;
            }
        }

        void fence(int steps) {
            for (int i = 0; i < steps; i++) {
                PLAIN.setOpaque(other, 16, (long) i);
                VarHandle.fullFence();
            }
        }
    }

    /** A thread on another CPU that answers each number with its negative, spinning or parking in between. */
    private static final class Partner implements AutoCloseable {
        private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(long[].class);
        private static final int ASKED = 32;
        private static final int ANSWERED = 96;
        private final long[] slots = new long[128];
        private final boolean parks;
        private final Thread thread;
        private volatile Thread asker = Thread.currentThread();
        private long number;

        Partner(int cpu, boolean parks) {
            this.parks = parks;
            thread = new Thread(() -> {
                ThreadAffinity.set(CpuSet.of(cpu));
                answer();
            });
            thread.start();
        }

        private void answer() {
            for (long expected = 1; ; expected++) {
                await(ASKED, expected);
                if ((long) SLOT.getVolatile(slots, ASKED) < 0) {
                    return;
                }
                SLOT.setVolatile(slots, ANSWERED, expected);
                if (parks) {
                    LockSupport.unpark(asker);
                }
            }
        }

        void roundTrips(int steps) {
            asker = Thread.currentThread();
            for (int i = 0; i < steps; i++) {
                number++;
                SLOT.setVolatile(slots, ASKED, number);
                if (parks) {
                    LockSupport.unpark(thread);
                }
                await(ANSWERED, number);
            }
        }

        private void await(int slot, long expected) {
            while (true) {
                long seen = (long) SLOT.getVolatile(slots, slot);
                if (seen == expected || seen < 0) {
                    return;
                }
                if (parks) {
                    LockSupport.park(this);
                } else {
                    Thread.onSpinWait();
                }
            }
        }

        @Override
        public void close() {
            SLOT.setVolatile(slots, ASKED, -1L);
            LockSupport.unpark(thread);
        }
    }
}
