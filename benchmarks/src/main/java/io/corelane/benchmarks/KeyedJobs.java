// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How many jobs per second go through a pool if those of one key have to run in order: Corelane's lanes against a hash of
 * executors of one thread each? Each job checks that its key's last one has run before it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 10,
        jvmArgsAppend = {"-Xms2g", "-Xmx2g", "-XX:+AlwaysPreTouch"})
public class KeyedJobs {
    private static final int JOBS = 1_000_000;

    /** How jobs are kept in order; see {@link KeyedExecutors}. */
    @Param({"corelane-lanes", "corelane-lanes-unpinned", "tpe-lbq-hash", "tpe-ltq-hash", "netty-hash"})
    public String subject = "corelane-lanes";

    /** How many worker threads. */
    @Param("2")
    public int workers;

    /** How many keys. */
    @Param({"2", "10000"})
    public int keys;

    private final RunCounters counters = new RunCounters();
    private long expected;
    private @Nullable KeyedExecutors executors;

    /** Starts the executors. */
    @Setup(Level.Trial)
    public void start() {
        executors = KeyedExecutors.create(subject, workers);
    }

    /** Stops them. */
    @TearDown(Level.Trial)
    public void stop() {
        running().close();
    }

    private KeyedExecutors running() {
        return Objects.requireNonNull(executors, "not started");
    }

    /** A million jobs, the keys in turn. */
    @Benchmark
    @OperationsPerInvocation(JOBS)
    public void inOrder() {
        submit(running(), counters, JOBS, keys);
        expected += JOBS;
        counters.awaitTotal(expected);
    }

    /**
     * Submits jobs, the keys in turn.
     *
     * @param executors where
     * @param counters count the jobs that have run
     * @param jobs how many jobs
     * @param keys how many keys
     */
    public static void submit(KeyedExecutors executors, RunCounters counters, int jobs, int keys) {
        int[] last = new int[keys];
        for (int i = 0; i < jobs; i++) {
            executors.execute(i % keys, new Job(counters, last, i % keys, i / keys));
        }
    }

    /** The job of a key with a number; jobs of one key run after each other, so plain accesses will do. */
    private static final class Job implements Runnable {
        private final RunCounters counters;
        private final int[] last;
        private final int key;
        private final int number;

        Job(RunCounters counters, int[] last, int key, int number) {
            this.counters = counters;
            this.last = last;
            this.key = key;
            this.number = number;
        }

        @Override
        public void run() {
            if (last[key] != number) {
                throw new IllegalStateException("key " + key + ": job " + number + " (expected " + last[key] + ")");
            }
            last[key]++;
            counters.increment();
        }
    }
}
