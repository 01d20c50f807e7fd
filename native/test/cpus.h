/* CPU numbers and masks for the tests, made without the library under test. */
#ifndef CORELANE_TEST_CPUS_H
#define CORELANE_TEST_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_CPUS = 8192, MAX_MASK_BYTES = MAX_CPUS / 8 };

/* The CPUs that the calling thread may use, ascending, according to libc. */
struct cpu_list {
    int count;
    int ids[MAX_CPUS];
};

void cpus_allowed(struct cpu_list *allowed);

/* Binds the calling thread to these CPUs again, through libc. */
void cpus_restore(const struct cpu_list *allowed);

/* True if libc says that the calling thread may use this CPU and no other. */
bool cpus_only(int cpu);

/* Sets every byte to 0 and then the bit of one CPU, which must fit. */
void mask_of(uint8_t *mask, size_t mask_bytes, int cpu);

bool mask_has(const uint8_t *mask, size_t mask_bytes, int cpu);

/* Number of CPUs in the mask. */
int mask_count(const uint8_t *mask, size_t mask_bytes);

/* Shortest mask that has room for this CPU. */
int mask_bytes_for(int cpu);

#endif
