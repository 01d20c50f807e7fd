// SPDX-License-Identifier: Apache-2.0
/** The {@code corelane} command and what its subcommands share. */
@NullMarked
package io.corelane.cli;

import org.jspecify.annotations.NullMarked;
