// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import io.corelane.benchmarks.Subjects;
import java.util.ArrayList;
import java.util.List;

/**
 * How much is run.
 *
 * @param name for readers
 * @param rows what
 * @param repetitions how many JVMs for each row and subject
 * @param jobs jobs of a round
 * @param warmUpMillis how long a JVM warms up at least
 * @param measureMillis how long it measures at least
 * @param heapMebibytes heap of a JVM, all of it touched beforehand
 * @param timeoutSeconds how long a JVM may take before it is a failure
 * @param budgetSeconds after which repetitions but the first are left out; 0 for no limit
 */
public record Profile(
        String name,
        List<Row> rows,
        int repetitions,
        int jobs,
        int warmUpMillis,
        int measureMillis,
        int heapMebibytes,
        int timeoutSeconds,
        int budgetSeconds) {
    private static final List<String> FEW =
            List.of("corelane", "corelane-unpinned", "fjp-fifo", "fjp-lifo", "tpe-lbq", "ring");
    private static final List<String> SCALED = List.of("corelane", "fjp-fifo", "tpe-lbq");
    private static final List<String> PARKED =
            List.of("corelane-park", "corelane", "fjp-fifo", "tpe-lbq", "tpe-ltq", "direct");
    private static final List<String> SPINNING =
            List.of("corelane-spin", "ring-spin", "disruptor-yield", "agrona", "direct");

    /**
     * Under five minutes.
     *
     * @param cpus how many CPUs may be used
     * @return the profile
     */
    static Profile quick(int cpus) {
        int workers = Math.max(2, cpus);
        List<Row> rows = new ArrayList<>();
        rows.add(execute(1, workers, 0, FEW));
        rows.add(execute(4, workers, 0, SCALED));
        rows.add(execute(1, 1, 0, SCALED));
        rows.add(execute(1, workers, 1000, FEW));
        rows.add(submit(workers, FEW));
        rows.add(latency("parked", "10", PARKED));
        rows.add(latency("spinning", "10", SPINNING));
        return new Profile("quick", rows, 2, 200_000, 800, 700, 512, 60, 270);
    }

    /**
     * Everything, for a night.
     *
     * @param cpus how many CPUs may be used
     * @return the profile
     */
    static Profile full(int cpus) {
        int workers = Math.max(2, cpus);
        List<Row> rows = new ArrayList<>();
        for (int producers : new int[] {1, 4, 64}) {
            rows.add(execute(producers, workers, 0, Subjects.NAMES));
        }
        if (workers != 8) {
            rows.add(execute(64, 8, 0, Subjects.NAMES));
        }
        for (int count = 1; count <= 2 * workers; count *= 2) {
            if (count != workers) {
                rows.add(execute(1, count, 0, FEW));
            }
        }
        for (long nanos : new long[] {1000, 5000, 50_000}) {
            rows.add(execute(1, workers, nanos, Subjects.NAMES));
        }
        rows.add(execute(4, workers, 1000, FEW));
        rows.add(execute(64, workers, 1000, FEW));
        rows.add(submit(workers, Subjects.NAMES));
        for (String load : List.of("10", "50", "90", "idle", "bursts")) {
            rows.add(latency("parked", load, PARKED));
            rows.add(latency("spinning", load, SPINNING));
        }
        return new Profile("full", rows, 6, 1_000_000, 3000, 2000, 2048, 180, 0);
    }

    /**
     * A few seconds, to see that it works; its figures mean nothing.
     *
     * @return the profile
     */
    static Profile smoke() {
        List<Row> rows = List.of(
                execute(1, 2, 0, List.of("corelane", "fjp-fifo", "virtual")),
                latency("parked", "10", List.of("corelane-park", "tpe-lbq", "direct")));
        return new Profile("smoke", rows, 2, 2000, 10, 10, 64, 60, 0);
    }

    private static Row execute(int producers, int workers, long jobNanos, List<String> subjects) {
        String jobs = jobNanos == 0 ? "empty jobs" : "jobs of " + jobNanos / 1000 + " us";
        return new Row(
                "execute-" + producers + "x" + workers + "-" + jobNanos,
                jobs + ", " + count(producers, "producer") + ", " + count(workers, "worker"),
                Row.Kind.EXECUTE,
                producers,
                workers,
                jobNanos,
                "",
                subjects);
    }

    private static Row submit(int workers, List<String> subjects) {
        return new Row(
                "submit-1x" + workers,
                "empty jobs with a result each, 1 producer, " + count(workers, "worker"),
                Row.Kind.SUBMIT,
                1,
                workers,
                0,
                "",
                subjects);
    }

    private static Row latency(String how, String load, List<String> subjects) {
        String arrivals = Character.isDigit(load.charAt(0)) ? load + " % load" : load;
        return new Row(
                "latency-" + how + "-" + load,
                "lateness of a job's start, " + how + ", " + arrivals + ", 1 worker",
                Row.Kind.LATENCY,
                1,
                1,
                20_000,
                load,
                subjects);
    }

    private static String count(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
