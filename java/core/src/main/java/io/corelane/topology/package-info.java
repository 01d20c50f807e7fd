// SPDX-License-Identifier: Apache-2.0
/** What CPUs the machine has, read from the kernel's files. Pure Java: nothing native is loaded. */
package io.corelane.topology;
