// SPDX-License-Identifier: Apache-2.0
package io.corelane.affinity;

import io.corelane.internal.natives.NativeAffinity;
import io.corelane.internal.natives.NativeLoadException;

/**
 * Reads and sets which logical CPUs a thread may run on.
 *
 * <p>Affinity belongs to a thread, not to the process, and is inherited: a thread started by a pinned thread is pinned
 * like its parent until someone sets its mask.
 *
 * <p><b>Thread safety:</b> any thread may call anything. <b>Cost:</b> one or two system calls each; the first call of
 * the process loads the native library. <b>Source:</b> sched_setaffinity(2), sched_getaffinity(2), getcpu(2).
 */
public final class ThreadAffinity {
    private static final String SET = "sched_setaffinity";

    private ThreadAffinity() {}

    /**
     * Returns the CPUs the calling thread may run on.
     *
     * @return its mask
     * @throws AffinityException if the native library cannot be loaded
     */
    public static CpuSet get() {
        return get(0);
    }

    /**
     * Returns the CPUs that a thread may run on.
     *
     * @param tid kernel thread id, 0 for the caller
     * @return its mask
     * @throws AffinityException with ESRCH if there is no such thread, or if the native library cannot be loaded
     */
    public static CpuSet get(int tid) {
        return get(library(), tid, CpuSet.empty());
    }

    /** Reads a mask, before or after one that is asked for, if any. */
    private static CpuSet get(NativeAffinity library, int tid, CpuSet asked) {
        int[] errno = new int[1];
        byte[] mask = library.getAffinity(tid, errno);
        if (mask == null) {
            String purpose = asked.isEmpty() ? "" : ", which is to be set to CPUs " + asked + ",";
            throw failed(errno[0], "sched_getaffinity", "read affinity of " + who(tid) + purpose, asked);
        }
        return CpuSet.fromMask(mask);
    }

    /**
     * Restricts the calling thread to the given CPUs and reads the mask back.
     *
     * @param cpus not empty
     * @throws IllegalArgumentException if {@code cpus} is empty
     * @throws AffinityException with EINVAL if a CPU is offline, absent or not allowed, EPERM if the call is forbidden,
     *     errno 0 if the kernel kept only a part of the set; then the earlier mask is in force again
     */
    public static void set(CpuSet cpus) {
        set(0, cpus);
    }

    /**
     * Restricts a thread to the given CPUs and reads the mask back.
     *
     * @param tid kernel thread id, 0 for the caller
     * @param cpus not empty
     * @throws IllegalArgumentException if {@code cpus} is empty
     * @throws AffinityException as {@link #set(CpuSet)}, and with ESRCH if there is no such thread
     */
    public static void set(int tid, CpuSet cpus) {
        if (cpus.isEmpty()) {
            throw new IllegalArgumentException("cpus is empty (expected at least one CPU)");
        }
        NativeAffinity library = library("set affinity of " + who(tid) + " to CPUs " + cpus + " refused: ", cpus);
        CpuSet before = get(library, tid, cpus);
        int result = library.setAffinity(tid, cpus.toMask());
        if (result < 0) {
            throw refused(-result, tid, cpus);
        }
        CpuSet got = get(library, tid, cpus);
        if (!got.equals(cpus)) {
            restore(tid, before);
            throw new AffinityException(
                    0,
                    SET,
                    cpus,
                    "set affinity of " + who(tid) + " to CPUs " + cpus + ": the kernel gave only " + got + " ("
                            + Errno.refusal(cpus.minus(got)) + "); the mask " + before + " is in force again",
                    Errno.remedy(0, SET),
                    null);
        }
    }

    /**
     * Pins the calling thread to one logical CPU until the returned pin is closed.
     *
     * @param cpu kernel number of the logical CPU, from 0; numbers may have gaps
     * @return the pin; closing it on the same thread restores the mask found now
     * @throws IllegalArgumentException if {@code cpu} is out of range
     * @throws AffinityException as {@link #set(CpuSet)}
     */
    public static Pin pin(int cpu) {
        CpuSet target = CpuSet.of(cpu);
        CpuSet before = get();
        set(target);
        return new Pin(Thread.currentThread(), cpu, before);
    }

    /**
     * Returns the CPU on which the calling thread runs at this moment; unless it is pinned it may move at any time.
     *
     * @return the kernel number
     * @throws AffinityException if the native library cannot be loaded
     */
    public static int currentCpu() {
        return value("getcpu", library().currentCpu());
    }

