/*
 * The two affinity calls of a kernel with as many CPUs as the test likes. The linker sends every syscall() of the test
 * program here (--wrap=syscall); the rules are those of kernel/sched/syscalls.c.
 */
#ifndef CORELANE_TEST_FAKE_KERNEL_H
#define CORELANE_TEST_FAKE_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "cpus.h"

struct fake_kernel {
    unsigned cpu_ids;                 /* nr_cpu_ids: CPUs are numbered below this */
    unsigned mask_bytes;              /* cpumask_size(): what the kernel copies at most, whole words */
    uint8_t usable[MAX_MASK_BYTES];   /* CPUs that are online and in the cpuset */
    uint8_t affinity[MAX_MASK_BYTES]; /* of the one thread there is */
    unsigned last_length;             /* in bytes, as given to the last call */
};

extern struct fake_kernel fake_kernel;

/* A kernel with this many CPU numbers, all usable, and an empty affinity. */
void fake_kernel_start(unsigned cpu_ids);

long __wrap_syscall(long number, ...);

#endif
