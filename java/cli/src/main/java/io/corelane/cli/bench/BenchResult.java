// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import java.util.List;

/**
 * All that a report tells.
 *
 * @param settings what was asked for
 * @param machine where it ran
 * @param workSteps the steps of a job's spin
 * @param measuredWorkNanos what the spin was measured to take, 0 for empty jobs
 * @param subjects what was measured, Corelane first
 */
record BenchResult(
        BenchSettings settings,
        MachineFacts machine,
        int workSteps,
        double measuredWorkNanos,
        List<SubjectResult> subjects) {
    SubjectResult corelane() {
        return subjects.get(0);
    }

    /** Returns the jobs per second that no scheduler can beat with these CPUs, infinite for empty jobs. */
    double boundJobsPerSecond(SubjectResult result) {
        return result.subject().cpus() * 1e9 / measuredWorkNanos;
    }

    double shareOfBound(SubjectResult result) {
        return result.jobsPerSecond().median() / boundJobsPerSecond(result);
    }

    /** Returns the distance between the last two looks at a round, of all rounds. */
    Spread resolutionNanos() {
        return Spread.of(subjects.stream()
                .flatMap(result -> result.rounds().stream())
                .mapToLong(RoundTime::resolutionNanos)
                .toArray());
    }
}
