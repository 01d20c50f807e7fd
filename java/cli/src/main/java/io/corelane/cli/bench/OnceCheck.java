// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import java.util.Locale;

/**
 * How often the jobs of a round ran.
 *
 * @param jobs how many were submitted
 * @param runs how many times a job ran
 * @param missing how many jobs never ran
 * @param firstMissing index of the first of them, or -1
 * @param repeated how many jobs ran more than once
 * @param firstRepeated index of the first of them, or -1
 */
record OnceCheck(int jobs, long runs, int missing, int firstMissing, int repeated, int firstRepeated) {
    boolean passed() {
        return missing == 0 && repeated == 0;
    }

    /** Returns what was found, for a message. */
    String describe() {
        String text = String.format(Locale.ROOT, "%,d jobs ran %,d times", jobs, runs);
        if (missing > 0) {
            text += String.format(Locale.ROOT, "; %,d never ran (the first is job %d)", missing, firstMissing);
        }
        if (repeated > 0) {
            text += String.format(
                    Locale.ROOT, "; %,d ran more than once (the first is job %d)", repeated, firstRepeated);
        }
        return text;
    }

    /** Counts runs by job; for one thread. */
    static final class Tally {
        private final byte[] seen;
        private long runs;

        Tally(int jobs) {
            seen = new byte[jobs];
        }

        void ran(int index) {
            runs++;
            if (seen[index] < 2) {
                seen[index]++;
            }
        }

        OnceCheck check() {
            int missing = 0;
            int firstMissing = -1;
            int repeated = 0;
            int firstRepeated = -1;
            for (int i = seen.length - 1; i >= 0; i--) {
                if (seen[i] == 0) {
                    missing++;
                    firstMissing = i;
                } else if (seen[i] > 1) {
                    repeated++;
                    firstRepeated = i;
                }
            }
            return new OnceCheck(seen.length, runs, missing, firstMissing, repeated, firstRepeated);
        }
    }
}
