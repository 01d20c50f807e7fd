// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.affinity.CpuSet;
import io.corelane.affinity.ThreadAffinity;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The limit for a hand-over between two threads: one volatile slot, and a thread that spins on it or parks. One job at a
 * time, submitted after the last one has started; no executor, though it looks like one to the benchmarks.
 */
final class RawHandOff extends AbstractExecutorService {
    private final Thread thread;
    private final boolean spin;
    private volatile @Nullable Runnable slot;
    private volatile boolean stopped;

    RawHandOff(int cpu, boolean spin) {
        this.spin = spin;
        thread = new Thread(
                () -> {
                    ThreadAffinity.set(CpuSet.of(cpu));
                    run();
                },
                "raw");
        thread.start();
    }

    private void run() {
        while (!stopped) {
            Runnable job = slot;
            if (job != null) {
                slot = null;
                job.run();
            } else if (spin) {
                Thread.onSpinWait();
            } else {
                LockSupport.park(this);
            }
        }
    }

    @Override
    public void execute(Runnable job) {
        slot = job;
        if (!spin) {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public void shutdown() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown();
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return stopped;
    }

    @Override
    public boolean isTerminated() {
        return stopped && !thread.isAlive();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        unit.timedJoin(thread, timeout);
        return isTerminated();
    }
}
