// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.natives;

import org.jspecify.annotations.Nullable;

/** The native library could not be loaded; the message names the cause and the remedy. */
public final class NativeLoadException extends Exception {
    private static final long serialVersionUID = 1L;

    NativeLoadException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
