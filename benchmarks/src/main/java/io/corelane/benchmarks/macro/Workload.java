// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.macro;

import java.util.concurrent.ExecutorService;

/** A piece of real software whose executor can be exchanged. */
interface Workload {
    /** Returns what it has done so far in figures that must not depend on the executor. */
    String run(ExecutorService executor) throws Exception;

    /** Returns the subject that stands for the software's own default. */
    String defaultSubject();
}
