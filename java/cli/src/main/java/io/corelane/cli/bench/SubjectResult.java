// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import java.util.List;

/**
 * What was measured of one subject.
 *
 * @param subject the subject
 * @param jobs how many jobs it ran in each round
 * @param rounds how long each counted round took
 */
record SubjectResult(Subject subject, int jobs, List<RoundTime> rounds) {
    Spread nanos() {
        return Spread.of(rounds.stream().mapToLong(RoundTime::nanos).toArray());
    }

    Spread gcMillis() {
        return Spread.of(rounds.stream().mapToLong(RoundTime::gcMillis).toArray());
    }

    Spread jobsPerSecond() {
        return Spread.of(rounds.stream().mapToDouble(this::jobsPerSecond).toArray());
    }

    /** Returns this subject's jobs per second over the peer's, each round for itself: above 1 this one is faster. */
    Spread ratiosTo(SubjectResult peer) {
        double[] ratios = new double[rounds.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = jobsPerSecond(rounds.get(i)) / peer.jobsPerSecond(peer.rounds.get(i));
        }
        return Spread.of(ratios);
    }

    private double jobsPerSecond(RoundTime time) {
        return jobs * 1e9 / time.nanos();
    }
}
