// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.affinity.AffinityException;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.ThreadAffinity;
import io.corelane.topology.CpuLimits;

/**
 * The affinity mask of threads that serve no worker: what the process might use when the scheduler was built or
 * the watcher last saw a change, or what is left of that now.
 *
 * <p><b>Thread safety:</b> stateless.
 */
final class BaseMask {
    private BaseMask() {}

    /**
     * Gives the calling thread this mask.
     *
     * @param base the CPUs that the process might use when the watcher last saw a change
     * @throws AffinityException if the kernel refuses these and those that are allowed now
     */
    static void apply(CpuSet base) {
        try {
            ThreadAffinity.set(base);
        } catch (AffinityException notAllOfThem) {
            CpuSet now = CpuLimits.read().allowed();
            if (now.isEmpty() || now.equals(base)) {
                throw notAllOfThem;
            }
            ThreadAffinity.set(now);
        }
    }
}
