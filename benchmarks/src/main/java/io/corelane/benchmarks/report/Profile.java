// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import io.corelane.benchmarks.Subjects;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

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
    private static final long JOB_NANOS = 20_000; // of jobs that arrive by themselves
    private static final List<String> FEW =
            List.of("corelane", "corelane-unpinned", "fjp-fifo", "fjp-lifo", "tpe-lbq", "ring");
    private static final List<String> SCALED = List.of("corelane", "fjp-fifo", "tpe-lbq");
    private static final List<String> BOUNDED = List.of("corelane", "fjp-fifo", "ring", "direct");
    private static final List<String> PARKED =
            List.of("corelane-park", "corelane", "fjp-fifo", "tpe-lbq", "tpe-ltq", "direct");
    private static final List<String> SPINNING =
            List.of("corelane-spin", "ring-spin", "disruptor-yield", "agrona", "direct");
    private static final List<String> NEIGHBOURS = List.of("corelane", "corelane-unpinned", "fjp-fifo", "tpe-lbq");
    private static final List<String> TREES = List.of("corelane", "fjp-lifo", "direct");
    private static final List<String> MORE_TREES =
            List.of("corelane", "corelane-unpinned", "fjp-lifo", "fjp-fifo", "direct");
    private static final List<String> LOOPS = List.of("corelane", "parallel-stream", "direct");
    private static final List<String> CHAINS =
            List.of("corelane", "corelane-unpinned", "corelane-spin", "fjp-fifo", "fjp-lifo", "tpe-lbq", "tpe-ltq");
    private static final List<String> FANS =
            List.of("corelane", "corelane-unpinned", "fjp-fifo", "fjp-lifo", "tpe-lbq", "tpe-ltq");
    private static final List<String> UNBOUNDED = List.of(
            "corelane", "fjp-fifo", "fjp-lifo", "tpe-lbq", "tpe-ltq", "mutex", "channel", "sharded", "netty-group");
    private static final List<String> KEYED =
            List.of("corelane-lanes", "corelane-lanes-unpinned", "tpe-lbq-hash", "tpe-ltq-hash", "netty-hash");

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
        rows.add(execute(1, workers, 1000, withDirect(FEW)));
        for (int producers : new int[] {4, 64}) {
            rows.add(execute(producers, workers, 1000, withDirect(List.of("corelane", "fjp-fifo"))));
        }
        rows.add(execute(1, workers, 5000, BOUNDED));
        rows.add(submit(workers, FEW));
        rows.add(fib(workers, TREES));
        rows.add(skynet(workers, TREES));
        rows.add(skynetFromOutside(workers, TREES));
        rows.add(selfSubmission(workers, SCALED));
        rows.add(latency("parked", "10", PARKED));
        rows.add(latency("spinning", "10", SPINNING));
        return new Profile("quick", rows, 2, 200_000, 700, 700, 512, 60, 270);
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
            rows.add(execute(1, workers, nanos, withDirect(Subjects.NAMES)));
        }
        rows.add(execute(4, workers, 1000, withDirect(FEW)));
        rows.add(execute(64, workers, 1000, withDirect(FEW)));
        rows.add(batches(workers, FEW));
        rows.add(submit(workers, Subjects.NAMES));
        rows.add(waiting(workers, UNBOUNDED));
        addSteps(rows, workers);
        for (String load : List.of("10", "50", "90", "idle", "bursts")) {
            rows.add(latency("parked", load, PARKED));
            rows.add(latency("spinning", load, SPINNING));
        }
        rows.add(neighbour(LatencyRows.NOISY, "beside a process on half of the CPUs", workers));
        rows.add(neighbour("none", "the same without a neighbour", workers));
        return new Profile("full", rows, 6, 1_000_000, 3000, 2000, 2048, 180, 0);
    }

    /** The rows whose figure is a time for a step, and those of keyed jobs. */
    private static void addSteps(List<Row> rows, int workers) {
        rows.add(fib(1, MORE_TREES));
        rows.add(fib(workers, MORE_TREES));
        rows.add(steps(
                "tree-1000", "a tree of 1,000 nodes, called from outside", Row.Kind.TREE, workers, "", MORE_TREES));
        rows.add(skynet(workers, MORE_TREES));
        rows.add(skynetFromOutside(workers, MORE_TREES));
        rows.add(loop("even", 1));
        rows.add(loop("even", workers));
        rows.add(loop("skewed", workers));
        rows.add(selfSubmission(1, CHAINS));
        rows.add(selfSubmission(workers, CHAINS));
        rows.add(steps(
                "ping-pong", "each job submits the next to the other of two pools", Row.Kind.PING_PONG, 1, "", CHAINS));
        for (String width : List.of("10", "1000")) {
            String title = "a piece of work in " + width + " jobs, ";
            rows.add(steps(
                    "fan-out-results-" + width, title + "results", Row.Kind.FAN_OUT_RESULTS, workers, width, FANS));
            rows.add(steps(
                    "fan-out-counted-" + width, title + "counted", Row.Kind.FAN_OUT_COUNTED, workers, width, FANS));
        }
        for (String keys : List.of("2", "10000")) {
            rows.add(steps("keyed-" + keys, "jobs of " + keys + " keys", Row.Kind.KEYED, workers, keys, KEYED));
        }
    }

    /**
     * A few seconds, to see that it works; its figures mean nothing.
     *
     * @return the profile
     */
    static Profile smoke() {
        List<Row> rows = List.of(
                execute(1, 2, 0, List.of("corelane", "fjp-fifo", "virtual")),
                execute(1, 2, 1000, List.of("corelane", "fjp-fifo", "direct")),
                batches(2, List.of("corelane", "fjp-fifo")),
                waiting(2, List.of("corelane", "tpe-lbq")),
                fib(2, TREES),
                loop("skewed", 2),
                latency("parked", "10", List.of("corelane-park", "tpe-lbq", "direct")));
        return new Profile("smoke", rows, 2, 2000, 10, 10, 64, 60, 0);
    }

    /**
     * Leaves out rows.
     *
     * @param ids finds the ids of those that are kept
     * @return the same with those rows alone
     * @throws IllegalArgumentException if there is none
     */
    Profile only(Pattern ids) {
        List<Row> kept =
                rows.stream().filter(row -> ids.matcher(row.id()).find()).toList();
        if (kept.isEmpty()) {
            throw new IllegalArgumentException(
                    "rows=" + ids + " (expected a regular expression that is found in one of "
                            + String.join(", ", rows.stream().map(Row::id).toList()) + ")");
        }
        String what = kept.size() == rows.size() ? name : "part of " + name;
        return with(what, kept, repetitions);
    }

    /**
     * Repeats more or less often.
     *
     * @param times how many JVMs for each row and subject
     * @return the same with that many
     * @throws IllegalArgumentException if that is less than one
     */
    Profile repeated(int times) {
        if (times < 1) {
            throw new IllegalArgumentException("repetitions=" + times + " (expected at least 1)");
        }
        return with(name, rows, times);
    }

    String describe() {
        return name + ", " + count(rows.size(), "row") + ", " + count(repetitions, "repetition");
    }

    private Profile with(String what, List<Row> kept, int times) {
        return new Profile(
                what, kept, times, jobs, warmUpMillis, measureMillis, heapMebibytes, timeoutSeconds, budgetSeconds);
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

    private static List<String> withDirect(List<String> subjects) {
        List<String> all = new ArrayList<>(subjects);
        all.add(Row.DIRECT);
        return List.copyOf(all);
    }

    private static Row submit(int workers, List<String> subjects) {
        String title = "empty jobs with a result each, 1 producer";
        return steps("submit-1x" + workers, title, Row.Kind.SUBMIT, workers, "", subjects);
    }

    private static Row batches(int workers, List<String> subjects) {
        String title = "empty jobs in batches of 1,000 where there are batches, 1 producer";
        return steps("batches-1x" + workers, title, Row.Kind.BATCHES, workers, "", subjects);
    }

    private static Row waiting(int workers, List<String> subjects) {
        return steps("waiting", "memory of a million jobs that wait", Row.Kind.WAITING, workers, "", subjects);
    }

    private static Row fib(int workers, List<String> subjects) {
        return steps("fib-" + workers, "fib without a cut-off", Row.Kind.FIB, workers, "", subjects);
    }

    private static Row skynet(int workers, List<String> subjects) {
        return steps("skynet", "skynet of 1,000,000 leaves", Row.Kind.SKYNET, workers, "", subjects);
    }

    private static Row skynetFromOutside(int workers, List<String> subjects) {
        String title = "skynet of 1,000,000 leaves, called from outside";
        return steps("skynet-outside", title, Row.Kind.SKYNET, workers, StepRows.OUTSIDE, subjects);
    }

    private static Row loop(String shape, int workers) {
        String title = "a loop of 20,000 numbers, " + shape;
        return steps("loop-" + shape + "-" + workers, title, Row.Kind.LOOP, workers, shape, LOOPS);
    }

    private static Row selfSubmission(int workers, List<String> subjects) {
        return steps(
                "self-submission-" + workers,
                "each job submits the next",
                Row.Kind.SELF_SUBMISSION,
                workers,
                "",
                subjects);
    }

    private static Row steps(
            String id, String title, Row.Kind kind, int workers, String variant, List<String> subjects) {
        return new Row(id, title + ", " + count(workers, "worker"), kind, 1, workers, 0, variant, subjects);
    }

    private static Row latency(String how, String load, List<String> subjects) {
        String arrivals = Character.isDigit(load.charAt(0)) ? load + " % load" : load;
        return new Row(
                "latency-" + how + "-" + load,
                "lateness of a job's start, " + how + ", " + arrivals + ", 1 worker",
                Row.Kind.LATENCY,
                1,
                1,
                JOB_NANOS,
                load,
                subjects);
    }

    private static Row neighbour(String which, String title, int workers) {
        return new Row(
                "neighbour-" + which,
                "lateness of a job's start, " + title + ", 10 % load, " + count(workers, "worker"),
                Row.Kind.NEIGHBOUR,
                1,
                workers,
                JOB_NANOS,
                which,
                NEIGHBOURS);
    }

    private static String count(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
