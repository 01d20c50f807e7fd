// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.util.List;

/** A part of the walk: a directory, a file, or an entry of an archive. */
interface Step {
    /**
     * Does this part.
     *
     * @param findings takes what it finds, also what it cannot read
     * @return the parts that are then to be done, in any order or at the same time
     */
    List<Step> run(Findings findings);

    /**
     * Frees what the parts needed that {@link #run} has returned.
     *
     * @param findings takes what goes wrong
     */
    default void end(Findings findings) {}
}
