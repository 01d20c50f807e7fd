// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

/**
 * How fast a core is compared with the other cores of its machine, fastest class first.
 *
 * <p>A class is a rank and not a core design: on a machine whose cores are all alike every core is {@link #PERFORMANCE}.
 * How the class of a CPU is found stands at {@link CpuTopology}.
 */
public enum CoreClass {
    /** The fastest cores of the machine; all cores if there is only one kind. */
    PERFORMANCE,
    /** The second class: Intel's E-cores, the middle cores of a phone. */
    EFFICIENCY,
    /** All slower ones: Intel's low-power E-cores, the small cores of a phone with three kinds. */
    LOW_POWER
}
