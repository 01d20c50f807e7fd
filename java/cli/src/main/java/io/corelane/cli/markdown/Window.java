// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;

/**
 * Bounds the documents in flight, by number and by the heap that their conversion takes. One that is larger than the
 * bound goes alone.
 */
final class Window {
    private static final int HEAP_UNIT_BYTES = 1024;

    private final int permits;
    private final int least;
    private final Semaphore free;

    /**
     * Makes a window.
     *
     * @param documents how many documents may be in flight
     * @param heapBytes how much heap they may take together
     */
    Window(int documents, long heapBytes) {
        permits = (int) Math.max(documents, Math.min(heapBytes / HEAP_UNIT_BYTES, Integer.MAX_VALUE));
        least = permits / documents;
        free = new Semaphore(permits);
    }

    /** Waits until there is room for a job, and returns it as one that makes room when it ends. */
    Callable<Ending> enter(PageJob job, Runnable progress) throws InterruptedException {
        int weight = weight(job.page().bytes());
        free.acquire(weight);
        return () -> {
            try {
                return job.call();
            } finally {
                free.release(weight);
                progress.run();
            }
        };
    }

    int weight(long bytes) {
        long heapUnits = bytes / HEAP_UNIT_BYTES * HeapEstimate.BYTES_PER_BYTE;
        return (int) Math.max(least, Math.min(heapUnits, permits));
    }

    /** Waits until no job is in the window. */
    void awaitEmpty() throws InterruptedException {
        free.acquire(permits);
    }
}
