// SPDX-License-Identifier: Apache-2.0
package io.corelane;

/**
 * Learns of failures that no handle tells: what an {@code execute}d job throws, and every {@link VirtualMachineError},
 * which goes to the handle as well.
 *
 * <p>It is called on the thread that ran the job: a worker's, or with {@link OverflowPolicy#CALLER_RUNS} the submitter's.
 * What it throws itself is logged and changes nothing else.
 */
@FunctionalInterface
public interface FailureHandler {
    /**
     * Handles a failure; called once for each.
     *
     * @param job the job that failed, as it was passed to {@code execute}, or its handle; a worker's thread if that
     *     died and is about to be replaced, which no job can bring about
     * @param failure what it threw
     */
    void onFailure(Runnable job, Throwable failure);
}
