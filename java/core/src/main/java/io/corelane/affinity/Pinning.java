// SPDX-License-Identifier: Apache-2.0
package io.corelane.affinity;

/** How much a pin matters to its user. */
public enum Pinning {
    /** Every pin holds, read back after it is set, or starting fails with an {@link AffinityException}. */
    REQUIRED,
    /** A refused pin is logged, noted in the statistics, and the thread runs unpinned. */
    PREFERRED,
    /** Nothing is pinned and no native code is loaded. */
    OFF
}
