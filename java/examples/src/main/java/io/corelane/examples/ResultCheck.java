// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.util.List;

/**
 * Compares two results.
 *
 * @param <R> the type of the results
 */
@FunctionalInterface
interface ResultCheck<R> {
    /** Returns what differs, a line for each; none if the results are equal. */
    List<String> differences(R result, R expected);
}
