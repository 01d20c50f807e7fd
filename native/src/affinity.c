/* The system calls behind corelane_affinity.h. What callers need to know is said there. */
#define _GNU_SOURCE /* sched_getcpu, syscall, strnlen */

#include "corelane_affinity.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The kernel's mask is an array of unsigned long. Only on a little-endian machine is that the same as our array of
 * bytes; elsewhere the bytes of each word would have to be swapped.
 */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "masks are passed to the kernel byte by byte");
_Static_assert(sizeof(long) == sizeof(int64_t), "timer slack passes through unsigned long");

enum {
    KERNEL_WORD_BYTES = sizeof(unsigned long),
    /*
     * Eight times the largest mask that Linux can be configured for. A fixed size keeps the heap out; and being far
     * below 2^29 it also keeps out lengths whose number of bits overflows the unsigned int of the kernel's check.
     */
    KERNEL_MASK_BYTES = 8192,
    /* TASK_COMM_LEN, which no header of the kernel's interface has: 15 bytes and a 0. */
    KERNEL_NAME_BYTES = 16
};
_Static_assert(KERNEL_MASK_BYTES % KERNEL_WORD_BYTES == 0, "the kernel takes whole words");

/*
 * Masks go through a buffer of ours, padded to the whole words that the kernel, or an emulator of it, insists on.
 * The libc wrappers are of no use here: they hide the length that the kernel returns, and older glibc refuses masks by
 * a length that it found at the first call and keeps in a static.
 */
struct kernel_mask {
    _Alignas(unsigned long) uint8_t bytes[KERNEL_MASK_BYTES];
};

static size_t whole_words(size_t bytes) {
    if (bytes > KERNEL_MASK_BYTES) {
        return KERNEL_MASK_BYTES;
    }
    return (bytes + KERNEL_WORD_BYTES - 1) / KERNEL_WORD_BYTES * KERNEL_WORD_BYTES;
}

static bool has_bit(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] != 0) {
            return true;
        }
    }
    return false;
}

int32_t corelane_abi_version(void) {
    return 2;
}

int32_t corelane_thread_get_affinity(int32_t tid, uint8_t *mask, int32_t mask_bytes) {
    if (mask == NULL) {
        return -EFAULT;
    }
    if (mask_bytes < 1) {
        return -EINVAL;
    }
    struct kernel_mask kernel;
    size_t capacity = (size_t)mask_bytes;
    long filled = syscall(SYS_sched_getaffinity, (long)tid, whole_words(capacity), kernel.bytes);
    if (filled < 0) {
        return -errno;
    }
    size_t kept = (size_t)filled;
    if (kept > capacity) {
        if (has_bit(kernel.bytes + capacity, kept - capacity)) {
            return -EINVAL; /* the padding that we added holds a CPU that the caller has no room for */
        }
        kept = capacity;
    }
    memcpy(mask, kernel.bytes, kept);
    memset(mask + kept, 0, capacity - kept);
    return (int32_t)kept;
}

int32_t corelane_thread_set_affinity(int32_t tid, const uint8_t *mask, int32_t mask_bytes) {
    if (mask == NULL) {
        return -EFAULT;
    }
    if (mask_bytes < 1) {
        return -EINVAL;
    }
    struct kernel_mask kernel;
    size_t length = (size_t)mask_bytes;
    size_t passed = whole_words(length);
    size_t copied = length < passed ? length : passed;
    if (has_bit(mask + copied, length - copied)) {
        return -EINVAL; /* a CPU that no kernel has: refused, since we would be the ones to drop it */
    }
    memcpy(kernel.bytes, mask, copied);
    memset(kernel.bytes + copied, 0, passed - copied);
    return syscall(SYS_sched_setaffinity, (long)tid, passed, kernel.bytes) == 0 ? 0 : -errno;
}

int32_t corelane_thread_id(void) {
    long tid = syscall(SYS_gettid); /* the wrapper gettid() is newer than the glibc we have to load on */
    return tid < 0 ? -errno : (int32_t)tid;
}

int32_t corelane_current_cpu(void) {
    int cpu = sched_getcpu();
    return cpu < 0 ? -errno : cpu;
}

int32_t corelane_current_node(void) {
    unsigned node;
    long result = syscall(SYS_getcpu, NULL, &node, NULL); /* the wrapper getcpu() is too new, as gettid() is */
    return result < 0 ? -errno : (int32_t)node;
}

int32_t corelane_thread_set_name(const char *name) {
    if (name == NULL) {
        return -EFAULT;
    }
    if (strnlen(name, KERNEL_NAME_BYTES) == KERNEL_NAME_BYTES) {
        return -ERANGE;
    }
    return prctl(PR_SET_NAME, name, 0L, 0L, 0L) == 0 ? 0 : -errno;
}

int32_t corelane_thread_get_name(char *name, int32_t name_bytes) {
    if (name == NULL) {
        return -EFAULT;
    }
    if (name_bytes < 1) {
        return -EINVAL;
    }
    char kernel_name[KERNEL_NAME_BYTES] = {0}; /* the kernel always writes 16 bytes: not into a shorter buffer */
    if (prctl(PR_GET_NAME, kernel_name, 0L, 0L, 0L) != 0) {
        return -errno;
    }
    size_t length = strnlen(kernel_name, KERNEL_NAME_BYTES - 1);
    if (length >= (size_t)name_bytes) {
        return -ERANGE;
    }
    memcpy(name, kernel_name, length);
    name[length] = '\0';
    return (int32_t)length;
}

int32_t corelane_thread_set_timer_slack(int64_t nanos) {
    if (nanos < 0) {
        return -EINVAL; /* the kernel would take it for a very large unsigned number */
    }
    return prctl(PR_SET_TIMERSLACK, (unsigned long)nanos, 0L, 0L, 0L) == 0 ? 0 : -errno;
}

int64_t corelane_thread_get_timer_slack(void) {
    long nanos = syscall(SYS_prctl, PR_GET_TIMERSLACK, 0L, 0L, 0L, 0L); /* prctl() returns an int: 2.1 s at most */
    if (nanos == -1) {
        return -errno;
    }
    return nanos < 0 ? -EOVERFLOW : nanos;
}

int32_t corelane_file_lock(const char *path) {
    if (path == NULL) {
        return -EFAULT;
    }
    /* flock and not fcntl: the locks of fcntl go when the process closes any handle of the file, also one it only read. */
    int handle = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, S_IRUSR | S_IWUSR);
    if (handle < 0) {
        return -errno;
    }
    if (flock(handle, LOCK_EX | LOCK_NB) != 0) {
        int32_t result = -errno;
        (void)close(handle);
        return result;
    }
    return handle;
}

int32_t corelane_file_unlock(int32_t handle) {
    /* Linux has closed the handle also when it says EINTR. */
    return close(handle) == 0 || errno == EINTR ? 0 : -errno;
}
