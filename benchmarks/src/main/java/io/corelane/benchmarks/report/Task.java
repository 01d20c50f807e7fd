// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import java.util.List;

/**
 * What a fork is told, through a file.
 *
 * @param fork which one
 * @param jobs jobs of a round
 * @param warmUpMillis how long to warm up
 * @param measureMillis how long to measure
 */
record Task(Fork fork, int jobs, int warmUpMillis, int measureMillis) {
    static Task of(Fork fork, Profile profile) {
        // a thread for each job takes a hundred times as long as anything else here
        int jobs = fork.subject().equals("thread-per-job") ? Math.max(64, profile.jobs() / 200) : profile.jobs();
        return new Task(fork, jobs, profile.warmUpMillis(), profile.measureMillis());
    }

    /** The first fork of each report: the machine by itself. */
    static Fork raw() {
        return new Fork(
                new Row("raw", "costs of the machine", Row.Kind.RAW, 0, 0, 0, "", List.of("machine")), "machine", 0);
    }
}
