// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import org.jspecify.annotations.Nullable;

/**
 * How a job ended.
 *
 * @param <T> the type of the job's result
 */
public sealed interface Outcome<T extends @Nullable Object> {
    /**
     * The job returned.
     *
     * @param value what it returned
     * @param <T> the type of the job's result
     */
    record Done<T extends @Nullable Object>(T value) implements Outcome<T> {}

    /**
     * The job threw.
     *
     * @param cause what it threw
     * @param <T> the type of the job's result
     */
    record Failed<T extends @Nullable Object>(Throwable cause) implements Outcome<T> {}

    /**
     * The job was cancelled, before or while it ran.
     *
     * @param <T> the type of the job's result
     */
    record Cancelled<T extends @Nullable Object>() implements Outcome<T> {}
}
