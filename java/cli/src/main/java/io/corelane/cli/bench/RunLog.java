// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The indices of the jobs that one thread has run in one round, in order.
 *
 * <p>A log of its own for each thread costs a job a plain store and a release store; nothing is shared, so that no
 * subject pays for handing neighbouring jobs to different threads.
 *
 * <p><b>Thread safety:</b> {@link #add} is for the thread whose log it is; {@link #runsAcquire} for any;
 * {@link #indices} for whoever knows that the thread has run its last job.
 */
final class RunLog extends RunLogFields.Tail {
    private static final int MAX_CHUNK = 8192;
    private static final VarHandle RUNS;

    static {
        try {
            RUNS = MethodHandles.lookup()
                    .findVarHandle(RunLogFields.Owner.class, "runs", long.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Round round;
    /** The log that was opened before this one in the same round. */
    final @Nullable RunLog next;

    private final List<int[]> full = new ArrayList<>();

    RunLog(Round round, @Nullable RunLog next) {
        this.round = round;
        this.next = next;
    }

    void add(int index, long result) {
        if (used == chunk.length) {
            newChunk();
        }
        chunk[(int) used++] = index;
        sink += result;
        RUNS.setRelease((RunLogFields.Owner) this, runs + 1); // release, pairs runsAcquire: counted after the work
    }

    long runsAcquire() {
        return (long) RUNS.getAcquire((RunLogFields.Owner) this); // acquire, pairs add
    }

    IntStream indices() {
        return IntStream.concat(full.stream().flatMapToInt(Arrays::stream), Arrays.stream(chunk, 0, (int) used));
    }

    private void newChunk() {
        full.add(chunk);
        chunk = new int[Math.min(2 * chunk.length, MAX_CHUNK)];
        used = 0;
    }
}
