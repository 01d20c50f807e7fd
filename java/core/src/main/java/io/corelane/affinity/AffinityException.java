// SPDX-License-Identifier: Apache-2.0
package io.corelane.affinity;

import org.jspecify.annotations.Nullable;

/**
 * CPU affinity could not be read or set, or the native library that does it could not be loaded.
 *
 * <p>The message names the call, the cause and the remedy; {@link #errno} is there for programs.
 */
public final class AffinityException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The call was refused because of its arguments: a CPU is absent, offline or not allowed. Linux errno 22. */
    public static final int EINVAL = 22;
    /** The caller may not do this, or a seccomp filter forbids it. Linux errno 1. */
    public static final int EPERM = 1;
    /** The thread does not exist, or no longer. Linux errno 3. */
    public static final int ESRCH = 3;

    /** The Linux error number, or 0. */
    private final int errno;

    AffinityException(int errno, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.errno = errno;
    }

    /**
     * Returns the Linux error number, or 0 if no system call failed: the library was not loaded, or the mask that was
     * read back differs from the one that was set.
     *
     * @return the error number, or 0
     */
    public int errno() {
        return errno;
    }
}
