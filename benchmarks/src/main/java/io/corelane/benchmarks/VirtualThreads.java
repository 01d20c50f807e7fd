// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Virtual threads, which JDK 21 and later have and the JDK that this is compiled for has not. */
final class VirtualThreads {
    private VirtualThreads() {}

    /** Returns an executor that runs each job in a new virtual thread; how many carriers there are is the JVM's affair. */
    static ExecutorService newExecutor() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new UnsupportedOperationException("virtual threads need JDK 21 or later", e);
        }
    }
}
