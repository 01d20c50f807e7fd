// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Starts a new platform thread for each job.
 *
 * <p><b>Thread safety:</b> for the one thread that submits and shuts down.
 */
final class ThreadPerJobExecutor extends AbstractExecutorService {
    private final List<Thread> threads = new ArrayList<>();
    private boolean shutdown;

    @Override
    public void execute(Runnable job) {
        Thread thread = new Thread(job, "bench-job");
        threads.add(thread);
        thread.start();
    }

    @Override
    public void shutdown() {
        shutdown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown = true;
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }

    @Override
    public boolean isTerminated() {
        return shutdown && threads.stream().noneMatch(Thread::isAlive);
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        long deadline = System.nanoTime() + unit.toNanos(timeout);
        for (Thread thread : threads) {
            TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, deadline - System.nanoTime()));
        }
        return isTerminated();
    }
}
