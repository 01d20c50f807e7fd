// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.fork;

import org.jspecify.annotations.Nullable;

/** What a shared fork has become: something that several threads may claim, and of which one waits for the end. */
public interface ForkShare {
    /**
     * Returns the result of the body, after it has ended on another thread.
     *
     * @return the result
     */
    @Nullable
    Object takeResult();
}
