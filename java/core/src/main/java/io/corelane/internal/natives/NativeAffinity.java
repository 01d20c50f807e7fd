// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.natives;

import com.sun.jna.NativeLibrary;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The one door to native code. Nothing native is loaded before {@link #load}; the attempt is made once per process and
 * its outcome, good or bad, is kept.
 *
 * <p>Results are those of {@code corelane_affinity.h}: a value, or a negative errno. Callers turn errors into
 * exceptions, because they know what was asked for.
 *
 * <p><b>Thread safety:</b> any thread may call anything.
 */
public final class NativeAffinity {
    private static final int EINVAL = 22;
    private static final int FIRST_MASK_BYTES = 128;
    private static final int MAX_MASK_BYTES = 8192;
    private static final int NAME_BYTES = 16;

    private static @Nullable NativeAffinity loaded;
    private static NativeLoadException.@Nullable Reason failure;

    private final NativeLibrary library;

    private NativeAffinity(NativeLibrary library) {
        this.library = library;
    }

    /**
     * Loads the library on the first call.
     *
     * @return the functions
     * @throws NativeLoadException if it cannot be loaded, now or at the first attempt
     */
    public static synchronized NativeAffinity load() throws NativeLoadException {
        if (loaded != null) {
            return loaded;
        }
        if (failure != null) {
            throw new NativeLoadException(failure, null);
        }
        try {
            loaded = new NativeAffinity(NativeLoader.load());
            return loaded;
        } catch (NativeLoadException e) {
            failure = e.reason();
            throw e;
        }
    }

    /** Unloads the library if it was loaded; no other thread may be in a call. */
    public static synchronized void unload() {
        if (loaded != null) {
            NativeLoader.unload(loaded.library);
            loaded = null;
        }
    }

    /**
     * Reads the mask of a thread, with a buffer that grows until the kernel's mask fits.
     *
     * @param tid kernel thread id, 0 for the caller
     * @param errno receives the negative error in element 0 when the result is null
     * @return the mask, or null on an error
     */
    public byte @Nullable [] getAffinity(int tid, int[] errno) {
        for (int bytes = FIRST_MASK_BYTES; ; bytes *= 2) {
            byte[] mask = new byte[bytes];
            int result = AffinityBindings.corelane_thread_get_affinity(tid, mask, bytes);
            if (result >= 0) {
                return Arrays.copyOf(mask, Math.max(result, 1));
            }
            if (result != -EINVAL || bytes >= MAX_MASK_BYTES) {
                errno[0] = -result;
                return null;
            }
        }
    }

    /**
     * Sets the mask of a thread.
     *
     * @param tid kernel thread id, 0 for the caller
     * @param mask the CPUs, at least one byte
     * @return 0 or a negative errno
     */
    public int setAffinity(int tid, byte[] mask) {
        return AffinityBindings.corelane_thread_set_affinity(tid, mask, mask.length);
    }

    /**
     * Returns the caller's kernel thread id.
     *
     * @return the tid
     */
    public int threadId() {
        return AffinityBindings.corelane_thread_id();
    }

    /**
     * Returns the CPU the caller runs on at this moment.
     *
     * @return the CPU, or a negative errno
     */
    public int currentCpu() {
        return AffinityBindings.corelane_current_cpu();
    }

    /**
     * Returns the NUMA node the caller runs on at this moment.
     *
     * @return the node, or a negative errno
     */
    public int currentNode() {
        return AffinityBindings.corelane_current_node();
    }

    /**
     * Names the calling thread in the kernel.
     *
     * @param name at most 15 bytes
     * @return 0 or a negative errno
     */
    public int setThreadName(String name) {
        return AffinityBindings.corelane_thread_set_name(terminated(name));
    }

    /**
     * Returns the kernel's name of the calling thread.
     *
     * @return the name, or the empty string if the kernel gave none
     */
    public String threadName() {
        byte[] name = new byte[NAME_BYTES];
        int result = AffinityBindings.corelane_thread_get_name(name, name.length);
        int length = 0;
        while (result >= 0 && length < name.length && name[length] != 0) {
            length++;
        }
        return new String(name, 0, length, StandardCharsets.UTF_8);
    }

    /**
     * Sets how late the kernel may fire the calling thread's timers.
     *
     * @param nanos nanoseconds, 0 for the thread's default
     * @return 0 or a negative errno
     */
    public int setTimerSlack(long nanos) {
        return AffinityBindings.corelane_thread_set_timer_slack(nanos);
    }

    /**
     * Returns the calling thread's timer slack.
     *
     * @return nanoseconds, or a negative errno
     */
    public long timerSlack() {
        return AffinityBindings.corelane_thread_get_timer_slack();
    }

    /**
     * Opens or makes a file and takes its lock, which ends with {@link #unlockFile} or with the process.
     *
     * @param path the file
     * @return a handle, or a negative errno
     */
    public int lockFile(String path) {
        return AffinityBindings.corelane_file_lock(terminated(path));
    }

    /**
     * Gives a lock back.
     *
     * @param handle what {@link #lockFile} returned
     * @return 0 or a negative errno
     */
    public int unlockFile(int handle) {
        return AffinityBindings.corelane_file_unlock(handle);
    }

    private static byte[] terminated(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Arrays.copyOf(bytes, bytes.length + 1);
    }
}
