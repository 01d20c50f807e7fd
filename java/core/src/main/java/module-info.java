// SPDX-License-Identifier: Apache-2.0
/**
 * Corelane: a work-stealing job scheduler whose workers are each pinned to one logical CPU.
 *
 * <p>{@code io.corelane} is the scheduler; {@code io.corelane.affinity} pins threads and is usable alone;
 * {@code io.corelane.topology} reads what the machine has.
 */
@org.jspecify.annotations.NullMarked
module io.corelane {
    requires static transitive org.jspecify;
    requires com.sun.jna;
    requires org.jctools.core;

    exports io.corelane;
    exports io.corelane.affinity;
    exports io.corelane.topology;
}
