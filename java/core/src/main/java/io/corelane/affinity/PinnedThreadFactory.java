// SPDX-License-Identifier: Apache-2.0
package io.corelane.affinity;

import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes threads that are each pinned to one CPU of a set, for frameworks that start their threads themselves: Netty's
 * event loops, a Disruptor's handlers, Agrona's agents, any executor.
 *
 * <p>A new thread takes the lowest free CPU, and gives it back when it ends; a thread that is made and never started
 * keeps its CPU. When all are taken, {@link #newThread} throws, unless sharing is allowed: then it takes one of those
 * with the fewest threads.
 *
 * <p>Each thread pins itself before it runs what it was given. If that is refused, {@link Pinning#REQUIRED} ends the
 * thread with an {@link AffinityException}, which its uncaught-exception handler gets; {@link Pinning#PREFERRED} logs a
 * warning and goes on unpinned.
 *
 * <p><b>Thread safety:</b> any thread may call anything.
 */
public final class PinnedThreadFactory implements ThreadFactory {
    private final String name;
    private final int[] cpus;
    private final Pinning pinning;
    private final boolean sharing;
    private final boolean daemon;
    private final int[] users;
    private int made;

    private PinnedThreadFactory(Builder builder, CpuSet cpus) {
        this.name = builder.name;
        this.cpus = cpus.toArray();
        this.pinning = builder.pinning;
        this.sharing = builder.sharing;
        this.daemon = builder.daemon;
        this.users = new int[this.cpus.length];
    }

    /**
     * Makes a factory with required pins and no sharing.
     *
     * @param name prefix of the threads' names
     * @param cpus the CPUs to pin to, not empty
     * @return the factory
     * @throws IllegalArgumentException if {@code cpus} is empty
     */
    public static PinnedThreadFactory of(String name, CpuSet cpus) {
        return builder().name(name).cpus(cpus).build();
    }

    /**
     * Starts to describe a factory.
     *
     * @return a builder; {@link Builder#cpus} must be called
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Makes a thread that will be pinned when it starts.
     *
     * @param body what the thread runs
     * @return the thread, not started
     * @throws IllegalStateException if every CPU has a thread and sharing is off
     */
    @Override
    public Thread newThread(Runnable body) {
        Objects.requireNonNull(body, "body");
        int slot = take();
        Thread thread = new Thread(() -> runPinned(slot, body), threadName(slot));
        thread.setDaemon(daemon);
        return thread;
    }

    private synchronized String threadName(int slot) {
        return name + "-" + made++ + "-cpu" + cpus[slot];
    }

    private synchronized int take() {
        int best = 0;
        for (int i = 1; i < users.length; i++) {
            if (users[i] < users[best]) {
                best = i;
            }
        }
        if (users[best] > 0 && !sharing) {
            throw new IllegalStateException("thread factory " + name + ": each of the CPUs " + CpuSet.of(cpus)
                    + " has a thread (give more CPUs, or allow sharing(true))");
        }
        users[best]++;
        return best;
    }

    private synchronized void giveBack(int slot) {
        users[slot]--;
    }

    private void runPinned(int slot, Runnable body) {
        try {
            if (pinning != Pinning.OFF) {
                pin(cpus[slot]);
            }
            body.run();
        } finally {
            giveBack(slot);
        }
    }

    private void pin(int cpu) {
        try {
            ThreadAffinity.set(CpuSet.of(cpu));
        } catch (AffinityException refused) {
            if (pinning == Pinning.REQUIRED) {
                throw refused;
            }
            System.getLogger("io.corelane")
                    .log(
                            Level.WARNING,
                            "thread {0} runs unpinned: {1}",
                            Thread.currentThread().getName(),
                            refused.getMessage());
        }
    }

    /** Describes a {@link PinnedThreadFactory}. For one thread. */
    public static final class Builder {
        private String name = "pinned";
        private @Nullable CpuSet cpus;
        private Pinning pinning = Pinning.REQUIRED;
        private boolean sharing;
        private boolean daemon;

        private Builder() {}

        /**
         * Sets the prefix of the threads' names; a number and the CPU follow.
         *
         * @param name the prefix
         * @return this
         */
        public Builder name(String name) {
            this.name = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * Sets the CPUs to pin to.
         *
         * @param cpus not empty
         * @return this
         */
        public Builder cpus(CpuSet cpus) {
            this.cpus = Objects.requireNonNull(cpus, "cpus");
            return this;
        }

        /**
         * Sets how much a pin matters; the default is {@link Pinning#REQUIRED}.
         *
         * @param pinning how much a pin matters
         * @return this
         */
        public Builder pinning(Pinning pinning) {
            this.pinning = Objects.requireNonNull(pinning, "pinning");
            return this;
        }

        /**
         * Sets whether more threads than CPUs may be made; the default is false.
         *
         * @param sharing whether threads may share a CPU
         * @return this
         */
        public Builder sharing(boolean sharing) {
            this.sharing = sharing;
            return this;
        }

        /**
         * Sets whether the threads are daemons; the default is false.
         *
         * @param daemon whether they are daemons
         * @return this
         */
        public Builder daemon(boolean daemon) {
            this.daemon = daemon;
            return this;
        }

        /**
         * Makes the factory.
         *
         * @return the factory
         * @throws IllegalArgumentException if no CPU was given
         */
        public PinnedThreadFactory build() {
            CpuSet chosen = cpus;
            if (chosen == null || chosen.isEmpty()) {
                throw new IllegalArgumentException("cpus is empty (expected at least one CPU)");
            }
            return new PinnedThreadFactory(this, chosen);
        }
    }
}
