// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;
import java.util.Map;

/**
 * What came out of one JVM. It is also the file by which an interrupted report is taken up again.
 *
 * @param row id of the row
 * @param subject who
 * @param repetition the how-manieth
 * @param status how it ended
 * @param message why, unless it ended well
 * @param values one figure for each round, in the unit of the row
 * @param curve lateness in microseconds by percentile, for a latency row
 * @param costs what each job or fork took beside time, as far as it is known
 * @param named figures with a name, for raw costs
 */
record ForkResult(
        String row,
        String subject,
        int repetition,
        Status status,
        String message,
        List<Double> values,
        List<Point> curve,
        Map<Cost, Double> costs,
        Map<String, Double> named) {

    /** How a fork ended. */
    enum Status {
        OK,
        FAILED,
        TIMEOUT,
        SKIPPED
    }

    /** Returns whether a JVM was run and has no figure. */
    @JsonIgnore
    boolean isFailure() {
        return status == Status.FAILED || status == Status.TIMEOUT;
    }

    /** A point of a percentile curve. */
    record Point(double percentile, double micros) {}

    static ForkResult values(Fork fork, List<Double> values, Map<Cost, Double> costs) {
        return ok(fork, values, List.of(), costs, Map.of());
    }

    static ForkResult curve(Fork fork, double figure, List<Point> curve) {
        return ok(fork, List.of(figure), curve, Map.of(), Map.of());
    }

    static ForkResult named(Fork fork, Map<String, Double> named) {
        return ok(fork, List.of(), List.of(), Map.of(), named);
    }

    private static ForkResult ok(
            Fork fork, List<Double> values, List<Point> curve, Map<Cost, Double> costs, Map<String, Double> named) {
        return new ForkResult(
                fork.row().id(), fork.subject(), fork.repetition(), Status.OK, "", values, curve, costs, named);
    }

    static ForkResult without(Fork fork, Status status, String message) {
        return new ForkResult(
                fork.row().id(),
                fork.subject(),
                fork.repetition(),
                status,
                message,
                List.of(),
                List.of(),
                Map.of(),
                Map.of());
    }
}
