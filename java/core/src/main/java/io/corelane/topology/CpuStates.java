// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;

/**
 * Which CPUs there are, and in which state.
 *
 * @param online switched on; never empty
 * @param present plugged in; includes {@code online}
 * @param possible may be plugged in; includes {@code present}
 * @param isolated kept away from ordinary tasks by {@code isolcpus}; part of {@code possible}
 * @param nohzFull without a timer tick while one task runs; part of {@code possible}
 * @param folders have a folder of their own below {@code sys/devices/system/cpu}
 */
record CpuStates(CpuSet online, CpuSet present, CpuSet possible, CpuSet isolated, CpuSet nohzFull, CpuSet folders) {}
