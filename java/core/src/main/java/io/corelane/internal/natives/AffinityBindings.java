// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.natives;

/**
 * The functions of {@code corelane_affinity.h}, bound one to one by JNA direct mapping: primitives and arrays only, no
 * callback, no structure. The header documents them; {@link NativeAffinity} is the only caller.
 */
final class AffinityBindings {
    private AffinityBindings() {}

    static native int corelane_abi_version();

    static native int corelane_thread_get_affinity(int tid, byte[] mask, int maskBytes);

    static native int corelane_thread_set_affinity(int tid, byte[] mask, int maskBytes);

    static native int corelane_thread_id();

    static native int corelane_current_cpu();

    static native int corelane_current_node();

    static native int corelane_thread_set_name(byte[] name);

    static native int corelane_thread_get_name(byte[] name, int nameBytes);

    static native int corelane_thread_set_timer_slack(long nanos);

    static native long corelane_thread_get_timer_slack();

    static native int corelane_file_lock(byte[] path);

    static native int corelane_file_unlock(int handle);
}
