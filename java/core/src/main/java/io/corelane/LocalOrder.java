// SPDX-License-Identifier: Apache-2.0
package io.corelane;

/** In which order a worker takes the jobs of its own deque. Others always steal the oldest. */
public enum LocalOrder {
    /** Oldest first, as users of an executor expect. */
    FIFO,
    /** Newest first: what a job has just submitted is likely still in the cache. */
    LIFO
}
