// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;

/**
 * Something that runs jobs and is measured.
 *
 * @param name what the report calls it
 * @param setup how it is set up, for the reader of the report
 * @param threads how many threads run its jobs, or 0 if each job gets its own
 * @param cpus how many CPUs these can use at the same time
 * @param divisor it runs this fraction of the jobs, 1 for all
 * @param starter starts a fresh pool
 */
record Subject(String name, String setup, int threads, int cpus, int divisor, Supplier<ExecutorService> starter) {
    private static final int FEW_JOBS = 100;

    /** Returns how many of the jobs it runs: its fraction, but no fewer than a hundred if there are as many. */
    int jobs(int asked) {
        return Math.max(asked / divisor, Math.min(asked, FEW_JOBS));
    }
}
