// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
 * How much CPU time does a job take beyond its own, and how often are threads switched: with jobs coming at a fixed rate,
 * and with none? CPU time is that of the whole process, less the submitter's own; the JVM's threads are in it. Figures go
 * to {@link SideResults}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3)
@Measurement(iterations = 5)
@Fork(5)
public class CpuPerJob {
    private static final int LOOP_MILLIS = 1000;

    /** Which executor; see {@link Subjects}. */
    @Param({"corelane", "corelane-unpinned", "corelane-park", "fjp-fifo", "fjp-lifo", "tpe-lbq", "tpe-ltq"})
    public String subject = "corelane";

    /** How many jobs are submitted a second, in equal shares each millisecond. */
    @Param({"0", "1000", "100000"})
    public int jobsPerSecond;

    /** How many worker threads. */
    @Param("2")
    public int workers;

    private final RunCounters counters = new RunCounters();
    private long expected;

    private @Nullable ExecutorService executor;

    /** Starts the pool. */
    @Setup(Level.Trial)
    public void start() {
        executor = Subjects.create(subject, workers);
    }

    /** Stops it. */
    @TearDown(Level.Trial)
    public void stop() {
        running().shutdownNow();
    }

    private ExecutorService running() {
        return Objects.requireNonNull(executor, "not started");
    }

    /**
     * One second.
     *
     * @throws IOException if the kernel does not tell the counts
     */
    @Benchmark
    public void second() throws IOException {
        Work work = Work.calibrated(0, counters);
        int share = jobsPerSecond / LOOP_MILLIS;
        ContextSwitches switches = ContextSwitches.ofOthers();
        long cpu = cpuNanosOfOthers();
        long next = System.nanoTime();
        for (int milli = 0; milli < LOOP_MILLIS; milli++) {
            for (int i = 0; i < share; i++) {
                running().execute(work.newJob());
            }
            next += 1_000_000;
            while (System.nanoTime() < next) {
                LockSupport.parkNanos(next - System.nanoTime());
            }
        }
        int jobs = share * LOOP_MILLIS;
        expected += jobs;
        counters.awaitTotal(expected);
        long spent = cpuNanosOfOthers() - cpu;
        ContextSwitches made = ContextSwitches.ofOthers().minus(switches);
        SideResults.put("cpuPercent", spent / (LOOP_MILLIS * 1e4), "%");
        if (jobs > 0) {
            SideResults.put("cpuPerJob", (double) spent / jobs, "ns");
            SideResults.put("voluntaryPerJob", (double) made.voluntary() / jobs, "1/job");
            SideResults.put("involuntaryPerJob", (double) made.involuntary() / jobs, "1/job");
        }
    }

    private static long cpuNanosOfOthers() {
        OperatingSystemMXBean process = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return process.getProcessCpuTime() - ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
