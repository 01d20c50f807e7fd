// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.natives;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/** The native library could not be loaded; the message names the cause, {@link #remedy} what would help. */
public final class NativeLoadException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Why, and what would help. */
    private final Reason reason;

    /** What is kept of a failure for later calls. */
    record Reason(String cause, String remedy) implements Serializable {}

    NativeLoadException(String cause, String remedy, @Nullable Throwable failure) {
        this(new Reason(cause, remedy), failure);
    }

    NativeLoadException(Reason reason, @Nullable Throwable failure) {
        super("the native affinity library was not loaded: " + reason.cause, failure);
        this.reason = reason;
    }

    Reason reason() {
        return reason;
    }

    /**
     * Returns what would help.
     *
     * @return a remedy
     */
    public String remedy() {
        return reason.remedy + ", or choose Pinning.PREFERRED or OFF";
    }
}
