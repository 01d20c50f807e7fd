// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

/**
 * How long a round took.
 *
 * @param nanos from before the first submission until all jobs were seen to have run
 * @param resolutionNanos the last job ended at most so long before that
 * @param gcMillis how long garbage was collected meanwhile
 * @param finished false if the wait was given up
 */
record RoundTime(long nanos, long resolutionNanos, long gcMillis, boolean finished) {
    RoundTime withGcMillis(long millis) {
        return new RoundTime(nanos, resolutionNanos, millis, finished);
    }
}
