// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

/** One job as a user would submit it: a small object of its own that works and notes that it ran. */
final class BenchJob implements Runnable {
    private final Round round;
    private final int index;

    BenchJob(Round round, int index) {
        this.round = round;
        this.index = index;
    }

    @Override
    public void run() {
        round.run(index);
    }
}
