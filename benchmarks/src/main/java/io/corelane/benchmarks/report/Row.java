// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * One line of the comparison: the same work for several subjects.
 *
 * @param id short, for file names
 * @param title for readers
 * @param kind what is measured
 * @param producers how many threads submit
 * @param workers how many workers the pools have
 * @param jobNanos how long a job takes
 * @param variant the arrivals of a {@link Kind#LATENCY} row, as in OpenLoopLatency; whether a
 *     neighbour is {@code noisy} or there is {@code none}; whether a loop is
 *     {@code even} or {@code skewed}; whether skynet is called from
 *     {@code outside}; the jobs of a piece of a fan-out; the keys of keyed
 *     jobs; else empty
 * @param subjects who takes part; the first is ours, which the ratio is about
 */
public record Row(
        String id,
        String title,
        Kind kind,
        int producers,
        int workers,
        long jobNanos,
        String variant,
        List<String> subjects) {
    /** The subject that is no scheduler: the same jobs or steps as plain Java. */
    static final String DIRECT = "direct";

    /** What is measured, and in which unit. */
    public enum Kind {
        /** Jobs one by one. */
        EXECUTE("million jobs/s"),
        /** The same in batches of a thousand, where the executor has batches. */
        BATCHES("million jobs/s"),
        /** Jobs with a result each, from one producer. */
        SUBMIT("million jobs/s"),
        /** Jobs of many keys, those of one key in order. */
        KEYED("million jobs/s"),
        /** A Fibonacci number by forks without a cut-off. */
        FIB("ns per fork", 1),
        /** A tree of 1,000 nodes, a fork at each. */
        TREE("us per tree", 1e3),
        /** A million leaves, ten to a parent. */
        SKYNET("ms per million leaves", 1e6),
        /** Each job submits the next to its own pool. */
        SELF_SUBMISSION("ns per hop", 1),
        /** Each job submits the next to the other of two pools. */
        PING_PONG("ns per hop", 1),
        /** A piece of work spread over jobs from outside, whose results are fetched. */
        FAN_OUT_RESULTS("us per piece", 1e3),
        /** A piece of work that a job spreads over others, which are counted. */
        FAN_OUT_COUNTED("us per piece", 1e3),
        /** A sum over a range, spread over the workers. */
        LOOP("us per loop", 1e3),
        /** Lateness of a job's start in an open loop; the figure is the median. */
        LATENCY("us, p50", 1e3),
        /** The same while another process has half of the CPUs, or does not; the figure is the tail. */
        NEIGHBOUR("us, p99.9", 1e3),
        /** Heap that the queue takes for each job that waits. */
        WAITING("B/waiting job", 1),
        /** The costs of the machine itself; the figures are named. */
        RAW("ns", 1);

        private final String unit;
        private final double unitNanos; // 0 for jobs in a time, of which more are better

        Kind(String unit) {
            this(unit, 0);
        }

        Kind(String unit, double unitNanos) {
            this.unit = unit;
            this.unitNanos = unitNanos;
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
            return unitNanos == 0;
        }

        /**
         * Returns what is shown beside the figure.
         *
         * @return empty for most
         */
        Set<Cost> costs() {
            return switch (this) {
                case EXECUTE, BATCHES, SUBMIT -> EnumSet.allOf(Cost.class);
                case FIB, TREE, SKYNET -> EnumSet.of(Cost.BYTES);
                default -> EnumSet.noneOf(Cost.class);
            };
        }

        /**
         * Returns whether a figure is a point of a percentile curve.
         *
         * @return whether results have one
         */
        boolean hasCurve() {
            return this == LATENCY || this == NEIGHBOUR;
        }

        /** Returns which percentile the figure is, if there is a curve. */
        double percentile() {
            return this == NEIGHBOUR ? 99.9 : 50;
        }

        /** Returns what {@link #costs} are counted for. */
        String step() {
            return this == EXECUTE || this == BATCHES || this == SUBMIT ? "job" : "fork";
        }

        /**
         * Returns what a round comes to.
         *
         * @param count how many jobs, or steps
         * @param nanos how long they took
         * @return the figure, in {@link #unit}
         */
        double figure(int count, long nanos) {
            return higherIsBetter() ? count * 1e3 / nanos : nanos / (count * unitNanos);
        }
    }

    String ours() {
        return subjects.get(0);
    }

    /** Returns whether a subject is somebody else's: neither a form of Corelane nor a bound. */
    static boolean isPeer(String subject) {
        return !subject.startsWith("corelane") && !subject.equals(DIRECT);
    }
}
