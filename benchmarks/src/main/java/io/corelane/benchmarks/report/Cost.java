// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

/** What a job or a fork takes beside time. */
public enum Cost {
    /** Allocated bytes: for a job those beyond the job itself, for a fork all. */
    BYTES("B"),
    /** CPU time of the whole process in nanoseconds: workers, submitters, collector and compiler; the job's work is in it. */
    CPU("CPU ns"),
    /** How often a thread other than the measuring one went to sleep. */
    SLEEPS("sleeps"),
    /** How often a thread other than the measuring one was pushed off its CPU. */
    PREEMPTIONS("preemptions");

    private final String unit;

    Cost(String unit) {
        this.unit = unit;
    }

    /**
     * Returns the heading of a column.
     *
     * @param kind of the row
     * @return with a unit, for readers
     */
    public String heading(Row.Kind kind) {
        return unit + "/" + kind.step();
    }
}
