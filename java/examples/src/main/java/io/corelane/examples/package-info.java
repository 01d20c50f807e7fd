// SPDX-License-Identifier: Apache-2.0
/** Real programs on forks, each beside its sequential version and its version on a {@code ForkJoinPool}. */
@NullMarked
package io.corelane.examples;

import org.jspecify.annotations.NullMarked;
