// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.util.List;

/** Two versions of a program had different results, so that their times say nothing. */
final class DifferenceException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String[] differences;

    DifferenceException(String where, List<String> differences) {
        super(where + ": " + String.join("; ", differences));
        this.differences = differences.stream().map(line -> where + ": " + line).toArray(String[]::new);
    }

    /** Returns what differs, a line for each. */
    List<String> differences() {
        return List.of(differences);
    }
}
