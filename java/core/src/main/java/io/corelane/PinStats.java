// SPDX-License-Identifier: Apache-2.0
package io.corelane;

/**
 * How often a worker's pin was found changed, by what came of it; see {@link PinEvent.Change}.
 *
 * @param repinned pinned again to the same CPU
 * @param moved moved to another CPU
 * @param lost left unpinned
 * @param restored brought back to the planned CPU
 */
public record PinStats(long repinned, long moved, long lost, long restored) {}
