// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Repeats rounds for the time of warming up and the time of measuring. */
final class Rounds {
    private final Task task;

    Rounds(Task task) {
        this.task = task;
    }

    /** Does what is measured and returns how many times. */
    @FunctionalInterface
    interface Round {
        int run() throws Exception;
    }

    /** Returns the figure of each measured round, in the unit of the row, and what all of them used up. */
    Measured measure(Round round) throws Exception {
        for (long end = inMillis(task.warmUpMillis()); System.nanoTime() < end; ) {
            int ignored = round.run();
        }
        List<Double> values = new ArrayList<>();
        long steps = 0;
        Usage before = Usage.before();
        long end = inMillis(task.measureMillis());
        do {
            long start = System.nanoTime();
            int count = round.run();
            values.add(task.fork().row().kind().figure(count, System.nanoTime() - start));
            steps += count;
        } while (System.nanoTime() < end);
        return new Measured(values, steps, Usage.after().since(before));
    }

    private static long inMillis(int millis) {
        return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
