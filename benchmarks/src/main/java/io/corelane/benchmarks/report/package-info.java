// SPDX-License-Identifier: Apache-2.0
/**
 * The report: all subjects side by side, each in JVMs of its own, and one page to look at.
 *
 * <p>A {@link io.corelane.benchmarks.report.Profile} has rows; a {@code Plan} makes forks of them; each fork is a JVM that
 * runs {@code ForkMain} and leaves a file; what the files say becomes JSON, CSV, Markdown and HTML.
 */
@NullMarked
package io.corelane.benchmarks.report;

import org.jspecify.annotations.NullMarked;
