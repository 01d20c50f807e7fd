// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.util.function.Function;

/**
 * One of the ways in which a program does its work.
 *
 * @param name what it is called in the table
 * @param setup how it does the work, for people
 * @param work does it; its time is what is measured
 * @param <I> what it works on
 * @param <R> what comes of it
 */
record Version<I, R>(String name, String setup, Function<I, R> work) {
    static final String SEQUENTIAL = "sequential";
    static final String FORK_JOIN_POOL = "ForkJoinPool";
    static final String CORELANE = "Corelane";
}
