// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/** How long the JVM has collected garbage so far. */
final class GcClock {
    private final List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();

    /** Returns milliseconds since the start of the JVM, as the collectors count them. */
    long millis() {
        return collectors.stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .filter(millis -> millis > 0)
                .sum();
    }
}
