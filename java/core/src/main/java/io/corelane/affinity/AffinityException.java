// SPDX-License-Identifier: Apache-2.0
package io.corelane.affinity;

import org.jspecify.annotations.Nullable;

/**
 * CPU affinity could not be read or set, or the native library that does it could not be loaded.
 *
 * <p>The message names the call, the CPUs, the cause and the remedy; the methods are there for programs.
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

    /** The system call, or "load". */
    private final String call;

    /** The CPUs asked for, as a list. */
    private final String cpus;

    /** What would help. */
    private final String remedy;

    AffinityException(int errno, String call, CpuSet cpus, String message, String remedy, @Nullable Throwable cause) {
        super(message + " (" + call + "; remedy: " + remedy + ")", cause);
        this.errno = errno;
        this.call = call;
        this.cpus = cpus.toString();
        this.remedy = remedy;
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

    /**
     * Returns the system call that failed, such as {@code sched_setaffinity}, or {@code load} if the native library was
     * not loaded.
     *
     * @return its name
     */
    public String call() {
        return call;
    }

    /**
     * Returns the CPUs that were asked for, or the empty set if the call names none.
     *
     * @return the CPUs
     */
    public CpuSet cpus() {
        return cpus.isEmpty() ? CpuSet.empty() : CpuSet.parse(cpus);
    }

    /**
     * Returns what would help.
     *
     * @return a sentence for the user
     */
    public String remedy() {
        return remedy;
    }
}
