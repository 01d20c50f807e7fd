#ifndef CORELANE_AFFINITY_H
#define CORELANE_AFFINITY_H

/*
 * CPU affinity, name and timer slack of Linux threads, and locks by which processes agree on who uses which CPU, for
 * callers that cannot make system calls themselves.
 *
 * Results         0 or a value >= 0 on success, -errno on failure. errno itself is not part of the interface; it may
 *                 change in any call. On failure the caller's buffer is not written and the thread is as it was.
 * Thread safety   every function may be called by any number of threads at the same time: the library keeps no state,
 *                 allocates nothing, calls nobody back and prints nothing. A buffer belongs to its caller and must not
 *                 be changed by another thread during the call.
 * Pointers        NULL gives -EFAULT. Any other pointer must lead to as many bytes as the call says; it needs no
 *                 alignment.
 * Threads         affinity, name and slack belong to a thread, not to a process. tid is the kernel's thread id, as in
 *                 /proc/PID/task; 0 means the calling thread. The id of a process is the id of its first thread.
 * Masks           a set of logical CPUs in bytes: CPU n is bit n % 8 of byte n / 8, the lowest bit being bit 0.
 *                 Lengths count bytes. Byte k thus holds CPUs 8k to 8k + 7.
 * Denied calls    a seccomp filter may refuse any of the system calls below with an errno of its choice, by habit EPERM
 *                 or ENOSYS. The number is passed on, so EPERM and ENOSYS are possible for each function that returns
 *                 an errno, also where its list below does not repeat them.
 */

#include <stdint.h>

#define CORELANE_API __attribute__((visibility("default")))

/**
 * Version of this interface. It grows by one with each change that an existing caller would notice.
 *
 * returns  2; never fails
 * source   none: a constant of the library
 */
CORELANE_API int32_t corelane_abi_version(void);

/**
 * Reads the set of CPUs on which a thread may run. CPUs that are offline are not in the result, even if the thread was
 * bound to them before they went offline. No permission is needed, the thread may belong to anyone.
 *
 * Any length from 1 byte up is served if the result fits. The kernel itself takes only multiples of sizeof(long), and
 * none with fewer bits than it has CPU numbers (nr_cpu_ids, not the number of CPUs); it is asked for mask_bytes rounded
 * up to such a multiple. No CPU is ever dropped: a set that does not fit is refused. So the way to size a buffer is to
 * start anywhere and to double it on -EINVAL; 1024 bytes are enough for the 8192 CPUs of the largest Linux
 * configuration, 8192 bytes (65536 CPUs) are the most this function makes use of.
 *
 * tid         thread to ask, 0 for the caller
 * mask        receives the set; written on success only, then in full: bytes after the returned length are 0
 * mask_bytes  length of mask in bytes, at least 1
 * returns     number of bytes of mask that the kernel filled, 1..mask_bytes; says how long its masks are, not how many
 *             CPUs are in the set
 * -EFAULT     mask is NULL
 * -EINVAL     mask_bytes is below 1, is too small for this kernel, or is too small for a CPU of the set: with a
 *             positive length, retry with a larger buffer
 * -ESRCH      there is no thread tid (it ended, is in another pid namespace, or tid is negative)
 * -EPERM      a seccomp filter or security module refuses the call
 * source      sched_getaffinity(2), section "C library/kernel differences"
 */
CORELANE_API int32_t corelane_thread_get_affinity(int32_t tid, uint8_t *mask, int32_t mask_bytes);

/**
 * Restricts a thread to a set of CPUs. If the calling thread is bound away from the CPU it runs on, it has moved when
 * the call returns.
 *
 * Any length from 1 byte up is served: CPUs that the mask has no room for are not in the set, and room for CPUs that
 * the kernel does not know does no harm. The kernel binds the thread to those CPUs of the set that are online and in
 * the thread's cpuset, and *quietly leaves out the others as long as one remains*. A caller who needs the exact set
 * reads it back with corelane_thread_get_affinity and compares.
 *
 * tid         thread to bind, 0 for the caller
 * mask        the set; not changed
 * mask_bytes  length of mask in bytes, at least 1
 * returns     0
 * -EFAULT     mask is NULL
 * -EINVAL     mask_bytes is below 1; or no CPU of the set is present, online and in the thread's cpuset (the empty set
 *             is one case); or the set names a CPU from 65536 on; or tid is a kernel thread that may not be bound
 * -ESRCH      there is no thread tid (it ended, is in another pid namespace, or tid is negative)
 * -EPERM      the thread belongs to another user and the caller lacks CAP_SYS_NICE; or a seccomp filter or security
 *             module refuses the call
 * source      sched_setaffinity(2), cpuset(7)
 */
