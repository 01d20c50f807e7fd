// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.PinnedScheduler;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.PinnedThreadFactory;
import io.corelane.affinity.ThreadAffinity;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How late does a timed job start on an idle executor of one worker? And what does it cost to have many timers? The
 * percentiles of the lateness go to {@link SideResults}; JMH's own figure for {@link #manyTimers} is the time to schedule
 * a million jobs an hour ahead and to cancel them.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3)
@Measurement(iterations = 5)
@Fork(
        value = 5,
        jvmArgsAppend = {"-Xms2g", "-Xmx2g"})
public class TimerLateness {
    private static final int TIMERS = 500;
    private static final int MANY = 1_000_000;

    /** Which executor: Corelane pinned to the last allowed CPU, or a ScheduledThreadPoolExecutor with its thread there. */
    @Param({"corelane", "stpe"})
    public String subject = "corelane";

    private @Nullable ScheduledExecutorService executor;

    /** Starts it. */
    @Setup(Level.Trial)
    public void start() {
        CpuSet cpu = CpuSet.of(ThreadAffinity.get().last());
        if (subject.equals("corelane")) {
            executor = PinnedScheduler.builder().cpus(cpu).build();
        } else {
            ScheduledThreadPoolExecutor peer = new ScheduledThreadPoolExecutor(1, PinnedThreadFactory.of("peer", cpu));
            peer.setRemoveOnCancelPolicy(true);
            executor = peer;
        }
    }

    /** Stops it. */
    @TearDown(Level.Trial)
    public void stop() {
        running().shutdownNow();
    }

    private ScheduledExecutorService running() {
        return Objects.requireNonNull(executor, "not started");
    }

    /**
     * Five hundred jobs, one after the other, each a millisecond ahead.
     *
     * @throws InterruptedException if interrupted
     */
    @Benchmark
    public void lateness() throws InterruptedException {
        Histogram lateness = new ConcurrentHistogram(3);
        for (int i = 0; i < TIMERS; i++) {
            CountDownLatch ran = new CountDownLatch(1);
            long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1);
            Future<?> ignored = running()
                    .schedule(
                            () -> {
                                lateness.recordValue(Math.max(0, System.nanoTime() - due));
                                ran.countDown();
                            },
                            due - System.nanoTime(),
                            TimeUnit.NANOSECONDS);
            ran.await();
        }
        for (double percentile : new double[] {50, 90, 99}) {
            SideResults.put("p" + percentile, (double) lateness.getValueAtPercentile(percentile), "ns");
        }
    }

    /** A million timers, cancelled in the order of their making. */
    @Benchmark
    public void manyTimers() {
        Future<?>[] timers = new Future<?>[MANY];
        for (int i = 0; i < MANY; i++) {
            long delay = TimeUnit.HOURS.toNanos(1) + i * 7919L % 1_000_003 * 1000;
            timers[i] = running().schedule(() -> {}, delay, TimeUnit.NANOSECONDS);
        }
        for (Future<?> timer : timers) {
            timer.cancel(false);
        }
    }
}