    /**
     * Returns the NUMA node on which the calling thread runs at this moment.
     *
     * @return the kernel number of the node
     * @throws AffinityException if the native library cannot be loaded
     */
    public static int currentNode() {
        return value("getcpu", library().currentNode());
    }

    /**
     * Returns the kernel's id of the calling thread, as {@code top -H} and {@code perf} show it.
     *
     * @return the tid
     * @throws AffinityException if the native library cannot be loaded
     */
    public static int threadId() {
        return library().threadId();
    }

    /**
     * Names the calling thread in the kernel, where {@code top -H} and {@code perf} see it; the Java name stays.
     *
     * @param name at most 15 bytes in UTF-8
     * @throws IllegalArgumentException if it is longer: the kernel would cut it
     * @throws AffinityException if the native library cannot be loaded
     */
    public static void setKernelThreadName(String name) {
        int result = library().setThreadName(name);
        if (result == -Errno.ERANGE) {
            throw new IllegalArgumentException("name=\"" + name + "\" (expected at most 15 bytes)");
        }
        value("prctl(PR_SET_NAME)", result);
    }

    /**
     * Sets how late the kernel may end the calling thread's timed waits; the system's default is 50 microseconds.
     *
     * @param nanos at least 1, or 0 for the system's default
     * @throws IllegalArgumentException if it is negative
     * @throws AffinityException if the native library cannot be loaded
     */
    public static void setTimerSlack(long nanos) {
        if (nanos < 0) {
            throw new IllegalArgumentException("nanos=" + nanos + " (expected at least 0)");
        }
        value("prctl(PR_SET_TIMERSLACK)", library().setTimerSlack(nanos));
    }

    /**
     * Unloads the native library, for a container that drops the class loader of Corelane and JNA: as long as a library is
     * loaded a thread of JNA lives, and keeps that loader. About half a minute afterwards the thread ends. The next call
     * of anything here, or the next pinned scheduler, loads the library again.
     *
     * <p><b>Thread safety:</b> only after all pinned schedulers have terminated, and while no other thread uses this class.
     */
    public static void unload() {
        NativeAffinity.unload();
    }

    static NativeAffinity library() {
        return library("", CpuSet.empty());
    }

    private static NativeAffinity library(String refused, CpuSet cpus) {
        try {
            return NativeAffinity.load();
        } catch (NativeLoadException e) {
            throw new AffinityException(0, "load", cpus, refused + e.getMessage(), e.remedy(), e);
        }
    }

    private static int value(String call, int result) {
        if (result < 0) {
            throw failed(-result, call, call, CpuSet.empty());
        }
        return result;
    }

    private static AffinityException failed(int errno, String call, String what, CpuSet cpus) {
        String message = what + " failed: " + Errno.describe(errno);
        return new AffinityException(errno, call, cpus, message, Errno.remedy(errno, call), null);
    }

    private static void restore(int tid, CpuSet before) {
        int result = library().setAffinity(tid, before.toMask());
        if (result < 0) {
            throw refused(-result, tid, before);
        }
    }

    private static AffinityException refused(int errno, int tid, CpuSet cpus) {
        String why = errno == AffinityException.EINVAL ? Errno.refusal(cpus) : Errno.describe(errno);
        return new AffinityException(
                errno,
                SET,
                cpus,
                "set affinity of " + who(tid) + " to CPUs " + cpus + " refused: " + why,
                Errno.remedy(errno, SET),
                null);
    }

    private static String who(int tid) {
        return tid == 0 ? "this thread" : "thread " + tid;
    }

    /** A pin of one thread to one CPU, in force until it is closed. */
    public static final class Pin implements AutoCloseable {
        private final Thread owner;
        private final int cpu;
        private final CpuSet before;
        private boolean closed;

        private Pin(Thread owner, int cpu, CpuSet before) {
            this.owner = owner;
            this.cpu = cpu;
            this.before = before;
        }

        /**
         * Returns the CPU the thread was pinned to.
         *
         * @return the kernel number
         */
        public int cpu() {
            return cpu;
        }

        /**
         * Restores the mask that was in force before; a second call does nothing.
         *
         * @throws IllegalStateException if called by another thread than the one that was pinned
         * @throws AffinityException if the earlier mask is not allowed any more
         */
        @Override
        public void close() {
            if (Thread.currentThread() != owner) {
                throw new IllegalStateException("pin of " + owner.getName() + " closed by "
                        + Thread.currentThread().getName() + " (expected the pinned thread itself)");
            }
            if (!closed) {
                set(before);
                closed = true;
            }
        }
    }
}
