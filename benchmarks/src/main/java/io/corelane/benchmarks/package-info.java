// SPDX-License-Identifier: Apache-2.0
/** JMH benchmarks, each beside its peers in the same run. */
@NullMarked
package io.corelane.benchmarks;

import org.jspecify.annotations.NullMarked;
