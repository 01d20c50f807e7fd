// SPDX-License-Identifier: Apache-2.0
/** CPU sets and thread affinity on Linux, usable without the scheduler. */
package io.corelane.affinity;
