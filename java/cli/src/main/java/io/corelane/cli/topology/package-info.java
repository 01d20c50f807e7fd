// SPDX-License-Identifier: Apache-2.0
/** The {@code corelane topology} command: what CPUs a machine has, and which of them a default scheduler takes. */
@NullMarked
package io.corelane.cli.topology;

import org.jspecify.annotations.NullMarked;
