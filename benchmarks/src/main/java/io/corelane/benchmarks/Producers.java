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

    /**
     * Starts the threads.
     *
     * @param count how many producers, at least 1
     */
    public Producers(int count) {
        this.count = count;
        this.threads = Executors.newFixedThreadPool(count);
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
            body.submit(share);
            return;
        }
        List<Callable<Void>> bodies = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            bodies.add(() -> {
                body.submit(share);
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

    @Override
    public void close() {
        threads.shutdown();
    }
}
