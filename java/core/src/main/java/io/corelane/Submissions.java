// SPDX-License-Identifier: Apache-2.0
package io.corelane;

/**
 * How many jobs were accepted, by the way they took.
 *
 * @param fromOutside from threads that serve no worker of the scheduler, to the injector
 * @param byJobs from jobs of the scheduler, to the deques of their workers
 * @param toLanes to lanes
 * @param timed to the timers; a repeated job counts again for each of its runs
 * @param runByCallers run by their submitters, because the injector was full ({@link OverflowPolicy#CALLER_RUNS})
 */
public record Submissions(long fromOutside, long byJobs, long toLanes, long timed, long runByCallers) {
    /**
     * Returns the sum.
     *
     * @return all jobs accepted
     */
    public long total() {
        return fromOutside + byJobs + toLanes + timed + runByCallers;
    }
}
