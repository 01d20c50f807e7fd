// SPDX-License-Identifier: Apache-2.0
/** The {@code corelane plan} command: which worker would run on which CPU, and why. */
@NullMarked
package io.corelane.cli.plan;

import org.jspecify.annotations.NullMarked;
