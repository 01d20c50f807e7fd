// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.List;

/** Cores, dies and sockets: every online CPU is in exactly one of each. */
record CpuGroups(List<CpuSet> cores, List<CpuSet> dies, List<CpuSet> sockets) {}
