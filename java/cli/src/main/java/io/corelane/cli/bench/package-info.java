// SPDX-License-Identifier: Apache-2.0
/**
 * The {@code corelane bench} command: the million-job benchmark, of Corelane alone or beside the pools that a Java
 * program would use otherwise.
 *
 * <p>The way of a run: {@link io.corelane.cli.bench.Subjects} lists what is measured, a
 * {@link io.corelane.cli.bench.BenchRun} takes the subjects in turn, a {@link io.corelane.cli.bench.RoundRunner} runs
 * one {@link io.corelane.cli.bench.Round} on a fresh pool, {@link io.corelane.cli.bench.OnceCheck} counts what ran, and
 * {@link io.corelane.cli.bench.TextReport} or {@link io.corelane.cli.bench.JsonReport} prints the
 * {@link io.corelane.cli.bench.BenchResult}.
 */
@NullMarked
package io.corelane.cli.bench;

import org.jspecify.annotations.NullMarked;
