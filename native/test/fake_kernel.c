#include "fake_kernel.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>

#include "check.h"

struct fake_kernel fake_kernel;

void fake_kernel_start(unsigned cpu_ids) {
    memset(&fake_kernel, 0, sizeof fake_kernel);
    fake_kernel.cpu_ids = cpu_ids;
    fake_kernel.mask_bytes = (cpu_ids + 63) / 64 * 8;
    CHECK(fake_kernel.mask_bytes <= MAX_MASK_BYTES);
    for (unsigned cpu = 0; cpu < cpu_ids; cpu++) {
        fake_kernel.usable[cpu / 8] |= (uint8_t)(1U << (cpu % 8));
    }
}

static long fail(int error) {
    errno = error;
    return -1;
}

static unsigned min(unsigned a, unsigned b) {
    return a < b ? a : b;
}

static long get_affinity(unsigned length, uint8_t *mask) {
    if (length * 8 < fake_kernel.cpu_ids || length % sizeof(long) != 0) { /* the product may overflow there, too */
        return fail(EINVAL);
    }
    unsigned copied = min(length, fake_kernel.mask_bytes);
    memcpy(mask, fake_kernel.affinity, copied);
    return copied;
}

static long set_affinity(unsigned length, const uint8_t *mask) {
    uint8_t wanted[MAX_MASK_BYTES] = {0};
    memcpy(wanted, mask, min(length, fake_kernel.mask_bytes));
    bool empty = true;
    for (size_t i = 0; i < sizeof wanted; i++) {
        wanted[i] &= fake_kernel.usable[i];
        empty = empty && wanted[i] == 0;
    }
    if (empty) {
        return fail(EINVAL);
    }
    memcpy(fake_kernel.affinity, wanted, sizeof wanted);
    return 0;
}

long __wrap_syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    long tid = va_arg(arguments, long);
    unsigned length = (unsigned)va_arg(arguments, size_t);
    uint8_t *mask = va_arg(arguments, uint8_t *);
    va_end(arguments);
    CHECK_EQ(tid, 0);
    fake_kernel.last_length = length;
    CHECK(number == SYS_sched_getaffinity || number == SYS_sched_setaffinity);
    return number == SYS_sched_getaffinity ? get_affinity(length, mask) : set_affinity(length, mask);
}
