// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

/**
 * What the user asked to have measured.
 *
 * @param jobs jobs in a round
 * @param workNanos how long a job works, 0 for empty jobs
 * @param rounds counted rounds of each subject
 * @param compare whether to measure the peers too
 * @param scheduler how to start Corelane
 */
record BenchSettings(int jobs, long workNanos, int rounds, boolean compare, SchedulerSettings scheduler) {}