CORELANE_API int32_t corelane_thread_set_affinity(int32_t tid, const uint8_t *mask, int32_t mask_bytes);

/**
 * Kernel id of the calling thread, as seen in its own pid namespace. Constant for the life of a thread; may be given to
 * another thread after its end.
 *
 * returns  the id, above 0; the system call itself cannot fail
 * source   gettid(2)
 */
CORELANE_API int32_t corelane_thread_id(void);

/**
 * Logical CPU that the calling thread runs on. Unless the thread is bound to one CPU, the answer may be old before it
 * is returned.
 *
 * returns  number of the CPU, from 0
 * -ENOSYS  the kernel does not tell
 * source   sched_getcpu(3)
 */
CORELANE_API int32_t corelane_current_cpu(void);

/**
 * NUMA node of the logical CPU that the calling thread runs on. Ages as corelane_current_cpu does, and is not taken at
 * the same moment: the pair is consistent only while the thread is bound to the CPUs of one node.
 *
 * returns  number of the node, from 0; 0 on a kernel without NUMA
 * -ENOSYS  the kernel does not tell
 * source   getcpu(2)
 */
CORELANE_API int32_t corelane_current_node(void);

/**
 * Sets the kernel's name of the calling thread, the one in /proc/PID/task/TID/comm, top and perf. If the caller is the
 * first thread of its process, this is the name of the process, too.
 *
 * name     bytes up to a 0; at most 15 without it, in any encoding; may be empty
 * returns  0
 * -EFAULT  name is NULL
 * -ERANGE  name is longer than 15 bytes; the kernel would cut it without a word
 * source   prctl(2), PR_SET_NAME
 */
CORELANE_API int32_t corelane_thread_set_name(const char *name);

/**
 * Reads the kernel's name of the calling thread.
 *
 * name        receives the name and a 0 after it; bytes further on are not written
 * name_bytes  length of name in bytes, at least 1; 16 is always enough
 * returns     length of the name in bytes without the 0, 0..15
 * -EFAULT     name is NULL
 * -EINVAL     name_bytes is below 1
 * -ERANGE     the name and its 0 do not fit
 * source      prctl(2), PR_GET_NAME
 */
CORELANE_API int32_t corelane_thread_get_name(char *name, int32_t name_bytes);

/**
 * Sets the timer slack of the calling thread: by how much the kernel may delay the end of a timed wait, to let several
 * fall together. Linux starts with 50000 ns. A thread of a real-time policy has no slack; what is set here does not
 * apply to it, and newer kernels do not even store it.
 *
 * nanos    slack in nanoseconds, above 0; 0 means the thread's default, which is the slack that its creator had when it
 *          created the thread (there is no way to set a slack of 0; 1 comes closest)
 * returns  0
 * -EINVAL  nanos is negative
 * source   prctl(2), PR_SET_TIMERSLACK
 */
CORELANE_API int32_t corelane_thread_set_timer_slack(int64_t nanos);

/**
 * Reads the timer slack of the calling thread.
 *
 * returns     slack in nanoseconds; newer kernels say 0 for a thread of a real-time policy
 * -EOVERFLOW  the slack is above INT64_MAX nanoseconds; only a write to /proc/PID/timerslack_ns makes it so
 * source      prctl(2), PR_GET_TIMERSLACK; proc_pid_timerslack_ns(5)
 */
CORELANE_API int64_t corelane_thread_get_timer_slack(void);

/**
 * Opens a file, or makes it, readable and writable for its owner alone, and takes the exclusive lock of it, without
 * waiting. The lock belongs to what was opened: it ends with corelane_file_unlock, or with the process, however that
 * ends; it outlives other uses of the file by the process, is not shared by a second call, and is not handed on to
 * programs that the process executes. A process that forks and does not execute shares it with its child.
 *
 * A symbolic link as the last component is refused. Whether the file is a regular one, whose it is, and whether the
 * path still leads to it when it is locked, is for the caller to see, in /proc/self/fd.
 *
 * path     the file, up to a 0
 * returns  a handle, from 0, for corelane_file_unlock
 * -EFAULT  path is NULL
 * -EAGAIN  someone has the lock, be it the same process
 * -ELOOP   the file is a symbolic link
 * other    what open(2) and flock(2) give: -EACCES, -ENOENT, -ENOSPC, -EROFS, ...
 * source   open(2), flock(2)
 */
CORELANE_API int32_t corelane_file_lock(const char *path);

/**
 * Gives a lock back. The file stays: to delete it would take it from under somebody who has just opened it.
 *
 * handle   what corelane_file_lock returned; not valid afterwards
 * returns  0
 * -EBADF   handle is none
 * source   close(2)
 */
CORELANE_API int32_t corelane_file_unlock(int32_t handle);

#endif
