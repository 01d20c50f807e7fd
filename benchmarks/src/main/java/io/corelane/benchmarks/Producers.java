// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Outside threads that submit at the same time; a single one is the calling thread itself. */
public final class Producers implements AutoCloseable {
    private final int count;
    private final ExecutorService threads;
    private final long[] nanos;

    /**
     * Starts the threads.
     *
     * @param count how many producers, at least 1
     */
    public Producers(int count) {
        this.count = count;
        this.threads = Executors.newFixedThreadPool(count);
        this.nanos = new long[count];
    }

    /** What one producer does. */
    @FunctionalInterface
    public interface Body {
        /**
         * Submits {@code jobs} jobs.
         *
         * @param jobs how many
         */
        void submit(int jobs);
    }

    /**
     * Lets each producer submit its share and waits until all have.
     *
     * @param jobs how many in total; a multiple of the number of producers
     * @param body what one producer does
     * @throws InterruptedException if interrupted while waiting
     */
    public void submit(int jobs, Body body) throws InterruptedException {
        int share = jobs / count;
        if (count == 1) {
            timed(0, share, body);
            return;
        }
        List<Callable<Void>> bodies = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int producer = i;
            bodies.add(() -> {
                timed(producer, share, body);
                return null;
            });
        }
        for (Future<Void> ended : threads.invokeAll(bodies)) {
            try {
                ended.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("a producer failed", e);
            }
        }
    }

    private void timed(int producer, int jobs, Body body) {
        long start = System.nanoTime();
        body.submit(jobs);
        nanos[producer] = System.nanoTime() - start;
    }

    /**
     * Returns how evenly the producers were served in the last call.
     *
     * @return the fastest producer's time divided by the slowest one's, 0 to 1
     */
    public double fairness() {
        long fastest = Long.MAX_VALUE;
        long slowest = 1;
        for (long time : nanos) {
            fastest = Math.min(fastest, time);
            slowest = Math.max(slowest, time);
        }
        return (double) fastest / slowest;
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
