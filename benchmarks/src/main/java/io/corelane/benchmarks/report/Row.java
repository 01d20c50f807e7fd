// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import java.util.List;

/**
 * One line of the comparison: the same work for several subjects.
 *
 * @param id short, for file names
 * @param title for readers
 * @param kind what is measured
 * @param producers how many threads submit
 * @param workers how many workers the pools have
 * @param jobNanos how long a job takes
 * @param load the arrivals of a {@link Kind#LATENCY} row, as in OpenLoopLatency; else empty
 * @param subjects who takes part; the first is ours, which the ratio is about
 */
public record Row(
        String id,
        String title,
        Kind kind,
        int producers,
        int workers,
        long jobNanos,
        String load,
        List<String> subjects) {

    /** What is measured, and in which unit. */
    public enum Kind {
        /** Jobs one by one. */
        EXECUTE("million jobs/s", true),
        /** Jobs with a result each, from one producer. */
        SUBMIT("million jobs/s", true),
        /** Lateness of a job's start in an open loop; the figure is the median. */
        LATENCY("us, p50", false),
        /** The costs of the machine itself; the figures are named. */
        RAW("ns", false);

        private final String unit;
        private final boolean higherIsBetter;

        Kind(String unit, boolean higherIsBetter) {
            this.unit = unit;
            this.higherIsBetter = higherIsBetter;
        }

        /**
         * Returns the unit of the figures.
         *
         * @return for readers
         */
        public String unit() {
            return unit;
        }

        /**
         * Returns which way is up.
         *
         * @return whether higher figures are better
         */
        public boolean higherIsBetter() {
            return higherIsBetter;
        }
    }

    String ours() {
        return subjects.get(0);
    }

    /** Returns whether a subject is somebody else's: neither a form of Corelane nor a bound. */
    static boolean isPeer(String subject) {
        return !subject.startsWith("corelane") && !subject.equals("direct");
    }
}
