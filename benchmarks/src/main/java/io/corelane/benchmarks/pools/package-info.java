// SPDX-License-Identifier: Apache-2.0
/**
 * The designs that Corelane is compared with, each as an {@link java.util.concurrent.ExecutorService}: as plain as the
 * design allows, and with the same promises. What they all keep: an accepted job runs exactly once, {@code execute} after
 * {@code shutdown} is refused, and a job that throws costs no other job.
 */
@NullMarked
package io.corelane.benchmarks.pools;

import org.jspecify.annotations.NullMarked;
