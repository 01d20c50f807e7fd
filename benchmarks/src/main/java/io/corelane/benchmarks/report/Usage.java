// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.corelane.benchmarks.ContextSwitches;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What this process has used up so far.
 *
 * <p>Bytes and context switches are counted by thread, and the count of a thread goes with it when it ends. So a difference
 * of two readings has them only if no thread of the program has ended in between: a subject with a thread for each job has
 * none. CPU time is counted for the process and has ended threads in it.
 */
final class Usage {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final int SAMPLE = 1000;

    private final long[] threads;
    private final long[] bytes;
    private final long started;
    private final long cpuNanos;
    private final Map<String, ContextSwitches> switches;

    private Usage(long[] threads, long[] bytes, long started, long cpuNanos, Map<String, ContextSwitches> switches) {
        this.threads = threads;
        this.bytes = bytes;
        this.started = started;
        this.cpuNanos = cpuNanos;
        this.switches = switches;
    }

    /** Reads before something is measured: what allocates least comes last. */
    static Usage before() throws IOException {
        Map<String, ContextSwitches> switches = ContextSwitches.byOtherThread();
        long cpuNanos = PROCESS.getProcessCpuTime();
        long started = THREADS.getTotalStartedThreadCount();
        long[] threads = THREADS.getAllThreadIds();
        return new Usage(threads, THREADS.getThreadAllocatedBytes(threads), started, cpuNanos, switches);
    }

    /** Reads after something was measured, in the opposite order. */
    static Usage after() throws IOException {
        long[] threads = THREADS.getAllThreadIds();
        long[] bytes = THREADS.getThreadAllocatedBytes(threads);
        long started = THREADS.getTotalStartedThreadCount();
        long cpuNanos = PROCESS.getProcessCpuTime();
        return new Usage(threads, bytes, started, cpuNanos, ContextSwitches.byOtherThread());
    }

    /** Returns what was used since an earlier reading; without what is not known. */
    Map<Cost, Double> since(Usage earlier) {
        Map<Cost, Double> used = new EnumMap<>(Cost.class);
        used.put(Cost.CPU, (double) (cpuNanos - earlier.cpuNanos));
        Map<Long, Long> then = new HashMap<>();
        for (int i = 0; i < earlier.threads.length; i++) {
            then.put(earlier.threads[i], earlier.bytes[i]);
        }
        long allocated = 0;
        long known = 0;
        for (int i = 0; i < threads.length; i++) {
            Long before = then.get(threads[i]);
            allocated += bytes[i] - (before == null ? 0 : before);
            known += before == null ? 0 : 1;
        }
        boolean allAlive = known == earlier.threads.length && threads.length - known == started - earlier.started;
        if (allAlive) {
            ContextSwitches made = ContextSwitches.between(earlier.switches, switches);
            used.put(Cost.BYTES, (double) allocated);
            used.put(Cost.SLEEPS, (double) made.voluntary());
            used.put(Cost.PREEMPTIONS, (double) made.involuntary());
        }
        return used;
    }

    /** Returns how many bytes each of the objects has that a maker makes; to be asked before the maker is compiled. */
    static long bytesOfOne(Supplier<?> maker) {
        Object[] made = new Object[SAMPLE + 1];
        made[SAMPLE] = maker.get();
        long self = Thread.currentThread().getId();
        long before = THREADS.getThreadAllocatedBytes(self);
        for (int i = 0; i < SAMPLE; i++) {
            made[i] = maker.get();
        }
        return Math.round((THREADS.getThreadAllocatedBytes(self) - before) / (double) SAMPLE);
    }
}
