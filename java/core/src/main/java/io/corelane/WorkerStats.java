// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.time.Duration;

/**
 * What one worker has done so far. A replaced thread continues the counters of its worker. They never go
 * back, but that a job which is cancelled in the moment in which it ends may be counted as run or failed for that moment.
 *
 * @param index the worker, from 0
 * @param threadName the Java name of its thread
 * @param cpuAsked the CPU the plan gives it, or -1 if none
 * @param cpu the CPU it is pinned to, or -1 if it runs unpinned
 * @param pins how often its pin was found changed from outside
 * @param jobsRun jobs it ran to the end without a failure
 * @param jobsFailed jobs it ran that threw
 * @param jobsSubmitted jobs that its own jobs submitted to its deque
 * @param jobsStolen jobs it took from other workers
 * @param steals how many batches those were, by distance
 * @param injectorBatches batches it took from the injector
 * @param jobsHelped jobs that ran inside others that waited for a handle
 * @param parks how often it parked
 * @param wakeUps how often it was woken from that
 * @param lateFinds how often it found a job that had been waiting with nobody looking for it: a lost wake-up, which the
 *     scheduler promises not to happen. It can be seen only when something else ends the park, so 0 proves little by
 *     itself and more is a fault to report
 * @param threadsReplaced how often its thread died and was replaced
 * @param queued about how many jobs wait in its deque
 * @param laneQueued about how many jobs wait in its lane
 * @param busyTime how long it was neither looking for work nor parked
 * @param busyShare the share of time since the start, 0 to 1, in which it was not looking for work or parked
 * @param forks forks that its threads have shared, and taken from others
 */
public record WorkerStats(
        int index,
        String threadName,
        int cpuAsked,
        int cpu,
        PinStats pins,
        long jobsRun,
        long jobsFailed,
        long jobsSubmitted,
        long jobsStolen,
        StealCounts steals,
        long injectorBatches,
        long jobsHelped,
        long parks,
        long wakeUps,
        long lateFinds,
        long threadsReplaced,
        int queued,
        long laneQueued,
        Duration busyTime,
        double busyShare,
        ForkCounts forks) {}
