// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

/**
 * One online logical CPU and its place in the machine.
 *
 * <p>The numbers of cores, dies, sockets and caches are Corelane's own: they count from 0 in the order of the lowest CPU
 * of each, without gaps, and are positions in the lists of {@link CpuTopology}. The kernel's own core and package numbers
 * repeat on some machines and are -1 on others, so they are not shown. CPU and node numbers are the kernel's.
 *
 * <p><b>Thread safety:</b> immutable.
 *
 * @param cpu kernel number of the logical CPU, from 0; numbers may have gaps
 * @param core number of the core, a position in {@link CpuTopology#cores()}
 * @param die number of the die, a position in {@link CpuTopology#dies()}
 * @param socket number of the socket, a position in {@link CpuTopology#sockets()}
 * @param node kernel number of the NUMA node, or -1 if the machine does not tell
 * @param l3 number of the level 3 cache, a position in {@link CpuTopology#l3Domains()}, or -1 if there is none
 * @param llc number of the last-level cache, a position in {@link CpuTopology#llcDomains()}, or -1 if no cache is told
 * @param smtIndex place among the online CPUs of the core, by CPU number, from 0
 * @param coreClass how fast the core is compared with the others
 * @param capacity the kernel's {@code cpu_capacity}, 1 to 1024 for the fastest, or -1 if the machine does not tell
 * @param maxFrequencyKhz highest frequency in kHz ({@code cpuinfo_max_freq}), or -1 if the machine does not tell
 */
public record LogicalCpu(
        int cpu,
        int core,
        int die,
        int socket,
        int node,
        int l3,
        int llc,
        int smtIndex,
        CoreClass coreClass,
        int capacity,
        int maxFrequencyKhz) {}
