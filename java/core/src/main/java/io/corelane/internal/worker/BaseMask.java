// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.affinity.AffinityException;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.ThreadAffinity;
import io.corelane.topology.CpuLimits;
import java.lang.System.Logger.Level;
import java.util.function.Supplier;

/**
 * The affinity mask of threads that serve no worker: what the process might use when the scheduler was built or
 * the watcher last saw a change, or what is left of that now.
 *
 * <p><b>Thread safety:</b> stateless.
 */
public final class BaseMask {
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

    /**
     * Makes a thread that has this mask when it runs its body; if that is refused, it keeps the mask of its creator.
     *
     * @param base the CPUs that the process may use
     * @param body what the thread runs
     * @return the thread, not started
     */
    public static Thread newThread(Supplier<CpuSet> base, Runnable body) {
        return new Thread(() -> {
            try {
                apply(base.get());
            } catch (AffinityException refused) {
                System.getLogger("io.corelane")
                        .log(Level.WARNING, "a thread keeps the CPU of the worker that started it", refused);
            }
            body.run();
        });
    }
}
