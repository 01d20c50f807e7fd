// SPDX-License-Identifier: Apache-2.0
/** Real software with its executor exchanged: each run against the default of that software, with the results checked. */
@NullMarked
package io.corelane.benchmarks.macro;

import org.jspecify.annotations.NullMarked;
